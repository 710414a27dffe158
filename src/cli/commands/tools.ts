import type { Command } from 'commander';
import { DEEPEST_ARGS, isDeeperThan } from '../../lib/depth.ts';
import { nearest } from '../../lib/nearest.ts';
import { newId } from '../../lib/new-id.ts';
import type { Approval } from '../../tools/policy.ts';
import type { Registry } from '../../tools/registry.ts';
import type { ToolArgs, ToolCall } from '../../tools/tool.ts';
import type { Toolbox } from '../../tools/toolbox.ts';
import { colorsFor } from '../colors.ts';
import { CommandError } from '../command-error.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { approve, single, text, toolAllow, withOutput, workspace } from '../flags.ts';
import { withoutShown } from '../live-output.ts';
import { EXIT, type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { terminalPrompter } from '../terminal-prompter.ts';
import { withWorkspace } from '../with-runtime.ts';

interface ToolFlags extends OutputFlags {
  toolAllow?: string[];
  workspace?: string;
}

interface InvokeFlags extends ToolFlags {
  args?: string;
  approve?: Approval;
}

interface Opened {
  toolbox: Toolbox;
  registry: Registry;
}

export const configureTools: ConfigureCommand = (tools, terminal, setExitCode) => {
  const withFlags = (command: Command): Command => withOutput(command.addOption(toolAllow()).addOption(workspace()));

  withFlags(tools.command('list').description('every tool that can be called')).action((flags: ToolFlags) =>
    withToolbox(flags, terminal, (opened) => list(opened, flags, terminal)),
  );
  withFlags(tools.command('info').description('one tool: its parameters and how it runs').argument('<name>')).action(
    (name: string, flags: ToolFlags) => withToolbox(flags, terminal, (opened) => info(name, opened, flags, terminal)),
  );
  withFlags(tools.command('invoke').description('call a tool').argument('<name>'))
    .addOption(single('--args <json>', 'the arguments as a JSON object (default: {})', text))
    .addOption(approve())
    .action((name: string, flags: InvokeFlags) =>
      withToolbox(flags, terminal, async (opened) => setExitCode(await invoke(name, opened, flags, terminal))),
    );
};

async function withToolbox(
  flags: ToolFlags,
  terminal: Terminal,
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  wantsJson(terminal, flags);
  const person = await terminalPrompter(terminal);
  await withWorkspace(terminal, { ...person, root: flags.workspace }, async (workspace) => {
    const toolbox = await workspace.toolbox();
    await toolbox.refresh(terminal.signal);
    await use({ toolbox, registry: toolbox.visible(flags.toolAllow) });
  });
}

async function list({ toolbox, registry }: Opened, flags: ToolFlags, terminal: Terminal): Promise<void> {
  const tools = await toolbox.describe(registry.list());
  if (wantsJson(terminal, flags)) return writeJson(terminal, tools);
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...tools.map(({ name }) => name.length));
  for (const { name, description } of tools) terminal.out.write(`${colors.bold(name.padEnd(width))}  ${description}\n`);
}

async function info(name: string, opened: Opened, flags: ToolFlags, terminal: Terminal): Promise<void> {
  const spec = opened.registry.get(name);
  if (!spec) throw unknownTool(name, opened.registry);
  const [tool] = await opened.toolbox.describe([{ name, spec }]);
  const unavailable = await spec.unavailable?.();
  const facts = {
    ...tool,
    effect: spec.effect,
    requiresPermission: spec.requiresPermission,
    timeoutMs: spec.timeoutMs,
    cacheable: spec.fingerprint !== undefined,
    aliases: [spec.name, ...(spec.aliases ?? [])].filter((other) => other !== name),
    source: spec.name.startsWith('mcp__') ? 'mcp' : 'builtin',
    available: unavailable === undefined,
    ...(unavailable !== undefined && { unavailableBecause: unavailable }),
  };
  if (wantsJson(terminal, flags)) return writeJson(terminal, facts);
  const { inputSchema, ...rest } = facts;
  for (const [key, value] of Object.entries(rest))
    terminal.out.write(`${key.padEnd(18)}  ${Array.isArray(value) ? value.join(', ') : value}\n`);
  terminal.out.write(`inputSchema\n${JSON.stringify(inputSchema, undefined, 2)}\n`);
}

async function invoke(
  name: string,
  { toolbox, registry }: Opened,
  flags: InvokeFlags,
  terminal: Terminal,
): Promise<number> {
  const call: ToolCall = { id: newId('call'), name, args: parseArgs(flags.args ?? '{}'), source: 'cli' };
  const asJson = wantsJson(terminal, flags);
  const colors = colorsFor(terminal.err, terminal);
  let live = '';
  const showLive = (text: string): void => {
    live += text;
    terminal.err.write(colors.dim(printable(text)));
  };
  const watched = !asJson && terminal.out.isTTY && terminal.err.isTTY;
  const { result, text } = await toolbox
    .executor({ registry, approval: flags.approve ?? 'ask' })
    .execute(call, terminal.signal, watched ? showLive : undefined);
  if (asJson) writeJson(terminal, { call, result });
  else if (result.ok) {
    const told = withoutShown(text, { before: '', result, live });
    if (told !== '') terminal.out.write(`${printable(told)}\n`);
  }
  if (result.ok) return EXIT.done;
  const close = result.error.code === 'tool_not_found' ? suggestion(name, registry) : '';
  terminal.err.write(`error ${result.error.code}: ${printable(result.error.message)}${close}\n`);
  return EXIT.failed;
}

function parseArgs(source: string): ToolArgs {
  let value: unknown;
  let problem = 'it must be a JSON object';
  try {
    value = JSON.parse(source);
  } catch (error) {
    problem = (error as Error).message;
  }
  if (isDeeperThan(value, DEEPEST_ARGS)) problem = 'it is nested too deeply';
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isDeeperThan(value, DEEPEST_ARGS)) {
    throw new UsageError(
      `--args '${source.slice(0, 200)}' is not accepted: ${problem}. Accepted: a JSON object such as '{"path":"README.md"}'`,
    );
  }
  return value as ToolArgs;
}

function unknownTool(name: string, registry: Registry): CommandError {
  return new CommandError('tool_not_found', `there is no tool "${name}" here${suggestion(name, registry)}`);
}

function suggestion(name: string, registry: Registry): string {
  const close = nearest(
    name,
    registry.list().map((tool) => tool.name),
  );
  return close ? ` (did you mean ${close}?)` : '; "lainclaw tools list" shows what there is';
}
