import { NO_MODEL_ADVICE } from '../../../gateway/service/no-model-advice.ts';
import { counted } from '../../../lib/counted.ts';
import { localTime } from '../../../lib/local-time.ts';
import { gatewayStatus, retryDeadLetters } from '../../../operations/gateway.ts';
import type { OutputOf } from '../../../operations/operation.ts';
import { placeName } from '../../../vocabulary/chat-name.ts';
import { colorsFor } from '../../colors.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';

export interface StatusFlags extends OutputFlags {
  channel?: string;
}

type Running = Extract<OutputOf<typeof gatewayStatus>, { status: 'running' }>;

export async function status({ channel, ...flags }: StatusFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, gatewayStatus, {}, (found) => {
    if (found.status === 'running' && (!channel || found.channels.includes(channel))) {
      if (wantsJson(terminal, flags)) return writeJson(terminal, found);
      return void terminal.out.write(described(found, terminal));
    }
    const { statePath, logPath } = found;
    if (wantsJson(terminal, flags)) return writeJson(terminal, { status: 'stopped', statePath, logPath });
    const running = found.status === 'running' ? `: the gateway runs with ${found.channels.join(', ')}` : '';
    terminal.out.write(`${channel ? `${channel} is stopped${running}` : 'stopped'}\n`);
  });
}

function described(told: Running, terminal: Terminal): string {
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

export async function retry(key: string | undefined, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, retryDeadLetters, { key }, ({ retried }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { retried });
    terminal.out.write(
      retried === 0 ? 'there are no dead letters\n' : `${counted(retried, 'message')} to send again\n`,
    );
  });
}
