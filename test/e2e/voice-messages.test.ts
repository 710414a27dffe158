// Voice messages on Telegram and Feishu, transcribed by a server of the owner, answered by the model: the built program as a daemon.
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const RECORDING = 'OggS-recording-of-Ada';

/** Speaks `POST /v1/audio/transcriptions`; without a text it fails. */
async function startListener(text: string | undefined) {
  const heard: { path: string; body: string; key: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      heard.push({ path: url, body: Buffer.concat(chunks).toString('latin1'), key: headers.authorization });
      response.writeHead(text === undefined ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ text }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterFile(() => server.close());
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** A gateway of one channel, whose model says whether it was given these words. */
async function startGateway(
  channel: string,
  settings: object,
  { words, transcriptionUrl }: { words: string; transcriptionUrl: string },
) {
  const home = testHome();
  const model = await startModelServer({
    script: ({ messages }) => ({ text: JSON.stringify(messages).includes(words) ? 'Noted.' : 'What?' }),
    models: ['fake'],
    anonymous: true,
  });
  afterFile(() => model.close());
  afterFile(() => lainclaw(['gateway', 'stop'], { home }).catch(() => {}));
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1`, transcriptionUrl });
  mkdirSync(home.path, { mode: 0o700, recursive: true });
  const channels = { [channel]: { ...settings, pairingPolicy: 'open' } };
  writeFileSync(join(home.path, 'gateway.json'), JSON.stringify({ version: 1, default: { debounceMs: 0 }, channels }));
  const started = await lainclaw(['gateway', 'start', '--daemon', `--channel=${channel}`], {
    home,
    env: { LAINCLAW_TRANSCRIPTION_KEY: 'voice-key' },
  });
  expect(started).toMatchObject({ code: 0 });
  return home;
}

it('the model gets the words of a voice message on Telegram', async () => {
  const telegram = await startTelegramServer();
  afterFile(() => telegram.close());
  const { heard, url } = await startListener('Buy oat milk.');
  await startGateway(
    'telegram',
    { botToken: telegram.token, apiRoot: telegram.url },
    { words: 'Buy oat milk.', transcriptionUrl: url },
  );
  telegram.userSays({ chatId: 7, from: { id: 7, first_name: 'Ada' }, voice: { content: Buffer.from(RECORDING) } });
  await eventually(() => expect(JSON.stringify(telegram.messages(7))).toContain('Noted.'));
  expect(heard).toMatchObject([{ key: 'Bearer voice-key', body: expect.stringContaining(RECORDING) }]);
});

async function feishuWith(listener: { url: string }, words: string) {
  const feishu = await startFeishuServer();
  afterFile(() => feishu.close());
  feishu.addChat('oc_ada', 'p2p', 'ou_ada');
  const settings = { appId: feishu.appId, appSecret: feishu.appSecret, domain: feishu.url };
  const home = await startGateway('feishu', settings, { words, transcriptionUrl: listener.url });
  feishu.say({ chatId: 'oc_ada', senderId: 'ou_ada', voice: { content: Buffer.from(RECORDING), durationMs: 2_000 } });
  return { feishu, home };
}

it('the model gets the words of a voice message on Feishu, and the recording is kept', async () => {
  const listener = await startListener('买燕麦奶。');
  const { feishu, home } = await feishuWith(listener, '买燕麦奶。');
  await eventually(() => expect(JSON.stringify(feishu.sent('oc_ada'))).toContain('Noted.'));
  expect(listener.heard).toMatchObject([
    { path: '/v1/audio/transcriptions', key: 'Bearer voice-key', body: expect.stringContaining(RECORDING) },
  ]);
  // Servers know a recording by this ending.
  expect(listener.heard[0]?.body).toMatch(/filename="[^"]+\.ogg"/);
  const inbox = join(home.path, 'workspace', 'inbox-of-others');
  expect(readdirSync(inbox, { recursive: true }).join()).toMatch(/\.opus$/);
  expect(feishu.violations).toEqual([]);
});

it('a voice message on Feishu that cannot be transcribed is said to be one', async () => {
  const { feishu } = await feishuWith(
    await startListener(undefined),
    'it could not be transcribed: the transcription server answered 503',
  );
  await eventually(() => expect(JSON.stringify(feishu.sent('oc_ada'))).toContain('Noted.'));
});
