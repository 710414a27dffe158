// The process whose memory is watched: the whole application, asked again and again. It tells, for each window of turns,
// what was resident (the median of many looks, as an operator would see it), what the heap held after a collection, and how many
// descriptors were open.
import { readdirSync } from 'node:fs';
import { median } from './bench.ts';
import { openModelApp } from './model-app.ts';

const LOOKS_A_WINDOW = 20;

const [home = '', count = '0', windows = '1'] = process.argv.slice(2);
const turns = Number(count);
const every = Math.max(1, Math.floor(turns / Number(windows)));
const look = Math.max(1, Math.floor(every / LOOKS_A_WINDOW));

async function main(): Promise<void> {
  const { ask, close } = await openModelApp(home, 'zero-latency-model.ts');
  const never = new AbortController();

  let resident: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    await ask(`steps ${turn % 2}`, `chat-${turn % 10}`, never.signal);
    if (turn % look === 0) resident.push(process.memoryUsage.rss());
    if (turn % every !== 0) continue;
    globalThis.gc?.();
    const handles = readdirSync('/proc/self/fd').length;
    console.log(JSON.stringify({ turn, heap: process.memoryUsage().heapUsed, rss: median(resident), handles }));
    resident = [];
  }
  await close();
  process.exit();
}

void main();
