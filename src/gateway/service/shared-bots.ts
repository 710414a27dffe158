// The bots of gateways that share one storage. Each bot is run by the gateway that holds its lock: it alone is connected to the
// platform, takes the bot's messages, answers them and sends what waits. The others stand by. When the lock of a bot is lost or its
// gateway dies, the next one acquires it, connects, and takes up what is unfinished as after a crash: messages are claimed under the
// lock, so what the former gateway still tries with them changes nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence, Lock, Locks } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { BotKey } from '../../vocabulary/chat-name.ts';
import type { ChannelGateway, ChannelGatewayStatus } from '../channel-gateway.ts';

export interface SharedBotsDependencies {
  bots: readonly BotKey[];
  locks: Locks;
  mailbox: Pick<Mailbox, 'counts' | 'deadLetters' | 'revive'>;
  /** The gateway of one bot, not started: opened again each time that this process gets the bot. */
  open(bot: BotKey, claimant: Fence): Promise<ChannelGateway>;
  /** Queues a text for a bot that another gateway runs. */
  queue: ChannelGateway['send'];
  now(): number;
  log(level: 'info' | 'warn', message: string, bot: BotKey): void;
  limits?: Partial<SharedBotsLimits>;
}

export interface SharedBotsLimits {
  /** How often this gateway looks for what others queued for its bots. */
  lookMs: number;
  /** Before a bot is tried again that could not be started. */
  retryMs: number;
}

const DEFAULT_LIMITS: SharedBotsLimits = { lookMs: 2_000, retryMs: 5_000 };
const SHOWN_DEAD_LETTERS = 1_000;

interface SharedBot {
  bot: BotKey;
  /** While this process runs it. */
  gateway: ChannelGateway | undefined;
  standbySince: number;
  /** Why it could not be started here when it was this gateway's. */
  problem: string | undefined;
  ended: AbortController;
  /** Resolves when it is neither run nor waited for. */
  running: Promise<void>;
  /** Ends a drain at once. */
  patience: AbortSignal;
}

export function createSharedBots(dependencies: SharedBotsDependencies): ChannelGateway {
  const { locks, mailbox, open, queue, now, log } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  const shared: SharedBot[] = dependencies.bots.map((bot) => ({
    bot,
    gateway: undefined,
    standbySince: now(),
    problem: undefined,
    ended: new AbortController(),
    running: Promise.resolve(),
    patience: AbortSignal.abort(),
  }));
  let looking: NodeJS.Timeout | undefined;

  const wake = (): void => {
    for (const { gateway } of shared) gateway?.wake();
  };

  /** Runs the bot until its lock is lost or this process ends. Rejects when it cannot be started. */
  async function run(each: SharedBot, lock: Lock, onStarted: () => void): Promise<void> {
    const { bot, ended } = each;
    const over = AbortSignal.any([ended.signal, lock.lost]);
    let gateway: ChannelGateway | undefined;
    try {
      gateway = await open(bot, lock);
      await gateway.start(over);
      each.gateway = gateway;
      each.problem = undefined;
      onStarted();
      await fired(over);
    } finally {
      each.gateway = undefined;
      each.standbySince = now();
      // Who lost the bot must not answer any more; who ends lets its turns end first.
      await gateway?.drain(lock.lost.aborted ? AbortSignal.abort() : each.patience).catch(() => {});
      await lock.release();
    }
  }

  async function runAndStandBy(each: SharedBot, first: Lock | undefined, onFirst: () => void): Promise<void> {
    const { bot, ended } = each;
    if (first) await run(each, first, onFirst);
    while (!ended.signal.aborted) {
      log('info', 'another gateway runs this bot; standing by', bot);
      try {
        const onWait = (): void => {
          // Another gateway has it, and runs it or says why not.
          each.problem = undefined;
        };
        const lock = await locks.acquire(lockName(bot), { signal: ended.signal, isLasting: true, onWait });
        await run(each, lock, () => log('info', 'this gateway runs the bot now', bot));
      } catch (error) {
        if (ended.signal.aborted) return;
        each.problem = (error as Error).message;
        log('warn', `could not be started here: ${each.problem}`, bot);
        await sleep(limits.retryMs, undefined, { signal: ended.signal }).catch(() => {});
      }
    }
  }

  /** Resolves once the bot runs here, or another gateway has it. */
  async function begin(each: SharedBot): Promise<void> {
    const lock = await locks.tryAcquire(lockName(each.bot), { isLasting: true });
    const { promise: isBegun, resolve, reject } = Promise.withResolvers<void>();
    each.running = runAndStandBy(each, lock, resolve).catch((error: Error) => {
      reject(error);
      log('warn', error.message, each.bot);
    });
    if (lock) await isBegun;
  }

  async function end(chosen: readonly SharedBot[], patience: AbortSignal): Promise<void> {
    for (const each of chosen) {
      each.patience = patience;
      each.ended.abort();
    }
    await Promise.all(chosen.map(({ running }) => running));
  }

  return {
    async start(signal) {
      signal.throwIfAborted();
      try {
        await Promise.all(shared.map(begin));
      } catch (error) {
        await end(shared, AbortSignal.abort());
        throw error;
      }
      looking = setInterval(wake, limits.lookMs).unref();
    },

    async status() {
      const [counts, ...each] = await Promise.all([mailbox.counts(), ...shared.map(statusOf)]);
      return {
        channels: each.flatMap(({ channels }) => channels),
        mailbox: counts,
        runningTurns: each.reduce((sum, { runningTurns }) => sum + runningTurns, 0),
      };
    },

    send(chat, markdown, key) {
      const own = shared.find(({ bot }) => bot.channel === chat.channel && bot.account === chat.account);
      return (own?.gateway?.send ?? queue)(chat, markdown, key);
    },
    wake,
    deadLetters: () => mailbox.deadLetters(SHOWN_DEAD_LETTERS),
    async revive(key) {
      const revived = await mailbox.revive(key, now());
      wake();
      return revived;
    },

    async stopChannel(channel, signal) {
      const chosen = shared.filter(({ bot, ended }) => bot.channel === channel && !ended.signal.aborted);
      await end(chosen, signal);
      return chosen.length > 0;
    },

    async drain(signal) {
      clearInterval(looking);
      await end(shared, signal);
    },
  };
}

async function statusOf({
  bot,
  gateway,
  standbySince,
  problem,
  ended,
}: SharedBot): Promise<Pick<ChannelGatewayStatus, 'channels' | 'runningTurns'>> {
  if (gateway) return gateway.status();
  const state = ended.signal.aborted ? 'closed' : problem === undefined ? 'standby' : 'disconnected';
  const lastError = problem === undefined ? {} : { lastError: problem };
  return { channels: [{ ...bot, state, since: standbySince, reconnects: 0, ...lastError }], runningTurns: 0 };
}

function lockName({ channel, account }: BotKey): string {
  return `bot:${channel}/${account}`;
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
