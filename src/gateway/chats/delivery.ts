// Delivers the outbox: chats beside each other, within a chat one message after the other. What could not be sent is
// tried again, later each time; what the platform limits waits as long as it says, with everything of that bot; what it
// will never take becomes a dead letter and lets the next one through; so does a message whose readers were revoked while it
// waited. Each bot has its own places: one that hangs takes none from another.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, ChannelError, type SentMessage } from '../../channels/channel.ts';
import { joinSignals } from '../../lib/joined-signal.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { AppendAudit, AuditEvent } from '../../storage/audit.ts';
import type { Mailbox, OutboxMessage } from '../../storage/mailbox.ts';
import { StorageError } from '../../storage/storage.ts';
import { type BotKey, type ChatKey, chatName } from '../../vocabulary/chat-name.ts';
import { reasonText } from '../../vocabulary/reasons.ts';
import { type ChatLog, nameOf } from './chat.ts';
import type { Outgoing } from './outgoing.ts';
import { sendPicture } from './pictures.ts';

const AT_ONCE = 16;
/** Whatever the channel does: then the outcome is unknown. */
const SENT_WITHIN_MS = 120_000;
/** Shorter than what is left of a lock that was just said to be held. */
const FRESH_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const LONGEST_SLEEP_MS = 60_000;
/** A failure that is nobody's word (a defect) is not believed in for ever. */
const UNEXPLAINED_ATTEMPTS = 10;
const REVOKED = 'nobody in this chat is admitted any more ("lainclaw pairing list" shows who is)';

export interface DeliveryOptions {
  mailbox: Mailbox;
  /** Records each message before it leaves. */
  audit: AppendAudit;
  channels: readonly Channel[];
  /** Whether anybody in this chat is still admitted; asked right before each message is sent. */
  mayReceive(chat: ChatKey): Promise<boolean>;
  /** Whether no other gateway has taken over the bots; asked before each message is recorded and sent, and again when recording took long. */
  isStillOurs?(): Promise<boolean>;
  now(): number;
  random(): number;
  log: ChatLog;
}

export interface Delivery {
  /** Something was put into the outbox. */
  wake(): void;
  /** Resolves when the message is sent. */
  whenSent(message: Pick<OutboxMessage, 'key' | 'chat'>, signal: AbortSignal): Promise<SentMessage>;
  /** Resolves when nothing is left that could be sent now. */
  settled(signal: AbortSignal): Promise<void>;
  /** Sends nothing more through this channel; what is left of it stays in the outbox. Resolves when nothing of it is under way. */
  leave(channel: string): Promise<void>;
  /** Sends nothing more. Resolves when nothing is under way. */
  stop(): Promise<void>;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { mailbox, audit, channels, mayReceive, isStillOurs = async () => true, now, random, log } = options;
  const stopping = new AbortController();
  const waiters = new Map<string, (sent: SentMessage) => void>();
  const settlers = new Set<() => void>();
  let bots = channels.map((channel) => ({
    channel,
    key: { channel: channel.name, account: channel.account } satisfies BotKey,
    underWay: new Map<string, Promise<void>>(),
    /** Keys of what ended since the outbox was last asked: its answer may be older. */
    endedSince: new Set<string>(),
  }));
  type SendingBot = (typeof bots)[number];
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  function wake(): void {
    if (stopping.signal.aborted) return;
    lookAgain = true;
    looking ??= look().finally(() => {
      looking = undefined;
      if (lookAgain) wake();
    });
  }

  async function look(): Promise<void> {
    lookAgain = false;
    clearTimeout(timer);
    try {
      for (const bot of bots) await begin(bot);
      const idle = bots.filter(({ underWay }) => underWay.size === 0);
      if (idle.length === bots.length) for (const settle of settlers) settle();
      const nextAt = await Promise.all(idle.map(({ key }) => mailbox.nextDueAt(key)));
      // What is under way counts as due, so for a bot that sends, another chat's message is looked for now and then.
      if (idle.length < bots.length) nextAt.push(now() + FIRST_RETRY_MS);
      const soonest = Math.min(...nextAt.map((at) => at ?? Number.POSITIVE_INFINITY));
      lookIn(Math.min(LONGEST_SLEEP_MS, Math.max(0, soonest - now())));
    } catch (error) {
      log(`the outbox cannot be read: ${(error as Error).message}`, { level: 'warn' });
      lookIn(FIRST_RETRY_MS);
    }
  }

  function lookIn(ms: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(wake, ms);
    timer.unref();
  }

  async function begin(bot: SendingBot): Promise<void> {
    const { underWay, endedSince, key } = bot;
    if (underWay.size >= AT_ONCE) return;
    endedSince.clear();
    // What is under way is still the first of its chat.
    for (const message of await mailbox.due(now(), AT_ONCE + underWay.size, key)) {
      const name = nameOf(message.chat);
      if (underWay.has(name) || endedSince.has(message.key)) continue;
      if (underWay.size >= AT_ONCE || stopping.signal.aborted) return;
      const sending = deliver(message, bot.channel).finally(() => {
        underWay.delete(name);
        endedSince.add(message.key);
        wake();
      });
      underWay.set(name, sending);
    }
  }

