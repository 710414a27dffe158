// The chats that this gateway handles where several share them. What waits is in the mailbox alone; a gateway with a free place looks which chats nobody
// has claimed, chooses the next one in the fair order, and claims it. Claiming decides: of several gateways that choose the same chat one gets it. A claim is
// for one batch; what else the chat holds is released, so that each turn passes through the order.
//
// It looks when a message was stored, when a place becomes free, when a chat has been quiet for long enough, and now and then. The gateway that is connected to
// the platform comes first: the others take what it leaves for a moment, so that files of a quiet bot stay on one machine.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, UnclaimedChat } from '../../storage/cluster.ts';
import type { UnfinishedMessage } from '../../storage/mailbox.ts';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import { botName, type ChatLimits, nameOf } from './chat.ts';
import { nextInOrder, type WaitingChat } from './fair-order.ts';
import type { Inbox } from './inbox.ts';
import { type Batch, type LanesOptions, retryWaitMs, takeBatch } from './lanes.ts';
import { sortUnfinished } from './unfinished-messages.ts';

/** How long the others leave a chat to the gateway that is connected to its platform. */
const CONNECTED_FIRST_MS = 150;

export interface SharedLanesOptions extends LanesOptions {
  cluster: Pick<Cluster, 'unclaimedChats' | 'countStart'>;
  inbox: Pick<Inbox, 'claim' | 'release' | 'finish'>;
  bots: readonly BotKey[];
  limits: ChatLimits;
  isConnectedHere(bot: BotKey): boolean;
  onProblem(text: string): void;
  now(): number;
}

export interface SharedLanes {
  /** It is worth looking now. */
  look(): void;
  readonly running: number;
  whileWaiting<T>(chat: ChatKey, wait: () => Promise<T>): Promise<T>;
  open(): void;
  /** Begins no other batch of this channel. Resolves when none of it is running. */
  closeChannel(channel: string): Promise<void>;
  /** Begins no other batch. Resolves when none is running. */
  stop(): Promise<void>;
}

