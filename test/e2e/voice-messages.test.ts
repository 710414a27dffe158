// A voice message on Telegram, transcribed by a server of the owner, answered by the model: the built program as a daemon.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const RECORDING = 'OggS-recording-of-Ada';

it('the model gets the words of a voice message', async () => {
  const home = testHome();
  const heard: { body: string; key: string | undefined }[] = [];
  const listener = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push({ body: Buffer.concat(chunks).toString('latin1'), key: request.headers.authorization });
      response.setHeader('content-type', 'application/json').end('{"text": "Buy oat milk."}');
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const model = await startModelServer({
    script: ({ messages }) => ({ text: JSON.stringify(messages).includes('Buy oat milk.') ? 'Noted.' : 'What?' }),
    models: ['fake'],
    anonymous: true,
  });
  const telegram = await startTelegramServer();
  afterFile(() => Promise.all([telegram.close(), model.close(), listener.close()]));
  afterFile(() => lainclaw(['gateway', 'stop'], { home }).catch(() => {}));
  const { port } = listener.address() as { port: number };
  home.config({
    provider: 'openai-compatible',
    model: 'fake',
    baseUrl: `${model.url}/v1`,
    transcriptionUrl: `http://127.0.0.1:${port}/v1`,
  });
  mkdirSync(home.path, { mode: 0o700, recursive: true });
  const channels = { telegram: { botToken: telegram.token, apiRoot: telegram.url, pairingPolicy: 'open' } };
  writeFileSync(join(home.path, 'gateway.json'), JSON.stringify({ version: 1, default: { debounceMs: 0 }, channels }));
  const started = await lainclaw(['gateway', 'start', '--daemon', '--channel=telegram'], {
    home,
    env: { LAINCLAW_TRANSCRIPTION_KEY: 'voice-key' },
  });
  expect(started).toMatchObject({ code: 0 });

  telegram.userSays({ chatId: 7, from: { id: 7, first_name: 'Ada' }, voice: { content: Buffer.from(RECORDING) } });
  await eventually(() => expect(JSON.stringify(telegram.messages(7))).toContain('Noted.'));
  expect(heard).toMatchObject([{ key: 'Bearer voice-key', body: expect.stringContaining(RECORDING) }]);
});
