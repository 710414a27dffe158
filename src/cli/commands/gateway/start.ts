import { keepMemorySmall } from '../../../config/lasting-process.ts';
import { startArguments } from '../../../gateway/service/start-arguments.ts';
import type { DaemonWord } from '../../../gateway/service/start-daemon.ts';
import { channelsSetUp, startGateway } from '../../../operations/gateway.ts';
import type { OutputOf } from '../../../operations/operation.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { colorsFor } from '../../colors.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { settingsIn } from './flags.ts';
import { logLine } from './log-line.ts';

export interface StartFlags extends OutputFlags {
  channel?: string[];
  daemon?: boolean;
  /** This process is the one in the background. */
  background?: boolean;
  [setting: string]: unknown;
}

export async function startDaemon(flags: StartFlags, terminal: Terminal): Promise<void> {
  const input = { channels: flags.channel, settings: settingsIn(flags) };
  await runOperation(terminal, startGateway, input, (state) => tell(state, flags, terminal));
}

/** The gateway in this process, until a signal or a command ends it. */
export async function start(runtime: Runtime, flags: StartFlags, terminal: Terminal): Promise<void> {
  const admin = await runtime.gatewayAdmin();
  const warnHere = (text: string): void => {
    if (!flags.background) warn(terminal, text);
  };
  const channels = flags.channel
    ? [...new Set(flags.channel)]
    : await channelsSetUp(admin, { runtime, warn: warnHere });
  keepMemorySmall();
  // One message: the process that started this one waits for it.
  const tellParent = (message: DaemonWord): void => {
    if (flags.background) terminal.tellParent(message);
  };
  try {
    await admin.run(
      {
        version: terminal.environment.version,
        command: ['lainclaw', ...startArguments(channels, settingsIn(flags))].join(' '),
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

export function tell(state: OutputOf<typeof startGateway>, flags: OutputFlags, terminal: Terminal): void {
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
