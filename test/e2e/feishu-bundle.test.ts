// Other tests run the SDK as it is installed; what people run is the bundle, which holds a part of it.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leanFeishuSdk } from '../../scripts/lean-feishu-sdk.ts';
import { createReceiver } from '../conformance/channel-subject.ts';
import { eventually } from '../support/eventually.ts';
import { ANNA, DIRECT, never, startPlatform } from '../support/feishu-platform.ts';

let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'lainclaw-feishu-bundle-'));
  await build({
    input: { feishu: 'src/channels/feishu/feishu.ts' },
    platform: 'node',
    plugins: [leanFeishuSdk],
    logLevel: 'warn',
    output: { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs', minify: true },
  });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test('the bundle holds what is used of the SDK, and that connects, receives and sends', async () => {
  const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  expect(bytes).toBeLessThan(400_000);

  const bundle = createRequire(import.meta.url)(
    join(dir, 'feishu.cjs'),
  ) as typeof import('../../src/channels/feishu/feishu.ts');
  const server = await startPlatform();
  const { appId, appSecret, url: domain } = server;
  const channel = bundle.createFeishuChannel({
    account: 'default',
    appId,
    appSecret,
    domain,
    mode: 'websocket',
    now: Date.now,
  });
  const receiver = createReceiver();
  try {
    await channel.connect(receiver.receive, never);
    const { messageId } = server.say({ chatId: DIRECT, senderId: ANNA, text: 'hello' });
    await eventually(() => expect(receiver.received).toMatchObject([{ id: messageId, text: 'hello' }]));
    await eventually(() => expect(server.push.events[0]?.state).toBe('acknowledged'));
    await channel.send({ key: 'k', chatId: DIRECT, replyTo: messageId, markdown: '**hello**' }, never);
    expect(server.sent(DIRECT)).toMatchObject([{ replyTo: messageId, seen: { text: '**hello**' } }]);
    expect(server.violations).toEqual([]);
  } finally {
    await channel.close();
    await server.close();
  }
});
