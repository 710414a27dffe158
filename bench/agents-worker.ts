// The process in which a person chats, first alone, then beside sub-agents.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openModelApp } from './model-app.ts';

const [home = '', runs = '0', turns = '0'] = process.argv.slice(2);
mkdirSync(home, { recursive: true });
writeFileSync(join(home, 'config.json'), JSON.stringify({ backgroundRuns: Number(runs) }));

const { runtime, baseUrl, ask, close } = await openModelApp(home, 'thinking-model.ts');
const stop = new AbortController();

await chat(5);
const alone = await chat(Number(turns));
const queue = await runtime.agentRuns();
const asked = { provider: 'openai-compatible', model: 'fake', toolAllow: ['time.now'], tainted: false };
const request = JSON.stringify({ ...asked, instructions: 'You work in the background.', workspace: home, baseUrl });
for (let run = 0; run < Number(runs); run += 1)
  await queue.add(
    { id: `run-${run}`, name: `agent-${run}`, message: 'Go on.', asker: { kind: 'nobody' }, request },
    Date.now(),
  );
const working = (await runtime.openBackground()).work(stop.signal);
while ((await queue.list({ state: 'queued', limit: 1 })).length > 0) await new Promise((next) => setTimeout(next, 20));
const beside = await chat(Number(turns));
const running = (await queue.list({ state: 'running', limit: 100 })).length;
console.log(JSON.stringify({ alone, beside, running }));
stop.abort();
await working;
await close();

async function chat(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const started = performance.now();
    await ask('hello', 'person', stop.signal);
    times.push(performance.now() - started);
  }
  return times;
}