export function createSharedLanes(options: SharedLanesOptions): SharedLanes {
  const { cluster, inbox, limits, isConnectedHere, handle, standsAlone, onFailure, onProblem, now } = options;
  const running = new Map<string, { chat: ChatKey; ended: Promise<void> }>();
  /** The database did not say whether they were claimed: a second claim returns what the first one got. */
  const uncertain = new Map<string, UnclaimedChat>();
  const stopped = new AbortController();
  let bots = options.bots;
  let places = 0;
  let starts = 0;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;

  function look(): void {
    if (!isOpen) return;
    lookAgain = true;
    looking ??= lookUntilQuiet().finally(() => {
      looking = undefined;
      if (lookAgain) look();
    });
  }

  async function lookUntilQuiet(): Promise<void> {
    while (lookAgain && isOpen) {
      lookAgain = false;
      await fill().catch((error: Error) => onProblem(`the inbox cannot be read: ${error.message}`));
    }
  }

  /** Takes chats until every place is used or nothing waits that could begin now. */
  async function fill(): Promise<void> {
    if (places >= limits.concurrentTurns || bots.length === 0) return;
    clearTimeout(timer);
    const found = (await cluster.unclaimedChats(bots)).filter(
      ({ chat }) => !running.has(nameOf(chat)) && !uncertain.has(nameOf(chat)),
    );
    const ready = [...uncertain.values(), ...found.filter((each) => quietInMs(each) <= 0)];
    const soonest = Math.min(...found.map(quietInMs).filter((ms) => ms > 0));
    if (Number.isFinite(soonest)) timer = setTimeout(look, soonest).unref();
    const order = orderOf(ready);
    while (isOpen && places < limits.concurrentTurns && ready.length > 0) {
      const [next] = ready.splice(order.next(ready), 1);
      if (!next) return;
      const messages = await claim(next);
      if (messages.length === 0) continue;
      order.start(next);
      begin(next, messages);
    }
  }

  /** How long the chat must still be left alone: people write several messages in a row. */
  function quietInMs({ chat, isBegun, firstMs, lastMs }: UnclaimedChat): number {
    if (isBegun) return 0;
    const left = Math.min(limits.debounceMs - lastMs, limits.debounceMaxMs - firstMs);
    return isConnectedHere(chat) ? left : left + CONNECTED_FIRST_MS;
  }

  async function claim(next: UnclaimedChat): Promise<UnfinishedMessage[]> {
    const name = nameOf(next.chat);
    uncertain.set(name, next);
    const messages = await inbox.claim({ chat: next.chat });
    uncertain.delete(name);
    return messages;
  }

  function begin({ chat, person }: UnclaimedChat, messages: readonly UnfinishedMessage[]): void {
    const name = nameOf(chat);
    places += 1;
    starts += 1;
    void cluster.countStart(chat, person).catch(() => {});
    const ended = run(chat, messages)
      .catch((error: Error) => onProblem(error.message))
      .finally(() => {
        running.delete(name);
        places -= 1;
        look();
      });
    running.set(name, { chat, ended });
  }

  async function run(chat: ChatKey, messages: readonly UnfinishedMessage[]): Promise<void> {
    const { refused, begun, waiting } = sortUnfinished(messages);
    const batches = begun.length > 0 ? begun : [{ chat, messages: takeBatch(waiting, { limits, standsAlone }) }];
    const rest = waiting.map(({ message: { id } }) => ({ chat, id }));
    await untilDone({ chat, messages: [] }, async () => {
      for (const { message, replies } of refused) await inbox.finish([message], replies, now());
      if (rest.length > 0) await inbox.release(rest);
    });
    for (const batch of batches) if (batch.messages.length > 0) await untilDone(batch, () => handle(batch));
  }

  /** The claim lasts until it has succeeded: nobody else would. */
  async function untilDone(batch: Batch, work: () => Promise<void>): Promise<void> {
    for (let failures = 0; !stopped.signal.aborted; failures += 1) {
      try {
        return await work();
      } catch (error) {
        onFailure(batch, error);
        await whileWaiting(() => sleep(retryWaitMs(failures), undefined, { signal: stopped.signal }).catch(() => {}));
      }
    }
  }

  async function whileWaiting<T>(wait: () => Promise<T>): Promise<T> {
    places -= 1;
    look();
    try {
      return await wait();
    } finally {
      places += 1;
    }
  }

  /** The fair order over all gateways, from what the storage said, and what begins here meanwhile. */
  function orderOf(found: readonly UnclaimedChat[]) {
    const taken = new Map<string, number>();
    const lastStarts = new Map<string, number>();
    for (const each of found) {
      taken.set(botName(each.chat), each.botPlaces);
      taken.set(personOf(each), each.personPlaces);
      lastStarts.set(personOf(each), each.lastStart);
    }
    return {
      next: (ready: readonly UnclaimedChat[]): number =>
        nextInOrder(ready.map(waitingChatOf), {
          starts,
          placesOf: (name) => taken.get(name) ?? 0,
          lastStartOf: (person) => lastStarts.get(person) ?? 0,
        }),
      start(each: UnclaimedChat): void {
        for (const name of [botName(each.chat), personOf(each)]) taken.set(name, (taken.get(name) ?? 0) + 1);
        // Later than anything that the storage knows.
        lastStarts.set(personOf(each), Number.MAX_SAFE_INTEGER - 1_000_000 + starts);
      },
    };
  }

  const allEnded = async (isMeant: (chat: ChatKey) => boolean): Promise<void> => {
    await Promise.all([...running.values()].filter(({ chat }) => isMeant(chat)).map(({ ended }) => ended));
  };

  return {
    look,
    get running() {
      return running.size;
    },
    whileWaiting: (_chat, wait) => whileWaiting(wait),
    open() {
      isOpen = true;
      look();
    },
    async closeChannel(channel) {
      bots = bots.filter((bot) => bot.channel !== channel);
      await looking;
      await allEnded((chat) => chat.channel === channel);
    },
    async stop() {
      isOpen = false;
      clearTimeout(timer);
      stopped.abort();
      await looking;
      await allEnded(() => true);
    },
  };
}

function personOf({ chat: { channel, account }, person }: UnclaimedChat): string {
  return JSON.stringify([channel, account, person]);
}

function waitingChatOf(each: UnclaimedChat): WaitingChat {
  return { bot: botName(each.chat), person: personOf(each), isOwner: each.isOwner, waitsSince: each.waitsSince };
}
