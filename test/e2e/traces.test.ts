// A gateway with LAINCLAW_OTLP_ENDPOINT sends its turns to a collector; without it, it sends nothing.
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startLainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

it('the turn of a chat arrives at the collector, without its words', async () => {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  afterFile(() => void collector.close());
  const home = testHome();
  home.config({ provider: 'stub' });
  const { port } = collector.address() as AddressInfo;
  const gateway = startLainclaw(['gateway', 'start', '--channel=local', '--pairing-policy=open'], {
    home,
    env: { LAINCLAW_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  await gateway.saw('"event":"ready"');
  const line = { id: 'm1', chatId: 'c', senderId: 'p', text: 'confidential words' };
  appendFileSync(join(home.path, 'channels', 'local', 'inbox.jsonl'), `${JSON.stringify(line)}\n`);
  await eventually(() => expect(received.join()).toContain('invoke_agent lainclaw'));
  expect(received.join()).toContain('"gen_ai.operation.name"');
  expect(received.join()).not.toContain('confidential');
  gateway.kill('SIGTERM');
  await gateway.ended;
});
