import type { GatewayChannel } from '../../../config/gateway/settings.ts';
import { keepMemorySmall } from '../../../config/lasting-process.ts';
import type { GatewayAdmin } from '../../../gateway/service/gateway-admin.ts';
import type { ServiceState } from '../../../gateway/service/service-state.ts';
import type { DaemonWord } from '../../../gateway/service/start-daemon.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { colorsFor } from '../../colors.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { flagsOf, settingsIn } from './flags.ts';
import { logLine } from './log-line.ts';

export interface StartFlags extends OutputFlags {
  channel?: GatewayChannel[];
  daemon?: boolean;
  /** This process is the one in the background. */
  background?: boolean;
  [setting: string]: unknown;
}

export async function start(runtime: Runtime, flags: StartFlags, terminal: Terminal): Promise<void> {
  const admin = await runtime.gatewayAdmin();
  const arguments_ = startArguments(flags);
  if (!flags.background) await sayChannel(admin, flags, terminal);
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
        channels: channelsOf(flags),
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

/** Feishu is started when no channel is named; someone who has set up another one meant that. */
async function sayChannel(admin: GatewayAdmin, { channel }: StartFlags, terminal: Terminal): Promise<void> {
  if (channel) return;
  const { channels } = await admin.settingsFile.read();
  const others = Object.keys(channels).filter((name) => name !== 'feishu');
  if (!channels.feishu && others.length > 0)
    warn(terminal, `starting feishu, the channel when none is named; for ${others.join(', ')}: --channel ${others[0]}`);
}

/** The arguments that start the same gateway again. */
export function startArguments(flags: StartFlags): string[] {
  return ['gateway', 'start', ...channelsOf(flags).map((name) => `--channel=${name}`), ...flagsOf(settingsIn(flags))];
}

export function channelsOf({ channel = ['feishu'] }: StartFlags): GatewayChannel[] {
  return [...new Set(channel)];
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
  terminal.out.write(`${green('✓')} the gateway runs: ${state.channels.join(', ')} (pid ${state.pid})\n`);
  terminal.out.write(`  log: ${printable(state.logPath)}\n`);
}

function showLine(line: string, terminal: Terminal): void {
  const { err } = terminal;
  if (!err.isTTY) err.write(`${line}\n`);
  // Why it could not start is the last word of the command.
  else if (!line.includes('"event":"failed"')) err.write(logLine(line, colorsFor(err, terminal)));
}