  async function deliver(message: OutboxMessage, channel: Channel): Promise<void> {
    const until = joinSignals(stopping.signal);
    const late = setTimeout(() => until.abort(), SENT_WITHIN_MS).unref();
    try {
      const outgoing = JSON.parse(message.body) as Outgoing;
      if (!outgoing.isForStranger && !(await mayReceive(message.chat))) throw new ChannelError('rejected', REVOKED);
      // Another gateway sends it, when this one was frozen and lost the bot meanwhile; this delivery will be stopped.
      if (!(await recordIfOurs(messageEvent(message, outgoing), until.signal))) return await waitToRetry();
      const sending = outgoing.picture
        ? sendPicture(channel, message, outgoing.picture, until.signal)
        : sendOrReplace(channel, message, outgoing, until.signal);
      const sent = await orAborted(sending, until.signal);
      await untilStored(() => mailbox.sent(message.key, sent.messageId, now()));
      waiters.get(message.key)?.(sent);
    } catch (error) {
      if (stopping.signal.aborted) return;
      // Nothing was sent, and nothing is wrong with the message: this is not an attempt.
      if (error instanceof StorageError) {
        log(`a message waits for the storage: ${error.message}`, { level: 'warn', chat: message.chat });
        return await waitToRetry();
      }
      const isLate = until.signal.aborted;
      const told = isLate ? new ChannelError('unknown-outcome', 'the platform did not answer in time') : error;
      await untilStored(() => afterFailure(message, told));
    } finally {
      clearTimeout(late);
      until.release();
    }
  }

  /**
   * Records that the message leaves, if this gateway may send it at the moment when this resolves: an answer of the storage that is old by then counts for nothing,
   * because this process may have been frozen after it was given. False also when `signal` has fired: a channel that does not heed it would send the message.
   */
  async function recordIfOurs(event: AuditEvent, signal: AbortSignal): Promise<boolean> {
    for (let isRecorded = false; !signal.aborted; ) {
      const askedAt = monotonicMs();
      if (!(await isStillOurs())) return false;
      if (!isRecorded) await audit([event]);
      isRecorded = true;
      if (monotonicMs() - askedAt < FRESH_MS) return !signal.aborted;
    }
    return false;
  }

  /** What became of a message must be on record before the next of its chat: else it would be sent again. */
  async function untilStored(store: () => Promise<void>): Promise<void> {
    do {
      try {
        return await store();
      } catch (error) {
        log(`the outbox cannot be written: ${(error as Error).message}`, { level: 'warn' });
        await waitToRetry();
      }
    } while (!stopping.signal.aborted);
  }

  async function waitToRetry(): Promise<void> {
    await sleep(FIRST_RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }

  async function afterFailure(message: OutboxMessage, error: unknown): Promise<void> {
    const { key, chat, attempts } = message;
    const code = error instanceof ChannelError ? error.code : undefined;
    const told = error instanceof Error ? error.message : String(error);
    if (code === 'rejected' || (code === undefined && attempts + 1 >= UNEXPLAINED_ATTEMPTS)) {
      log(`a message was given up: ${told}`, { level: 'warn', chat });
      await mailbox.die(key, told, now());
      return;
    }
    const retryAfterMs = error instanceof ChannelError ? error.retryAfterMs : undefined;
    const at = now();
    const dueAt = at + (retryAfterMs ?? backOff(attempts, random));
    await mailbox.retryAt(key, dueAt, told, at);
    if (code === 'rate-limited') await mailbox.holdBack(chat, dueAt, at);
    if (attempts === 0) log(`a message will be sent again: ${told}`, { level: 'warn', chat });
  }

  return {
    wake,
    async whenSent({ key }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<SentMessage>();
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      waiters.set(key, resolve);
      try {
        return await promise;
      } finally {
        waiters.delete(key);
        signal.removeEventListener('abort', onAbort);
      }
    },
    async settled(signal) {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      settlers.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      wake();
      await promise;
      settlers.delete(resolve);
    },
    async leave(channel) {
      const left = bots.filter(({ key }) => key.channel === channel);
      bots = bots.filter((bot) => !left.includes(bot));
      await looking;
      await Promise.allSettled(left.flatMap(({ underWay }) => [...underWay.values()]));
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await looking;
      await Promise.allSettled(bots.flatMap(({ underWay }) => [...underWay.values()]));
    },
  };
}

/** Also where a channel does not heed its signal. */
async function orAborted<T>(sending: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([sending, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const SHOWN_CHARACTERS = 200;

function messageEvent({ key, chat, attempts }: OutboxMessage, { markdown }: Outgoing): AuditEvent {
  const about = `${markdown.length} characters: ${markdown.slice(0, SHOWN_CHARACTERS)}`;
  const why = attempts > 0 ? reasonText('later-attempt', { number: attempts + 1 }) : reasonText('first-attempt');
  return { kind: 'message', who: 'lainclaw', what: chatName(chat), about, outcome: 'allowed', why, call: key };
}

async function sendOrReplace(
  channel: Channel,
  { key, chat: { chatId, threadId } }: OutboxMessage,
  { replaces, markdown, replyTo, buttons }: Outgoing,
  signal: AbortSignal,
): Promise<SentMessage> {
  if (replaces !== undefined) {
    try {
      await channel.edit({ chatId, messageId: replaces }, { markdown, buttons }, signal);
      return { chatId, messageId: replaces };
    } catch (error) {
      // Somebody deleted it, or it is too old to be changed.
      if (!(error instanceof ChannelError) || error.code !== 'rejected') throw error;
    }
  }
  return channel.send({ key, chatId, threadId, markdown, replyTo, buttons }, signal);
}

/** Doubles each time, within a third of it by chance, so that many do not come back at once. */
function backOff(attempts: number, random: () => number): number {
  const full = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 20));
  return Math.round(full * (2 / 3 + random() / 3));
}
