// Chats as lanes: within a chat one batch after the other, in the order in which people wrote; chats beside each other, up
// to a limit; `fair-order.ts` says which of the waiting ones is next. A burst is joined: a batch begins when nobody has written for a moment, or when the
// first of it has waited long enough. A batch that fails is tried again, and holds up nobody but its own chat.
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { botName, type ChatLimits, type ChatMessage, nameOf } from './chat.ts';
import { createFairOrder, type WaitingChat } from './fair-order.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** After so many failures in a row, counted from 0. */
export function retryWaitMs(failures: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
}

/** Messages that are answered together. */
export interface Batch {
  chat: ChatKey;
  messages: readonly ChatMessage[];
  /** Set once a turn has begun with them, in this process or in an earlier one. */
  turnId?: string;
}

export interface LanesOptions {
  limits: ChatLimits;
  /** Resolves when the batch is done with for good. When it rejects it is called again later, with the same batch. */
  handle(batch: Batch): Promise<void>;
  /** A message that is handled by itself: it has no neighbours in its batch. */
  standsAlone(message: ChatMessage): boolean;
  onFailure(batch: Batch, error: unknown): void;
}

export interface Lanes {
  add(message: ChatMessage): void;
  /** A turn that an earlier process had begun; before anything else of its chat. */
  addBegun(batch: Batch): void;
  readonly running: number;
  /** The place of the chat's batch is given to others while this is waited for. */
  whileWaiting<T>(chat: ChatKey, wait: () => Promise<T>): Promise<T>;
  waitingIn(chat: ChatKey): readonly ChatMessage[];
  /** Also those of batches that had begun and are to be tried again. */
  countIn(chat: ChatKey): number;
  /** Takes such messages as wait in a chat out of it. */
  discard(chat: ChatKey, isMeant: (message: ChatMessage) => boolean): ChatMessage[];
  /** The same with batches of nothing but such messages that are to be tried again. */
  withdraw(chat: ChatKey, isMeant: (message: ChatMessage) => boolean): Withdrawn;
  /** From now on batches begin. */
  open(): void;
  /** Begins no other batch of this channel. Resolves when none of it is running; what waits stays on record. */
  closeChannel(channel: string): Promise<void>;
  /** Begins no other batch. Resolves when none is running. */
  stop(): Promise<void>;
}

export interface Withdrawn {
  messages: readonly ChatMessage[];
  /** They wait again, in their places. */
  putBack(): void;
}

interface Lane {
  chat: ChatKey;
  begun: Batch[];
  waiting: ChatMessage[];
  firstAt: number;
  lastAt: number;
  /** In a row; the next attempt waits accordingly. */
  failures: number;
  retryAt: number;
  state: 'idle' | 'timed' | 'ready' | 'running';
  /** Of the batch that waits for a place or runs. */
  place: WaitingChat;
  timer?: NodeJS.Timeout;
}

