import { NO_MODEL_ADVICE } from '../../../gateway/service/no-model-advice.ts';
import { ServiceError } from '../../../gateway/service/service-error.ts';
import type { ServiceState } from '../../../gateway/service/service-state.ts';
import type { ServiceStatus } from '../../../gateway/service/service-status.ts';
import { localTime } from '../../../lib/local-time.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { placeName } from '../../../vocabulary/chat-name.ts';
import { colorsFor } from '../../colors.ts';
import { CommandError } from '../../command-error.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';

export interface StatusFlags extends OutputFlags {
  channel?: string;
}

type Told =
  | { status: 'stopped' }
  | ({ status: 'running' } & ServiceState &
      Partial<Omit<ServiceStatus, 'channels'>> & {
        connections?: ServiceStatus['channels'];
        notAnswering?: string;
      });

export async function status(runtime: Runtime, flags: StatusFlags, terminal: Terminal): Promise<void> {
  const { states, control } = await runtime.gatewayAdmin();
  const state = await states.running();
  if (!state || (flags.channel && !state.channels.includes(flags.channel))) {
    const told = { status: 'stopped', statePath: states.statePath, logPath: states.logPath };
    if (wantsJson(terminal, flags)) return writeJson(terminal, told);
    const running = state ? `: the gateway runs with ${state.channels.join(', ')}` : '';
    return void terminal.out.write(`${flags.channel ? `${flags.channel} is stopped${running}` : 'stopped'}\n`);
  }
  const told = await askIt(state, () => control.status(terminal.signal), terminal);
  if (wantsJson(terminal, flags)) return writeJson(terminal, told);
  terminal.out.write(described(told, terminal));
}

async function askIt(state: ServiceState, ask: () => Promise<ServiceStatus>, { signal }: Terminal): Promise<Told> {
  try {
    const { channels: connections, ...rest } = await ask();
    return { status: 'running', ...state, ...rest, connections };
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    // It may have ended in between.
    if (error.code === 'GATEWAY_NOT_RUNNING') return { status: 'stopped' };
    return { status: 'running', ...state, notAnswering: error.message };
  }
}

function described(told: Told, terminal: Terminal): string {
  if (told.status === 'stopped') return 'stopped\n';
  const { bold, dim, green, yellow, red } = colorsFor(terminal.out, terminal);
  const up = told.uptimeMs === undefined ? '' : `${uptime(told.uptimeMs)}, `;
  const lines = [
    `${green('running')} since ${localTime(told.startedAt)} (${up}pid ${told.pid}, version ${told.version})`,
  ];
  if (told.notAnswering !== undefined) lines.push(red(printable(told.notAnswering)));
  if (told.phase !== undefined && told.phase !== 'running') lines.push(yellow(told.phase));
  if (told.channels.length === 0) lines.push('no channel: scheduled jobs and background runs only');
  for (const { channel, account, state, since, lastEventAt, lastError, reconnects } of told.connections ?? []) {
    const paint = state === 'connected' ? green : yellow;
    const facts = [
      `since ${localTime(since)}`,
      lastEventAt === undefined ? 'no event yet' : `last event ${localTime(lastEventAt)}`,
      ...(reconnects > 0 ? [counted(reconnects, 'reconnect')] : []),
    ];
    lines.push(`${bold(`${channel}/${account}`.padEnd(16))}  ${paint(state)} ${facts.join(', ')}`);
    if (lastError !== undefined) lines.push(yellow(printable(`  ${lastError}`)));
  }
  if (told.mailbox) {
    const { inbox, outbox, dead } = told.mailbox;
    lines.push(
      `${inbox} to handle, ${told.runningTurns ?? 0} being handled, ${outbox} to send, ${counted(dead, 'dead letter')}`,
    );
  }
  for (const { key, channel, chatId, threadId, attempts, lastError } of told.deadLetters ?? [])
    lines.push(
      red(
        printable(
          `  ${key}  to ${channel}:${placeName({ chatId, threadId })}, ${counted(attempts, 'attempt')}: ${lastError ?? ''}`,
        ),
      ),
    );
  if (told.noModel) lines.push(yellow(NO_MODEL_ADVICE));
  if (told.settings?.problem !== undefined)
    lines.push(red(printable(`gateway.json is not used: ${told.settings.problem}`)));
  if (told.settings && told.settings.restartNeeded.length > 0)
    lines.push(yellow(`after "lainclaw gateway restart": ${told.settings.restartNeeded.join(', ')}`));
  if (told.memory) lines.push(dim(`${Math.round(told.memory.rssBytes / 1024 / 1024)} MB, log ${told.logPath}`));
  return `${lines.join('\n')}\n`;
}

function uptime(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export async function retry(
  runtime: Runtime,
  key: string | undefined,
  flags: OutputFlags,
  terminal: Terminal,
): Promise<void> {
  const retried = await (await runtime.gatewayAdmin()).control.retry(key, terminal.signal);
  if (retried === 0 && key !== undefined)
    throw new CommandError('DEAD_LETTER_NOT_FOUND', `there is no dead letter "${key}": gateway status lists them`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { retried });
  terminal.out.write(retried === 0 ? 'there are no dead letters\n' : `${counted(retried, 'message')} to send again\n`);
}
