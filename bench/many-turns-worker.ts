// The process whose memory is watched: the whole application, asked again and again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createApp } from '../src/app.ts';
import { readEnvironment } from '../src/config/environment.ts';

const [home = '', count = '0'] = process.argv.slice(2);
const turns = Number(count);
const every = Math.max(1, Math.floor(turns / 50));

const model = spawn(process.execPath, [resolve('bench/zero-latency-model.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(model.stdout, 'data')) as [Buffer];
const environment = readEnvironment({ LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' }, home);
const app = await createApp({ environment, baseUrl: `${String(line).trim()}/v1`, warn: console.error });
const gateway = await app.gateway();
const never = new AbortController();

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
  if (turn % every === 0) {
    globalThis.gc?.();
    const { heapUsed: heap, rss } = process.memoryUsage();
    console.log(JSON.stringify({ turn, heap, rss }));
  }
}
app.close();
model.kill();
