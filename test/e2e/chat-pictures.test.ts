// Pictures that an MCP server makes go to the person on each platform, those that the model reads do not: the built program as a
// daemon.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { imageType } from '../../src/lib/image-type.ts';
import { PIXEL } from '../conformance/channel-pictures.ts';
import { startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const ADA = { id: 7, first_name: 'Ada' };

it('a picture of an MCP server reaches Telegram, Feishu and local files; one that is only read does not', async () => {
  const home = testHome();
  const model = await startModelServer({
    script({ messages }) {
      const texts = messages.map((message) => JSON.stringify(message));
      const asked = texts.findLastIndex((text) => /show me the picture|read seen/.test(text));
      // The picture of a result follows it as a message of its own.
      if (messages.slice(asked).some(({ role }) => role === 'tool')) return { text: 'Done.' };
      if (texts[asked]?.includes('read seen'))
        return { toolCalls: [{ name: 'file_read', args: { path: 'seen.png' } }] };
      return { toolCalls: [{ name: 'mcp__everything__get-tiny-image', args: {} }] };
    },
    models: ['fake'],
    anonymous: true,
  });
  const [telegram, feishu] = await Promise.all([startTelegramServer(), startFeishuServer()]);
  afterFile(() => Promise.all([telegram.close(), feishu.close(), model.close()]));
  afterFile(() => lainclaw(['gateway', 'stop'], { home }).catch(() => {}));
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1` });
  mkdirSync(home.workspace, { recursive: true });
  writeFileSync(join(home.workspace, 'seen.png'), PIXEL);
  await lainclaw(['mcp', 'add', 'everything', '--', process.execPath, EVERYTHING, 'stdio'], { home });
  expect(await lainclaw(['mcp', 'trust', 'everything'], { home })).toMatchObject({ code: 0 });
  const { appId, appSecret, url: domain } = feishu;
  const channels = {
    telegram: { botToken: telegram.token, apiRoot: telegram.url, pairingAllowFrom: [String(ADA.id)] },
    feishu: { appId, appSecret, domain, pairingAllowFrom: ['ou_ada'] },
    local: { pairingAllowFrom: ['me'] },
  };
  const gatewayFile = { version: 1, default: { debounceMs: 0, withTools: true }, channels };
  writeFileSync(join(home.path, 'gateway.json'), JSON.stringify(gatewayFile), { mode: 0o600 });
  const named = Object.keys(channels).map((channel) => `--channel=${channel}`);
  expect(await lainclaw(['gateway', 'start', '--daemon', ...named], { home })).toMatchObject({ code: 0 });

  feishu.addChat('oc_direct', 'p2p', 'ou_ada');
  const inbox = join(home.path, 'channels', 'local', 'inbox.jsonl');
  const outbox = join(home.path, 'channels', 'local', 'outbox.jsonl');
  const say = (id: string, text: string): void => {
    telegram.userSays({ chatId: ADA.id, from: ADA, text });
    feishu.say({ chatId: 'oc_direct', senderId: 'ou_ada', text });
    appendFileSync(inbox, `${JSON.stringify({ id, chatId: 'c', senderId: 'me', text })}\n`);
  };
  const lines = (): { type: string; path?: string }[] =>
    existsSync(outbox)
      ? readFileSync(outbox, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];
  /** Text or the type of the picture, by platform. */
  const seen = () => ({
    telegram: telegram.messages(ADA.id).map(({ text, file }) => (file ? typeOf(file.content) : text)),
    feishu: feishu.sent('oc_direct').map(({ seen: card, picture }) => (picture ? typeOf(picture) : card.text.trim())),
    // An edit takes the place of the message that shows progress.
    local: lines()
      .filter(({ type }) => type !== 'edit')
      .map(({ type, path }) => (path ? typeOf(readFileSync(path)) : type)),
  });

  const hasSeen = (...expected: ('text' | 'image/png')[]): Promise<void> => {
    const platform = expected.map((one) => (one === 'text' ? 'Done.' : one));
    const local = expected.map((one) => (one === 'text' ? 'message' : one));
    return eventually(() => expect(seen()).toEqual({ telegram: platform, feishu: platform, local }));
  };

  say('1', 'show me the picture');
  await hasSeen('text', 'image/png');
  say('2', 'read seen.png');
  await hasSeen('text', 'image/png', 'text');
  // The pictures of a turn are stored with its answer: this answer would stand after them.
  say('3', 'read seen.png again');
  await hasSeen('text', 'image/png', 'text', 'text');
  expect([telegram.violations, feishu.violations]).toEqual([[], []]);
});

const typeOf = (bytes: Uint8Array): string | undefined => imageType(Buffer.from(bytes));
