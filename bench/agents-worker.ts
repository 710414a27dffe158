// The process in which a person chats, first alone, then beside sub-agents.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApp } from '../src/app.ts';
import { readEnvironment } from '../src/config/environment.ts';

const [home = '', runs = '0', turns = '0'] = process.argv.slice(2);
mkdirSync(home, { recursive: true });
writeFileSync(join(home, 'config.json'), JSON.stringify({ backgroundRuns: Number(runs) }));

const model = spawn(process.execPath, [resolve('bench/thinking-model.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = (await once(model.stdout, 'data')) as [Buffer];
const baseUrl = `${String(line).trim()}/v1`;
const environment = readEnvironment({ LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, home);
const app = await createApp({ environment, baseUrl, warn: console.error });
const gateway = await app.gateway();
const stop = new AbortController();

await chat(5);
const alone = await chat(Number(turns));
const queue = await app.agentRuns();
const asked = { provider: 'openai-compatible', model: 'fake', toolAllow: ['time.now'], marked: false };
const request = JSON.stringify({ ...asked, instructions: 'You work in the background.', workspace: home, baseUrl });
for (let run = 0; run < Number(runs); run += 1)
  await queue.add(
    { id: `run-${run}`, name: `agent-${run}`, message: 'Go on.', asker: { kind: 'nobody' }, request },
    Date.now(),
  );
const working = (await app.background()).work(stop.signal);
while ((await queue.list({ state: 'queued', limit: 1 })).length > 0) await new Promise((next) => setTimeout(next, 20));
const beside = await chat(Number(turns));
const running = (await queue.list({ state: 'running', limit: 100 })).length;
console.log(JSON.stringify({ alone, beside, running }));
stop.abort();
await working;
app.close();
model.kill();

async function chat(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const started = performance.now();
    const events = await gateway.ask(
      {
        input: 'hello',
        attachments: [],
        provider: 'openai-compatible',
        model: 'fake',
        sessionKey: 'person',
        newSession: false,
        withTools: true,
        toolMaxSteps: 3,
        approval: 'ask',
        caps: {},
      },
      stop.signal,
    );
    for await (const event of events)
      if (event.type === 'run-end' && !event.result.success) throw new Error(event.result.error.message);
    times.push(performance.now() - started);
  }
  return times;
}
