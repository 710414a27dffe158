import { localTime } from '../../lib/local-time.ts';
import { cancelAgentRun, getAgentRun, listAgentRuns, listAgents, readAgentRun } from '../../operations/agents.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, single, text, withOutput, workspace } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface AgentsFlags extends OutputFlags {
  workspace?: string;
  name?: string;
  limit?: number;
}

const SHOWN_MESSAGE = 60;

export const configureAgents: ConfigureCommand = (agents, terminal) => {
  withOutput(agents.command('list').description('List the sub-agents, and the files that cannot be used'))
    .addOption(workspace())
    .action((flags: AgentsFlags) => list(flags, terminal));
  withOutput(
    agents
      .command('status')
      .description('Show what runs in the background, and how it ended')
      .argument('[run]', 'one run'),
  )
    .addOption(single('--name <name>', 'of one sub-agent', text))
    .addOption(single('--limit <N>', 'how many, the newest first (default: 20)', integerFrom(1)))
    .action((id: string | undefined, flags: AgentsFlags) => status(id, flags, terminal));
  withOutput(agents.command('cancel').description('Stop a background run').argument('<run>')).action(
    (id: string, flags: AgentsFlags) => cancel(id, flags, terminal),
  );
  withOutput(agents.command('logs').description('Show the conversation of a background run').argument('<run>')).action(
    (id: string, flags: AgentsFlags) => logs(id, flags, terminal),
  );
  agents
    .command('work', { hidden: true })
    .description('Run what is queued, then end')
    .action(() =>
      withRuntime(terminal, async (runtime) => {
        // What answers into a chat is the gateway's to run.
        await (await runtime.gatewayAdmin()).control.wake().catch(() => {});
        await (await runtime.openBackground()).work(terminal.signal);
      }),
    );
};

async function list(flags: AgentsFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listAgents, {}, (found) => showAgents(found, flags, terminal), flags);
}

function showAgents({ agents, problems }: OutputOf<typeof listAgents>, flags: AgentsFlags, terminal: Terminal): void {
  for (const { path, reason } of problems) warn(terminal, `${path} cannot be used: ${reason}`);
  if (wantsJson(terminal, flags)) return void writeJson(terminal, { agents, problems });
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...agents.map(({ name }) => name.length));
  for (const { name, source, description, tools } of agents) {
    const allowed = tools === 'all' ? 'all tools' : tools.join(', ');
    terminal.out.write(`${colors.bold(name.padEnd(width))}  ${colors.dim(source)}  ${printable(description)}\n`);
    terminal.out.write(`${' '.repeat(width)}  ${colors.dim(printable(allowed))}\n`);
  }
}

async function status(
  id: string | undefined,
  { name, limit, ...flags }: AgentsFlags,
  terminal: Terminal,
): Promise<void> {
  if (id !== undefined)
    return runOperation(terminal, getAgentRun, { id }, (run) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, run);
      terminal.out.write(`${runLine(run, terminal)}\n${printable(run.result ?? run.error ?? '')}\n`);
    });
  await runOperation(terminal, listAgentRuns, { name, limit }, ({ runs }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { runs });
    if (runs.length === 0) terminal.out.write('nothing has run in the background yet\n');
    for (const run of runs) terminal.out.write(`${runLine(run, terminal)}\n`);
  });
}

async function cancel(id: string, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, cancelAgentRun, { id }, (cancelled) => {
    if (wantsJson(terminal, flags)) writeJson(terminal, cancelled);
    else terminal.out.write(`${id} is being ended\n`);
  });
}

async function logs(id: string, flags: AgentsFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, readAgentRun, { id }, ({ run, messages }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { ...run, messages });
    terminal.out.write(`${runLine(run, terminal)}\n`);
    for (const { role, content } of messages) terminal.out.write(`\n${role}:\n${printable(content)}\n`);
    if (run.error !== undefined) terminal.out.write(`\n${printable(run.error)}\n`);
  });
}

function runLine(
  { id, name, state, message, createdAt, cancelRequested, waitsFor }: OutputOf<typeof getAgentRun>,
  terminal: Terminal,
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
