// One command from argv to exit code. Every way a command can fail ends here, as a line on stderr and a code.

import { CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { ConfigureCommand } from './configure-command.ts';
import { expandSwitches } from './flags.ts';
import type { Host } from './host.ts';
import { createProgram } from './program.ts';
import { EXIT, printable, type Terminal, UsageError, writeJson } from './terminal.ts';

const SWITCHES = { memory: ['on', 'off'], 'with-tools': ['true', 'false'], groups: ['true', 'false'] } as const;
/** The commands that know them. */
const WITH_SWITCHES = ['ask', 'chat', 'gateway', 'setup'];

/**
 * Resolves with the exit code once the command has ended. Everything ambient comes from `host`, so it can run many times in one
 * process. `replaced` puts other commands under the names of the program's own.
 */
export async function main(
  written: readonly string[],
  host: Host,
  replaced: Readonly<Record<string, ConfigureCommand>> = {},
): Promise<number> {
  const cancel = new AbortController();
  const onClosed = (): void => cancel.abort();
  const terminal: Terminal = {
    environment: host.environment,
    input: host.input,
    out: host.openOutput(1, onClosed),
    err: host.openOutput(2, onClosed),
    signal: cancel.signal,
    cancelledExit: () => (cancel.signal.reason === 'SIGTERM' ? EXIT.terminated : EXIT.cancelled),
    interrupt: host.interrupt,
    kill: host.kill,
    tellParent: host.tellParent,
  };
  const stopListening = cancelOnSignals(cancel, host);
  let exitCode: number = EXIT.done;
  let argv = written;
  try {
    argv = await expandArguments(written, terminal);
    const program = await createProgram({
      version: host.environment.version,
      terminal,
      commandName: argv[0],
      replaced,
      setExitCode: (code) => (exitCode = code),
    });
    await program.parseAsync(WITH_SWITCHES.includes(argv[0] ?? '') ? expandSwitches(argv, SWITCHES) : argv, {
      from: 'user',
    });
    return exitCode;
  } catch (error) {
    return report(error, terminal, argv);
  } finally {
    stopListening();
  }
}

/** The command behind short forms: `help ask`, and none at all. */
async function expandArguments(written: readonly string[], terminal: Terminal): Promise<readonly string[]> {
  // Only the command that is named is loaded, so that "help" must name it too.
  if (written[0] === 'help') return [...written.slice(1), '--help'];
  if (written.length > 0) return written;
  const isOnTerminal = terminal.input.kind() === 'terminal' && terminal.out.isTTY && terminal.err.isTTY;
  if (!isOnTerminal || terminal.environment.variables.TERM === 'dumb') return ['--help'];
  const { firstCommand } = await import('./setup/first-command.ts');
  return [await firstCommand(terminal)];
}

/** The first signal ends the turn cleanly, a second one ends the process. */
function cancelOnSignals(cancel: AbortController, host: Host): () => void {
  return host.onSignal((signal) => {
    if (cancel.signal.aborted) return host.exit(signal === 'SIGINT' ? EXIT.cancelled : EXIT.terminated);
    cancel.abort(signal);
  });
}

/** An operation refused a value that was given to it: that is wrong usage. */
const REFUSED_VALUES: ReadonlySet<string> = new Set([
  'INVALID_INPUT',
  'AUTH_UNKNOWN_PROVIDER',
  'EMPTY_QUERY',
  'MEMORY_BAD_DATE',
  'MEMORY_BAD_KEY',
  'MEMORY_BAD_SCOPE',
]);

function report(error: unknown, terminal: Terminal, argv: readonly string[]): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  // Help that was printed because a subcommand is missing says all there is to say.
  if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage;
  const { signal } = terminal;
  const { code, message } = signal.aborted
    ? { code: 'CANCELLED', message: 'the command was cancelled' }
    : explain(error);
  // The library has printed its own message already.
  if (!(error instanceof CommanderError)) terminal.err.write(`error ${code}: ${printable(message)}\n`);
  if (error instanceof UsageError && error.usage) terminal.err.write(`usage: ${error.usage}\n`);
  const wantsText = argv.includes('--text') || (terminal.out.isTTY && !argv.includes('--json'));
  // A result that could not be written will not be written by trying again.
  if (!wantsText && code !== 'OUTPUT_FAILED') {
    writeJson(terminal, { success: false, ...(signal.aborted && { stage: 'cancelled' }), error: { code, message } });
  }
  if (signal.aborted) return terminal.cancelledExit();
  return error instanceof UsageError || error instanceof CommanderError || REFUSED_VALUES.has(code)
    ? EXIT.usage
    : EXIT.failed;
}

function explain(error: unknown): { code: string; message: string } {
  if (error instanceof UsageError || error instanceof CodedError || error instanceof ConfigError) return error;
  if (error instanceof CommanderError) return { code: 'USAGE', message: error.message.replace(/^error: /, '') };
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') {
    return { code: 'NO_HANDLES', message: 'too many open files: close some programs or raise "ulimit -n"' };
  }
  // A defect of ours: the trace helps to repair it.
  return { code: 'INTERNAL', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
