// Signals between gateways: NOTIFY on one channel, heard on a connection that nothing else uses. A signal only says that it is
// worth looking now. Nothing depends on it: after a lost connection everybody looks once the next one listens, and everybody looks
// now and then in any case.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Query } from './database.ts';
import { HOLD_KEY, LARGEST_KEY } from './presence-key.ts';

/** What a signal is about. */
export type Topic = 'inbox' | 'outbox' | 'jobs' | 'turns' | 'watchers' | 'commands' | 'locks';

export interface Signals {
  /**
   * Calls the listener when somebody signals the topic, and now and then in any case: every `pollMs` where something can happen that nobody signals, or while the
   * connection is lost; otherwise every fifth time. Returns what ends that.
   */
  on(topic: Topic, listener: () => void): () => void;
  /** Runs a statement on this connection, which waits for nothing else. Rejects while it is lost. */
  query: Query;
  /** False while the connection is lost: then only polling finds something. */
  readonly isListening: boolean;
  /** The key of the lock that the server frees when this connection ends (presence.ts). Undefined while the connection is lost. */
  readonly presence: number | undefined;
  /** Calls the listener whenever the connection was opened, also again. */
  onConnected(listener: () => void): void;
  close(): Promise<void>;
}

export interface SignalsOptions {
  connect(): Promise<Client>;
  pollMs?: number;
}

/** Every topic is signalled on it. */
export const CHANNEL = 'lainclaw';
const POLL_MS = 1_000;
/** A gateway that is lost signals nothing: what it had claimed becomes free, and its turns end. */
const UNSIGNALLED: ReadonlySet<Topic> = new Set(['inbox', 'watchers']);
const SIGNALLED_EVERY = 5;
const END_MS = 1_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;

/** Signals the topic when the transaction of this statement commits. */
export async function signal(query: Query, topic: Topic): Promise<void> {
  await query('SELECT pg_notify($1, $2)', [CHANNEL, topic]);
}

export function createSignals({ connect, pollMs = POLL_MS }: SignalsOptions): Signals {
  const listeners = new Map<Topic, Set<() => void>>();
  let connected: Promise<Client> | undefined;
  const connectedListeners = new Set<() => void>();
  let isListening = false;
  let presence: number | undefined;
  let isClosed = false;
  let retryMs = FIRST_RETRY_MS;
  let polling: NodeJS.Timeout | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let running = 0;
  let polls = 0;
  let answers = 0;
  let answersAtPoll = 0;

  function call(topic: Topic): void {
    for (const listener of listeners.get(topic) ?? []) listener();
  }

  function callAll(): void {
    for (const topic of listeners.keys()) call(topic);
  }

  function connection(): Promise<Client> {
    if (isClosed) return Promise.reject(new Error('the signals are closed'));
    if (connected) return connected;
    const opening: Promise<Client> = open(() => lost(opening));
    connected = opening;
    opening.catch(() => lost(opening));
    return opening;
  }

  /** `onLost` is of this client alone: one that ends late does not end its successor. */
  async function open(onLost: () => void): Promise<Client> {
    const client = await connect();
    client.on('end', onLost);
    client.on('error', onLost);
    client.on('notification', ({ payload }) => call(payload as Topic));
    const key = randomInt(1, LARGEST_KEY);
    let isKeyHeld = false;
    try {
      const [held] = await Promise.all([
        client.query<{ isHeld: boolean }>(HOLD_KEY, [key]),
        client.query(`LISTEN ${CHANNEL}`),
      ]);
      isKeyHeld = held.rows[0]?.isHeld ?? false;
    } catch (error) {
      drop(client);
      throw error;
    }
    isListening = true;
    presence = isKeyHeld ? key : undefined;
    retryMs = FIRST_RETRY_MS;
    // What was signalled while nobody listened.
    callAll();
    for (const listener of connectedListeners) listener();
    return client;
  }

  function lost(which: Promise<Client> | undefined): void {
    if (which === undefined || connected !== which) return;
    connected = undefined;
    isListening = false;
    presence = undefined;
    which.then(drop, () => {});
    if (isClosed || listeners.size === 0) return;
    retrying = setTimeout(() => void connection().catch(() => {}), retryMs).unref();
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  /** A connection that was cut looks open until something is sent. */
  function poll(): void {
    polls += 1;
    const isEveryTopic = !isListening || polls % SIGNALLED_EVERY === 0;
    for (const topic of listeners.keys()) if (isEveryTopic || UNSIGNALLED.has(topic)) call(topic);
    // Renewals of locks are sent on it more often than that.
    const isInUse = running > 0 || answers > answersAtPoll;
    answersAtPoll = answers;
    if (isInUse) return;
    void query('SELECT 1').catch(() => {});
  }

  async function run<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const opened = connection();
    const client = await opened;
    try {
      const { rows } = await client.query<Row>(text, [...values]);
      answers += 1;
      return rows;
    } catch (error) {
      // A statement that failed has a severity; without one it is the connection that failed.
      if (!(error as { severity?: string }).severity) lost(opened);
      throw error;
    }
  }

  /** One statement after the other. */
  const query: Query = async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    running += 1;
    const result = last.then(() => run<Row>(text, values));
    last = result.catch(() => {});
    try {
      return await result;
    } finally {
      running -= 1;
    }
  };

  return {
    on(topic, listener) {
      const own = listeners.get(topic) ?? new Set();
      listeners.set(topic, own.add(listener));
      polling ??= setInterval(poll, pollMs).unref();
      void connection().catch(() => {});
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(topic);
        if (listeners.size > 0) return;
        clearInterval(polling);
        polling = undefined;
      };
    },
    query,
    get isListening() {
      return isListening;
    },
    get presence() {
      return presence;
    },
    onConnected: (listener) => void connectedListeners.add(listener),
    async close() {
      isClosed = true;
      clearInterval(polling);
      clearTimeout(retrying);
      listeners.clear();
      const client = await connected?.catch(() => undefined);
      connected = undefined;
      isListening = false;
      presence = undefined;
      if (client) await Promise.race([client.end().catch(() => {}), sleep(END_MS, undefined, { ref: false })]);
      if (client) drop(client);
    },
  };
}

/** Ends a connection without waiting for the server, which may not answer. */
function drop(client: Client): void {
  void client.end().catch(() => {});
  // @types/pg leaves it out.
  (client as Client & { connection?: { stream?: { destroy(): void } } }).connection?.stream?.destroy();
}
