// The process whose turns are counted: the whole gateway with a channel in memory. Each chat writes its next message when the last
// one is answered. It tells how long the turns took, what of processor and disk they needed, and how much was resident.
import { join } from 'node:path';
import type { Channel, Receive } from '../src/channels/channel.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { keepMemorySmall } from '../src/config/lasting-process.ts';
import { createRuntime } from '../src/runtime/runtime.ts';
import { createLocks } from '../src/storage/local/locks.ts';
import { median } from './bench.ts';

const [home = '', baseUrl = '', chats = '1', count = '1'] = process.argv.slice(2);
/** Compiled code, connections and the first session of each chat are made once. */
const WARM_UP_TURNS_A_CHAT = 10;
const LOOK_MS = 50;

/** Of `count-syncs.mjs`, which is loaded before this file. */
declare const countedSyncs: () => number;

/** Resolves when `turns` messages are answered, each chat's one after the other. */
type Converse = (turns: number) => Promise<void>;

function createCountingChannel(): { channel: Channel; converse: Converse } {
  const status = { state: 'connected', since: Date.now(), reconnects: 0 } as const;
  let receive: Receive = async () => {};
  let written = 0;
  let wanted = 0;
  let answered = 0;
  let done = (): void => {};

  async function write(chatId: string): Promise<void> {
    if (written >= wanted) return;
    written += 1;
    await receive({
      id: `m${written}`,
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
      answered += 1;
      if (answered === wanted) done();
      else void write(chatId);
      return { chatId, messageId: key };
    },
    edit: async () => {},
    showWorking: async () => {},
    download: async () => new Uint8Array(),
    status: () => status,
    close: async () => {},
  };
  return {
    channel,
    async converse(turns) {
      const { promise, resolve } = Promise.withResolvers<void>();
      done = resolve;
      wanted += turns;
      for (let chat = 0; chat < Number(chats); chat += 1) void write(`chat${chat}`);
      await promise;
    },
  };
}

async function main(): Promise<void> {
  // As `gateway start` does before it opens anything.
  keepMemorySmall();
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, cwd: home });
  const runtime = await createRuntime({ environment, warn: console.error });
  const workspace = await runtime.openWorkspace({ baseUrl });
  const { channel, converse } = createCountingChannel();
  const gateway = await workspace.channelGateway({
    claimant: await createLocks(join(home, 'locks')).acquire('gateway-service'),
    channels: [channel],
    admit: async () => ({ allowed: true }),
    mayReceive: async () => true,
    settings: async () => ({
      turn: {
        provider: 'openai-compatible',
        model: 'fake',
        caps: {},
        withTools: true,
        toolMaxSteps: 5,
        mode: 'ask',
      },
      groups: true,
    }),
    limits: { debounceMs: 0, debounceMaxMs: 0 },
    log: (text, { level } = {}) => void (level && console.error(text)),
  });
  await gateway.start(new AbortController().signal);
  await converse(Number(chats) * WARM_UP_TURNS_A_CHAT);

  const resident: number[] = [process.memoryUsage.rss()];
  const looking = setInterval(() => resident.push(process.memoryUsage.rss()), LOOK_MS);
  const started = performance.now();
  const before = process.cpuUsage();
  const syncsBefore = countedSyncs();
  await converse(Number(count));
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const syncs = countedSyncs() - syncsBefore;
  clearInterval(looking);
  console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1_000, residentMb: median(resident) / 1e6, syncs }));
  await gateway.drain(AbortSignal.timeout(20_000));
  await runtime.close();
  process.exit();
}

void main();
