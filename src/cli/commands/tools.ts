import type { Command } from 'commander';
import type { Approval, Mode } from '../../config/mode.ts';
import { DEEPEST_ARGS, isDeeperThan } from '../../lib/depth.ts';
import type { Operation, OutputOf } from '../../operations/operation.ts';
import { describeTool, invokeTool, listTools } from '../../operations/tools.ts';
import type { ToolArgs } from '../../tools/tool.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { approve, mode, single, text, toolAllow, withOutput, workspace } from '../flags.ts';
import { withoutShown } from '../live-output.ts';
import { type OperationView, runOperation } from '../run-operation.ts';
import { readStandardInputUnharmed } from '../standard-input.ts';
import { EXIT, type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { terminalPrompter } from '../terminal-prompter.ts';

interface ToolFlags extends OutputFlags {
  toolAllow?: string[];
  workspace?: string;
}

interface InvokeFlags extends ToolFlags {
  args?: string;
  mode?: Mode;
  approve?: Approval;
}

export const configureTools: ConfigureCommand = (tools, terminal, setExitCode) => {
  const withFlags = (command: Command): Command => withOutput(command.addOption(toolAllow()).addOption(workspace()));

  withFlags(tools.command('list').description('List the tools that can be called')).action((flags: ToolFlags) =>
    list(flags, terminal),
  );
  withFlags(
    tools.command('info').description('Describe a tool: its parameters and how it runs').argument('<name>'),
  ).action((name: string, flags: ToolFlags) => info(name, flags, terminal));
  withFlags(tools.command('invoke').description('Call a tool').argument('<name>'))
    .addOption(
      single('--args <json>', 'the arguments as a JSON object, @file, or - for standard input (default: {})', text),
    )
    .addOption(mode())
    .addOption(approve())
    .action(async (name: string, flags: InvokeFlags) => setExitCode(await invoke(name, flags, terminal)));
};

/** Runs an operation in the workspace that the flags choose, with the person at the terminal to ask. */
async function runInWorkspace<Input, Output>(
  terminal: Terminal,
  operation: Operation<Input, Output>,
  input: Input,
  show: (output: Output) => void,
  { flags, ...view }: OperationView & { flags: ToolFlags },
): Promise<void> {
  const person = await terminalPrompter(terminal);
  await runOperation(terminal, operation, input, show, { ...view, person, workspace: flags.workspace });
}

async function list(flags: ToolFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  const show = (tools: OutputOf<typeof listTools>): void => {
    if (asJson)
      return void writeJson(
        terminal,
        tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      );
    const colors = colorsFor(terminal.out, terminal);
    const width = Math.max(...tools.map(({ name }) => name.length));
    for (const { name, description } of tools)
      terminal.out.write(`${colors.bold(name.padEnd(width))}  ${description}\n`);
  };
  await runInWorkspace(terminal, listTools, { allow: flags.toolAllow }, show, { flags });
}

async function info(name: string, flags: ToolFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  const show = (facts: OutputOf<typeof describeTool>): void => {
    if (asJson) return void writeJson(terminal, facts);
    const { inputSchema, ...rest } = facts;
    for (const [key, value] of Object.entries(rest))
      terminal.out.write(`${key.padEnd(18)}  ${Array.isArray(value) ? value.join(', ') : value}\n`);
    terminal.out.write(`inputSchema\n${JSON.stringify(inputSchema, undefined, 2)}\n`);
  };
  await runInWorkspace(terminal, describeTool, { name, allow: flags.toolAllow }, show, { flags });
}

async function invoke(name: string, flags: InvokeFlags, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  const input = {
    name,
    args: parseArgs(await readArgs(flags.args ?? '{}', terminal)),
    allow: flags.toolAllow,
    mode: flags.mode ?? flags.approve,
  };
  const colors = colorsFor(terminal.err, terminal);
  let live = '';
  const showLive = (piece: string): void => {
    live += piece;
    terminal.err.write(colors.dim(printable(piece)));
  };
  let exit: number = EXIT.done;
  const show = ({ call, result, text: whole, nearest }: OutputOf<typeof invokeTool>): void => {
    if (asJson) writeJson(terminal, { call, result });
    else if (result.ok) {
      const told = withoutShown(whole, { before: '', result, live });
      if (told !== '') terminal.out.write(`${printable(told)}\n`);
    }
    if (result.ok) return;
    exit = EXIT.failed;
    const { code, message } = result.error;
    const hint = nearest === undefined ? '; "lainclaw tools list" shows what there is' : ` (did you mean ${nearest}?)`;
    terminal.err.write(`error ${code}: ${printable(message)}${code === 'tool_not_found' ? hint : ''}\n`);
  };
  const watched = !asJson && terminal.out.isTTY && terminal.err.isTTY;
  await runInWorkspace(terminal, invokeTool, input, show, { flags, onOutput: watched ? showLive : undefined });
  return exit;
}

const LARGEST_ARGS_BYTES = 10 * 1024 * 1024;

/** What `-` and `@file` mean. */
async function readArgs(given: string, terminal: Terminal): Promise<string> {
  if (given === '-') return readStandardInputUnharmed(terminal);
  if (!given.startsWith('@')) return given;
  const { readTextFile } = await import('../attachments.ts');
  return readTextFile(given.slice(1), { flag: '--args', limit: LARGEST_ARGS_BYTES }, terminal);
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
