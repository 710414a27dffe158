// The process whose memory is watched: the application does one thing again and again. It tells, for each window of times, what was resident
// (the median of many looks, as an operator would see it), what the heap held after a collection, and how many descriptors were open.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFeishuChannel } from '../src/channels/feishu/feishu.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { addJob, runJob } from '../src/operations/schedule.ts';
import { createRuntime } from '../src/runtime/runtime.ts';
import { median } from './bench.ts';
import { openModelApp } from './model-app.ts';
import { startBeside } from './processes.ts';

const LOOKS_A_WINDOW = 20;
const CHATS = 10;
/**
 * A conversation then ends and the chat begins another, as people do: 1,000 conversations in all. A few endless ones would measure
 * how long their transcripts take to read, and would not show what a process keeps of a conversation that has ended.
 */
const TURNS_A_CONVERSATION = 100;
const JOBS = 20;
/** Long enough that the conversations a process keeps reach their bounds within the warm-up: 8 MB in all, and a model's window each. */
const JOB_MESSAGE = 'what is new? '.repeat(300);
const LOOK_MS = 5;

interface Repeated {
  /** Resolves when it was done the given time. */
  once(time: number): Promise<void>;
  close(): Promise<void>;
}

const KINDS: Record<string, (home: string) => Promise<Repeated>> = { turns, firings, reconnects };
const never = new AbortController();

async function turns(home: string): Promise<Repeated> {
  const { ask, close } = await openModelApp(home, 'zero-latency-model.ts');
  return {
    async once(time) {
      const turn = Math.floor((time - 1) / CHATS);
      const conversation = Math.floor(turn / TURNS_A_CONVERSATION);
      // The model counts the calls of the whole conversation: every second turn has one.
      const calls = Math.ceil((turn % TURNS_A_CONVERSATION) / 2);
      await ask(`steps ${calls}`, `chat-${time % CHATS}-${conversation}`, never.signal);
    },
    close,
  };
}

/** Runs of jobs, each a turn in the session of its job. */
async function firings(home: string): Promise<Repeated> {
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home }, cwd: home });
  const runtime = await createRuntime({ environment, warn: console.error });
  const context = { runtime, signal: never.signal, warn: console.error };
  for (let job = 0; job < JOBS; job += 1)
    await addJob.run({ name: `job-${job}`, cron: '@yearly', message: JOB_MESSAGE }, context);
  return {
    async once(time) {
      const { status } = await runJob.run({ name: `job-${time % JOBS}` }, context);
      if (status !== 'ok') throw new Error(`a run of a job is ${status}`);
    },
    close: () => runtime.close(),
  };
}

/** A channel whose platform drops the connection again and again. */
async function reconnects(): Promise<Repeated> {
  const { line, stop } = await startBeside('restless-feishu.ts');
  // The platform's library looks for its package beside itself, as a CommonJS module does.
  Object.assign(globalThis, { __dirname: import.meta.dirname });
  const channel = createFeishuChannel({
    account: 'default',
    mode: 'websocket',
    now: Date.now,
    timings: { pauseMs: 5, maxPauseMs: 10, pongMs: 1_000, attemptMs: 10_000 },
    ...(JSON.parse(line) as { domain: string; appId: string; appSecret: string }),
  });
  await channel.connect(async () => {}, never.signal);
  return {
    async once(time) {
      while (channel.status().reconnects < time) await sleep(LOOK_MS);
    },
    async close() {
      await channel.close();
      stop();
    },
  };
}

async function main(): Promise<void> {
  const [home = '', kind = '', count = '0', windows = '1'] = process.argv.slice(2);
  const times = Number(count);
  const every = Math.max(1, Math.floor(times / Number(windows)));
  const look = Math.max(1, Math.floor(every / LOOKS_A_WINDOW));
  const { once, close } = await (KINDS[kind] as (typeof KINDS)[string])(home);

  let resident: number[] = [];
  for (let time = 1; time <= times; time += 1) {
    await once(time);
    if (time % look === 0) resident.push(process.memoryUsage.rss());
    if (time % every !== 0) continue;
    globalThis.gc?.();
    const handles = readdirSync('/proc/self/fd').length;
    console.log(JSON.stringify({ time, heap: process.memoryUsage().heapUsed, rss: median(resident), handles }));
    resident = [];
  }
  await close();
  process.exit();
}

void main();
