import { keepMemorySmall } from '../../../config/lasting-process.ts';
import type { GatewayAdmin } from '../../../gateway/service/gateway-admin.ts';
import type { ServiceState } from '../../../gateway/service/service-state.ts';
import type { DaemonWord } from '../../../gateway/service/start-daemon.ts';
import { isSetUp } from '../../../gateway/settings/resolve.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { colorsFor } from '../../colors.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { flagsOf, flagsOfChannels, settingsIn } from './flags.ts';
import { logLine } from './log-line.ts';

export interface StartFlags extends OutputFlags {
  channel?: string[];
  daemon?: boolean;
  /** This process is the one in the background. */
  background?: boolean;
  [setting: string]: unknown;
}

export async function start(runtime: Runtime, flags: StartFlags, terminal: Terminal): Promise<void> {
  const admin = await runtime.gatewayAdmin();
  const channels = await chooseChannels(admin, flags, terminal);
  const arguments_ = startArguments(channels, flags);
  if (flags.daemon) return tell(await startInBackground(admin, arguments_, terminal), flags, terminal);
  keepMemorySmall();
  // One message: the process that started this one waits for it.
  const tellParent = (message: DaemonWord): void => {
    if (flags.background) terminal.tellParent(message);
  };
  try {
    await admin.run(
      {
        version: terminal.environment.version,
        command: ['lainclaw', ...arguments_].join(' '),
        flags: settingsIn(flags),
        channels,
        onLogLine: flags.background ? () => {} : (line) => showLine(line, terminal),
        onReady: (state) => tellParent({ type: 'ready', state }),
      },
      terminal.signal,
    );
  } catch (error) {
    const { code = 'INTERNAL', message } = error as Error & { code?: string };
    tellParent({ type: 'failed', code: String(code), message });
    throw error;
  }
}

/** Those that are named, otherwise those that are set up. */
export async function chooseChannels(
  { settingsFile, channels }: GatewayAdmin,
  { channel, background }: StartFlags,
  terminal: Terminal,
): Promise<string[]> {
  if (channel) return [...new Set(channel)];
  const file = await settingsFile.read();
  const setUp = [...channels.values()].filter((each) => isSetUp(each, file, terminal.environment));
  if (setUp.length === 0 && !background)
    warn(
      terminal,
      'no channel is set up, so no bot runs: only scheduled jobs, background runs and the control API. To connect one: lainclaw gateway config set --channel telegram botToken=- (or --channel feishu), then start it again',
    );
  return setUp.map(({ name }) => name);
}

/** The arguments that start the same gateway again. */
export function startArguments(channels: readonly string[], flags: StartFlags): string[] {
  return ['gateway', 'start', ...flagsOfChannels(channels), ...flagsOf(settingsIn(flags))];
}

export async function startInBackground(
  admin: GatewayAdmin,
  args: readonly string[],
  terminal: Terminal,
): Promise<ServiceState> {
  const { startDaemon } = await import('../../../gateway/service/start-daemon.ts');
  return startDaemon({
    command: [...terminal.environment.program, ...args, '--background'],
    environment: terminal.environment.variables,
    cwd: terminal.environment.cwd,
    logPath: admin.states.logPath,
    signal: terminal.signal,
  });
}

export function tell(state: ServiceState, flags: OutputFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) {
    writeJson(terminal, { status: 'running', ...state });
    return;
  }
  const { green } = colorsFor(terminal.out, terminal);
  terminal.out.write(
    `${green('✓')} the gateway runs: ${state.channels.join(', ') || 'no channel'} (pid ${state.pid})\n`,
  );
  terminal.out.write(`  log: ${printable(state.logPath)}\n`);
}

function showLine(line: string, terminal: Terminal): void {
  const { err } = terminal;
  if (!err.isTTY) err.write(`${line}\n`);
  // Why it could not start is the last word of the command.
  else if (!line.includes('"event":"failed"')) err.write(logLine(line, colorsFor(err, terminal)));
}
