// How long after a token left the model it is on the reader's screen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, median } from './bench.ts';
import { cleanEnvironment, LAINCLAW, withTemporaryHome } from './commands.ts';

const LIMIT_MS = 5;
/** The head of the stream goes out first and lets the client get ready; the token follows. */
const PAUSE_MS = 150;

export const firstToken: Bench = {
  name: 'first-token',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const delays: number[] = [];
      for (let round = 0; round < (scale === 'full' ? 21 : 2); round += 1) delays.push(await measure(home));
      const value = median(delays);
      const detail = `worst ${Math.max(...delays).toFixed(1)} ms of ${delays.length}`;
      return [{ name: 'first token shown', value, unit: 'ms after it was sent', limit: LIMIT_MS, detail }];
    }),
};

async function measure(home: string): Promise<number> {
  let sentAt = Number.NaN;
  const frame = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'fake', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = createServer(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frame({ role: 'assistant', content: '' }, null));
    await sleep(PAUSE_MS);
    sentAt = performance.now();
    response.write(frame({ content: 'first' }, null));
    await sleep(PAUSE_MS);
    response.end(`${frame({}, 'stop')}data: [DONE]\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const args = [
      'ask',
      'hello',
      '--text',
      '--provider',
      'openai-compatible',
      '--model',
      'fake',
      '--base-url',
      baseUrl,
    ];
    const env = cleanEnvironment({ LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' });
    const child = spawn(process.execPath, [LAINCLAW, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    const shownAt = performance.now();
    child.stdout.resume();
    await exited;
    return shownAt - sentAt;
  } finally {
    server.close();
  }
}
