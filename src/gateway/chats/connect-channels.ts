// Connects channels to their platforms. Refused credentials end the start. A platform that cannot be reached now is reached later, and holds up no other.
import type { Channel } from '../../channels/channel.ts';
import { botName, type ChatLimits, type ChatLog } from './chat.ts';
import type { Reception } from './receive.ts';

export interface ConnectOptions {
  channels: readonly Channel[];
  reception: Pick<Reception, 'receiveFrom'>;
  limits: Pick<ChatLimits, 'connectMs'>;
  /** Fires when the gateway closes. */
  ending: AbortSignal;
  log: ChatLog;
}

export async function connectChannels(options: ConnectOptions, signal: AbortSignal): Promise<void> {
  const { channels, reception, limits, ending, log } = options;
  const waiting = new Set(channels);
  let isReady = false;
  const connecting = channels.map(async (each) => {
    const bot = botName({ channel: each.name, account: each.account });
    try {
      await each.connect(reception.receiveFrom(each), signal);
      waiting.delete(each);
      if (isReady) log(`${bot}: connected`);
    } catch (error) {
      const reason = `${bot}: ${error instanceof Error ? error.message : error}`;
      if (!isReady) throw new Error(reason, { cause: error });
      if (!ending.aborted) log(reason, { level: 'warn' });
    }
  });
  const all = Promise.all(connecting);
  await Promise.race([all, aborted(AbortSignal.timeout(limits.connectMs))]);
  isReady = true;
  for (const { name, account } of waiting)
    log(`${botName({ channel: name, account })}: not connected yet; it keeps trying`, { level: 'warn' });
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