export function createLanes({ limits, handle, standsAlone, onFailure }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const ready: Lane[] = [];
  const order = createFairOrder();
  let places = 0;
  let running = 0;
  let isOpen = false;
  let whenIdle = (): void => {};
  const closed = new Map<string, () => void>();
  const isRunningIn = (channel: string): boolean =>
    lanes.values().some(({ chat, state }) => chat.channel === channel && state === 'running');

  function laneOf(chat: ChatKey): Lane {
    const name = nameOf(chat);
    const found = lanes.get(name);
    if (found) return found;
    const lane: Lane = {
      chat,
      begun: [],
      waiting: [],
      firstAt: 0,
      lastAt: 0,
      failures: 0,
      retryAt: 0,
      state: 'idle',
      place: { bot: botName(chat), person: '', isOwner: false, waitsSince: 0 },
    };
    lanes.set(name, lane);
    return lane;
  }

  function schedule(lane: Lane): void {
    if (lane.state === 'running' || lane.state === 'ready' || !isOpen || closed.has(lane.chat.channel)) return;
    clearTimeout(lane.timer);
    if (lane.begun.length === 0 && lane.waiting.length === 0) {
      lanes.delete(nameOf(lane.chat));
      return;
    }
    const now = performance.now();
    const quietAt = Math.min(lane.lastAt + limits.debounceMs, lane.firstAt + limits.debounceMaxMs);
    const waitMs = Math.max(lane.retryAt - now, lane.begun.length > 0 ? 0 : quietAt - now);
    if (waitMs <= 0) {
      lane.state = 'ready';
      lane.place = placeOf(lane, order.starts);
      ready.push(lane);
      startReady();
      return;
    }
    lane.state = 'timed';
    lane.timer = setTimeout(() => {
      lane.state = 'idle';
      schedule(lane);
    }, waitMs);
  }

  function startReady(): void {
    while (places < limits.concurrentTurns && ready.length > 0 && isOpen) {
      const [lane] = ready.splice(order.next(ready.map(({ place }) => place)), 1);
      if (lane) void run(lane);
    }
  }

  function count(place: WaitingChat, by: 1 | -1): void {
    places += by;
    order.count(place, by);
  }

  async function run(lane: Lane): Promise<void> {
    lane.state = 'running';
    running += 1;
    const { place } = lane;
    order.start(place);
    count(place, 1);
    // What stays behind has waited already.
    const batch = lane.begun.shift() ?? { chat: lane.chat, messages: takeBatch(lane.waiting, { limits, standsAlone }) };
    try {
      if (batch.messages.length > 0) await handle(batch);
      lane.failures = 0;
    } catch (error) {
      // Whatever it had come to, the next attempt takes it up from what is on record.
      lane.begun.unshift(batch);
      lane.retryAt = performance.now() + retryWaitMs(lane.failures);
      lane.failures += 1;
      onFailure(batch, error);
    }
    running -= 1;
    count(place, -1);
    lane.state = 'idle';
    schedule(lane);
    startReady();
    if (running === 0) whenIdle();
    const { channel } = lane.chat;
    if (!isRunningIn(channel)) closed.get(channel)?.();
  }

  function add(message: ChatMessage): void {
    const lane = laneOf(message.chat);
    const now = performance.now();
    if (lane.waiting.length === 0) lane.firstAt = now;
    lane.lastAt = now;
    const { order } = message.message;
    const behind = lane.waiting.findLastIndex((other) => other.message.order <= order);
    lane.waiting.splice(behind + 1, 0, message);
    schedule(lane);
  }

  function discard(chat: ChatKey, isMeant: (message: ChatMessage) => boolean): ChatMessage[] {
    const lane = lanes.get(nameOf(chat));
    const dropped = lane?.waiting.filter(isMeant) ?? [];
    if (lane) lane.waiting = lane.waiting.filter((message) => !dropped.includes(message));
    return dropped;
  }

  return {
    add,
    addBegun(batch) {
      const lane = laneOf(batch.chat);
      lane.begun.push(batch);
      schedule(lane);
    },
    get running() {
      return running;
    },
    async whileWaiting(chat, wait) {
      const { place } = laneOf(chat);
      count(place, -1);
      startReady();
      try {
        return await wait();
      } finally {
        count(place, 1);
      }
    },
    waitingIn: (chat) => lanes.get(nameOf(chat))?.waiting ?? [],
    countIn(chat) {
      const { begun = [], waiting = [] } = lanes.get(nameOf(chat)) ?? {};
      return begun.reduce((sum, { messages }) => sum + messages.length, waiting.length);
    },
    discard,
    withdraw(chat, isMeant) {
      const lane = lanes.get(nameOf(chat));
      const batches = lane?.begun.filter(({ messages }) => messages.every(isMeant)) ?? [];
      const waiting = discard(chat, isMeant);
      if (lane && batches.length > 0) {
        lane.begun = lane.begun.filter((batch) => !batches.includes(batch));
        // It was the batch that failed: what was written behind it is tried at once.
        lane.retryAt = 0;
        lane.failures = 0;
        schedule(lane);
      }
      return {
        messages: [...batches.flatMap(({ messages }) => messages), ...waiting],
        putBack() {
          const again = laneOf(chat);
          again.begun.unshift(...batches);
          schedule(again);
          for (const message of waiting) add(message);
        },
      };
    },
    open() {
      isOpen = true;
      const now = performance.now();
      for (const lane of [...lanes.values()]) {
        // What an earlier process left may have a neighbour that is only now delivered.
        lane.firstAt = now;
        lane.lastAt = now;
        schedule(lane);
      }
    },
    async closeChannel(channel) {
      const { promise, resolve } = Promise.withResolvers<void>();
      closed.set(channel, resolve);
      for (const lane of lanes.values()) if (lane.chat.channel === channel) clearTimeout(lane.timer);
      for (const lane of ready.filter(({ chat }) => chat.channel === channel)) {
        ready.splice(ready.indexOf(lane), 1);
        lane.state = 'idle';
      }
      if (isRunningIn(channel)) await promise;
    },
    async stop() {
      isOpen = false;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
    },
  };
}

function placeOf({ chat, begun, waiting }: Lane, starts: number): WaitingChat {
  const first = begun[0]?.messages[0] ?? waiting[0];
  return {
    bot: botName(chat),
    person: JSON.stringify([chat.channel, chat.account, first?.message.sender.id]),
    isOwner: first?.isOwner ?? false,
    waitsSince: starts,
  };
}

/** Removes the messages that are answered together from the beginning of a chat's waiting ones, and returns them. */
export function takeBatch(
  waiting: ChatMessage[],
  { limits, standsAlone }: Pick<LanesOptions, 'limits' | 'standsAlone'>,
): ChatMessage[] {
  const [first, ...others] = waiting;
  if (!first) return [];
  let joined = 1;
  for (const other of standsAlone(first) ? [] : others) {
    if (joined >= limits.joinedMessages || standsAlone(other) || !belongTogether(first, other)) break;
    joined += 1;
  }
  return waiting.splice(0, joined);
}

/** Written by one person, in the same kind of chat, with the same rights. */
export function belongTogether(a: ChatMessage, b: ChatMessage): boolean {
  return (
    a.isOwner === b.isOwner && a.message.sender.id === b.message.sender.id && a.message.chatKind === b.message.chatKind
  );
}
