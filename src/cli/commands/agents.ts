import type { Runtime } from '../../runtime/runtime.ts';
import type { AgentRun } from '../../storage/agent-runs.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { colorsFor } from '../colors.ts';
import { CommandError } from '../command-error.ts';
import { integerFrom, single, text, withOutput, workspace } from '../flags.ts';
import { localTime } from '../local-time.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime, withWorkspace } from '../with-runtime.ts';

interface AgentsFlags extends OutputFlags {
  workspace?: string;
  name?: string;
  limit?: number;
}

const SHOWN_MESSAGE = 60;

export const configureAgents: ConfigureCommand = (agents, terminal) => {
  withOutput(agents.command('list').description('the sub-agents there are, and the files that cannot be used'))
    .addOption(workspace())
    .action((flags: AgentsFlags) =>
      withWorkspace(terminal, { root: flags.workspace }, ({ files }, runtime) => list(runtime, files, flags, terminal)),
    );
  withOutput(
    agents.command('status').description('what runs in the background, and how it ended').argument('[run]', 'one run'),
  )
    .addOption(single('--name <name>', 'of one sub-agent', text))
    .addOption(single('--limit <N>', 'how many, the newest first (default: 20)', integerFrom(1)))
    .action((id: string | undefined, flags: AgentsFlags) =>
      withRuntime(terminal, (runtime) => status(id, runtime, flags, terminal)),
    );
  withOutput(agents.command('cancel').description('end a background run').argument('<run>')).action(
    (id: string, flags: AgentsFlags) => withRuntime(terminal, (runtime) => cancel(id, runtime, flags, terminal)),
  );
  withOutput(agents.command('logs').description('the conversation of a background run').argument('<run>')).action(
    (id: string, flags: AgentsFlags) => withRuntime(terminal, (runtime) => logs(id, runtime, flags, terminal)),
  );
  agents
    .command('work', { hidden: true })
    .description('run what is queued, then end')
    .action(() =>
      withRuntime(terminal, async (runtime) => {
        // What answers into a chat is the gateway's to run.
        await (await runtime.gatewayAdmin()).control.wake().catch(() => {});
        await (await runtime.openBackground()).work(terminal.signal);
      }),
    );
};

async function list(runtime: Runtime, files: Workspace, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  const at = { workspace: files, signal: terminal.signal };
  const { agents, problems } = await (await runtime.agents()).list(at);
  for (const { path, reason } of problems) warn(terminal, `${path} cannot be used: ${reason}`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { agents, problems });
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...agents.map(({ name }) => name.length));
  for (const { name, source, description, tools } of agents) {
    const may = tools === 'all' ? 'all tools' : tools.join(', ');
    terminal.out.write(`${colors.bold(name.padEnd(width))}  ${colors.dim(source)}  ${printable(description)}\n`);
    terminal.out.write(`${' '.repeat(width)}  ${colors.dim(printable(may))}\n`);
  }
}

async function status(id: string | undefined, runtime: Runtime, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  const runs = await runtime.agentRuns();
  if (id !== undefined) {
    const run = await runs.get(id);
    if (!run) throw noSuchRun(id);
    const waiting = await waitingFor([run], runtime);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { ...shown(run), ...waiting(run) });
    terminal.out.write(`${runLine(run, terminal, waiting(run))}\n${printable(run.result ?? run.error ?? '')}\n`);
    return;
  }
  const found = await runs.list({ name: flags.name, limit: flags.limit ?? 20 });
  const waiting = await waitingFor(found, runtime);
  if (wantsJson(terminal, flags))
    return writeJson(terminal, { runs: found.map((run) => ({ ...shown(run), ...waiting(run) })) });
  if (found.length === 0) terminal.out.write('nothing has run in the background yet\n');
  for (const run of found) terminal.out.write(`${runLine(run, terminal, waiting(run))}\n`);
}

interface WaitsFor {
  waitsFor?: 'gateway';
}

/** What is to be answered into a chat runs in the gateway, and waits while there is none. */
async function waitingFor(runs: readonly AgentRun[], runtime: Runtime): Promise<(run: AgentRun) => WaitsFor> {
  const isForGateway = ({ state, injectInto }: AgentRun): boolean => state === 'queued' && injectInto !== undefined;
  const isWaiting = runs.some(isForGateway) && !(await runtime.isGatewayRunning());
  return (run) => (isWaiting && isForGateway(run) ? { waitsFor: 'gateway' } : {});
}

async function cancel(id: string, runtime: Runtime, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  await (await runtime.openBackground()).cancel(id);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { id, cancelled: true });
  terminal.out.write(`${id} is being ended\n`);
}

async function logs(id: string, runtime: Runtime, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  const run = await (await runtime.agentRuns()).get(id);
  if (!run) throw noSuchRun(id);
  const { sessionKeyOfRun } = await import('../../gateway/background-turn.ts');
  const session = await runtime.sessions.show(sessionKeyOfRun(run), 10);
  const since = run.startedAt === undefined ? undefined : new Date(run.startedAt).toISOString();
  const until = run.endedAt === undefined ? '9999' : new Date(run.endedAt).toISOString();
  const messages = (session?.messages ?? []).filter(
    ({ timestamp }) => since !== undefined && timestamp >= since && timestamp <= until,
  );
  if (wantsJson(terminal, flags)) return writeJson(terminal, { ...shown(run), messages });
  terminal.out.write(`${runLine(run, terminal)}\n`);
  for (const { role, content } of messages) terminal.out.write(`\n${role}:\n${printable(content)}\n`);
  if (run.error !== undefined) terminal.out.write(`\n${printable(run.error)}\n`);
}

function noSuchRun(id: string): CommandError {
  return new CommandError('AGENT_RUN_NOT_FOUND', `there is no run ${id}: "lainclaw agents status" lists them`);
}

function shown({ request: _, createdAt, startedAt, endedAt, ...run }: AgentRun): object {
  const at = (time: number | undefined): string | undefined =>
    time === undefined ? undefined : new Date(time).toISOString();
  return { ...run, createdAt: at(createdAt), startedAt: at(startedAt), endedAt: at(endedAt) };
}

function runLine(
  { id, name, state, message, createdAt, cancelRequested }: AgentRun,
  terminal: Terminal,
  { waitsFor }: WaitsFor = {},
): string {
  const colors = colorsFor(terminal.out, terminal);
  const colour =
    state === 'done' ? colors.green : ['failed', 'interrupted'].includes(state) ? colors.red : colors.yellow;
  const asked = message.replace(/\s+/g, ' ');
  const what = asked.length > SHOWN_MESSAGE ? `${asked.slice(0, SHOWN_MESSAGE)}…` : asked;
  const ending = cancelRequested && state === 'running' ? ' (ending)' : '';
  const waiting = waitsFor ? ' (waits for the gateway: lainclaw gateway start)' : '';
  return `${colors.dim(id)}  ${localTime(createdAt)}  ${colour(state + ending + waiting)}  ${colors.bold(printable(name))}  ${printable(what)}`;
}
