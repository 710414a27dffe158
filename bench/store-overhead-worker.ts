// The process whose turns are timed: the whole gateway with a channel in memory, on the store that it is given. Messages arrive at an even rate, whether
// earlier ones are answered or not. It prints how long each took until its answer was sent, and what of processor and statements they needed.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Channel, Receive } from '../src/channels/channel.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { newId } from '../src/lib/new-id.ts';
import { createRuntime } from '../src/runtime/runtime.ts';
import { createLocalStorage } from '../src/storage/local/local-storage.ts';
import { isStillHeld } from '../src/storage/locks.ts';
import { createPostgresStorage } from '../src/storage/postgres/postgres-storage.ts';

const [home = '', baseUrl = '', store = '', rate = '100', count = '1'] = process.argv.slice(2);
const CHATS = 64;
/** Compiled code, connections and the first session of each chat are made once. */
const WARM_UP_TURNS_A_CHAT = 5;
const COUNTED_TURNS = 40;
/** The work behind the answers is done when so few statements are sent in such a time. */
const QUIET_MS = 2_000;
const QUIET_STATEMENTS = 12;
const LONGEST_SETTLE_MS = 120_000;
const KEY = 'ab'.repeat(32);

/** How often each statement was sent. */
const statements = new Map<string, number>();
/** How often a connection was waited for: statements that are sent together share one. */
let roundTrips = 0;
const underWay = new WeakMap<object, number>();
const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]): Promise<unknown> {
  const [first] = args;
  const text = typeof first === 'string' ? first : String((first as { text?: string })?.text ?? '');
  statements.set(text, (statements.get(text) ?? 0) + 1);
  const before = underWay.get(this) ?? 0;
  if (before === 0) roundTrips += 1;
  underWay.set(this, before + 1);
  return query.apply(this, args).finally(() => underWay.set(this, (underWay.get(this) ?? 1) - 1));
} as unknown as typeof pg.Client.prototype.query;

function createTimedChannel() {
  const status = { state: 'connected', since: Date.now(), reconnects: 0 } as const;
  /** When the messages of each chat were written that have no answer yet. */
  const waiting = new Map<string, number[]>();
  const times: number[] = [];
  let receive: Receive = async () => {};
  let written = 0;
  let left = 0;
  let done = (): void => {};

  async function write(): Promise<void> {
    const id = `${home}-${written}`;
    const chatId = `${home}-${written % CHATS}`;
    written += 1;
    waiting.set(chatId, [...(waiting.get(chatId) ?? []), performance.now()]);
    await receive({
      id,
      chatId,
      chatKind: 'direct',
      isAddressed: true,
      sender: { id: chatId },
      order: written,
      sentAt: Date.now(),
      text: 'steps 0',
      files: [],
    });
  }

  const channel: Channel = {
    name: 'local',
    account: 'default',
    isIdempotent: true,
    hasButtons: false,
    async connect(listener) {
      receive = listener;
    },
    split: (markdown) => [markdown],
    async send({ chatId, key }) {
      // Messages that wait while a turn runs are answered together.
      const answered = waiting.get(chatId) ?? [];
      waiting.delete(chatId);
      for (const at of answered) times.push(performance.now() - at);
      left -= answered.length;
      if (left === 0) done();
      return { chatId, messageId: key };
    },
    edit: async () => {},
    showWorking: async () => {},
    download: async () => new Uint8Array(),
    status: () => status,
    close: async () => {},
  };

  /** Resolves with the time of each, in milliseconds. */
  async function converse(messages: number, aSecond: number): Promise<number[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    done = resolve;
    left = messages;
    times.length = 0;
    const started = performance.now();
    let begun = 0;
    const beginDue = (): void => {
      const due = Math.min(messages, Math.floor(((performance.now() - started) * aSecond) / 1_000) + 1);
      for (; begun < due; begun += 1) void write();
      if (begun < messages) setTimeout(beginDue, 1);
    };
    beginDue();
    await promise;
    return [...times];
  }
  return { channel, converse };
}

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

async function main(): Promise<void> {
  const variables = {
    LAINCLAW_HOME: home,
    LAINCLAW_API_KEY: 'none',
    LAINCLAW_STORE_KEY: KEY,
    ...(store && { LAINCLAW_STORE: store }),
  };
  const environment = readEnvironment({ variables, cwd: home });
  const runtime = await createRuntime({ environment, warn: console.error });
  const workspace = await runtime.openWorkspace({ baseUrl });
  const { channel, converse } = createTimedChannel();
  const local = createLocalStorage({ home, now: Date.now });
  const { locks } = store ? createPostgresStorage({ url: store, local, key: KEY, now: Date.now, newId }) : local;
  const claimant = await locks.acquire('bot:local/default');
  const gateway = await workspace.channelGateway({
    claimant,
    channels: [channel],
    admit: async () => ({ allowed: true }),
    mayReceive: async () => true,
    ...(store && {
      isStillOurs: () => isStillHeld(locks, claimant),
      isOursSince: (since: number) => locks.isHeldSince(claimant, since),
    }),
    settings: async () => ({
      turn: { provider: 'openai-compatible', model: 'fake', caps: {}, withTools: true, toolMaxSteps: 5, mode: 'ask' },
      groups: true,
    }),
    limits: { debounceMs: 0, debounceMaxMs: 0, concurrentTurns: CHATS },
    log: (text, { level } = {}) => void (level && console.error(text)),
  });
  await gateway.start(new AbortController().signal);
  await converse(CHATS * WARM_UP_TURNS_A_CHAT, Number(rate));

  const before = process.cpuUsage();
  const times = await converse(Number(count), Number(rate));
  const { user, system } = process.cpuUsage(before);
  // What a turn sends when nothing else happens: one message after the other, once the work behind the earlier answers is done.
  const settledBy = performance.now() + LONGEST_SETTLE_MS;
  do {
    statements.clear();
    await sleep(QUIET_MS);
  } while (sum(statements.values()) > QUIET_STATEMENTS && performance.now() < settledBy);
  statements.clear();
  roundTrips = 0;
  for (let turn = 0; turn < COUNTED_TURNS; turn += 1) await converse(1, 1);
  await gateway.drain(AbortSignal.timeout(20_000));
  const counted = {
    roundTrips: roundTrips / COUNTED_TURNS,
    statements: Object.fromEntries([...statements].map(([text, sent]) => [text, sent / COUNTED_TURNS])),
  };
  console.log(JSON.stringify({ times, cpuMs: (user + system) / 1_000, ...counted }));
  await runtime.close();
  process.exit();
}

void main();
