// The process whose memory is watched: the whole application, asked again and again. It tells, for each window of turns,
// what was resident (the median of many looks, as an operator would see it) and what the heap held after a collection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createApp } from '../src/app.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { median } from './bench.ts';

const LOOKS_A_WINDOW = 20;

const [home = '', count = '0', windows = '1'] = process.argv.slice(2);
const turns = Number(count);
const every = Math.max(1, Math.floor(turns / Number(windows)));
const look = Math.max(1, Math.floor(every / LOOKS_A_WINDOW));

async function main(): Promise<void> {
  const model = spawn(process.execPath, [resolve('bench/zero-latency-model.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => model.kill());
  const [line] = (await once(model.stdout, 'data')) as [Buffer];
  const environment = readEnvironment({ LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, home);
  const app = await createApp({ environment, baseUrl: `${String(line).trim()}/v1`, warn: console.error });
  const gateway = await app.gateway();
  const never = new AbortController();

  let resident: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const events = await gateway.ask(
      {
        input: `steps ${turn % 2}`,
        attachments: [],
        provider: 'openai-compatible',
        model: 'fake',
        sessionKey: `chat-${turn % 10}`,
        newSession: false,
        withTools: true,
        toolMaxSteps: 3,
        approval: 'ask',
        caps: {},
      },
      never.signal,
    );
    for await (const event of events) {
      if (event.type === 'run-end' && !event.result.success) throw new Error(event.result.error.message);
    }
    if (turn % look === 0) resident.push(process.memoryUsage.rss());
    if (turn % every !== 0) continue;
    globalThis.gc?.();
    console.log(JSON.stringify({ turn, heap: process.memoryUsage().heapUsed, rss: median(resident) }));
    resident = [];
  }
  app.close();
  process.exit();
}

void main();
