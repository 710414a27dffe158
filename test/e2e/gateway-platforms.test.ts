// The gateway as people run it: the built program as a daemon, with Telegram, Feishu and local files at once.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FeishuServer, startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };
let home: Home;
let feishu: FeishuServer;
let telegram: TelegramServer;

const run = (...args: string[]): Promise<Finished> => lainclaw(args, { home });
const written = (): string[] => telegram.messages(ADA.id).map(({ text }) => text ?? '');
const outbox = (): string => {
  const path = join(home.path, 'channels', 'local', 'outbox.jsonl');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

beforeAll(async () => {
  home = testHome();
  [feishu, telegram] = await Promise.all([startFeishuServer(), startTelegramServer()]);
  afterFile(() => Promise.all([feishu.close(), telegram.close()]));
  afterFile(() => run('gateway', 'stop').catch(() => {}));
  mkdirSync(home.path, { mode: 0o700 });
  const channels = {
    feishu: { appId: feishu.appId, appSecret: feishu.appSecret, domain: feishu.url, pairingPolicy: 'open' },
    telegram: { botToken: telegram.token, apiRoot: telegram.url },
    local: { pairingAllowFrom: ['me'] },
  };
  writeFileSync(
    join(home.path, 'gateway.json'),
    JSON.stringify({ version: 1, default: { debounceMs: 0, provider: 'stub' }, channels }),
  );
  const started = await run(
    'gateway',
    'start',
    '--daemon',
    '--channel=feishu',
    '--channel=telegram',
    '--channel=local',
  );
  expect(started.stderr).toBe('');
  expect(started.code).toBe(0);
});

describe('one gateway on three channels', () => {
  it('is connected to all of them', async () => {
    const { connections } = (await run('gateway', 'status')).json<{
      connections: { channel: string; state: string }[];
    }>();
    expect(connections.map(({ channel, state }) => `${channel} ${state}`)).toEqual([
      'feishu connected',
      'telegram connected',
      'local connected',
    ]);
  });

  it('a stranger on Telegram gets a code once, is admitted by it, and is out again when revoked', async () => {
    telegram.userSays({ chatId: ADA.id, from: ADA, text: 'hello' });
    const code = await eventually(async () => {
      const [, found] = /code: (\w{8})/.exec(written().join('\n')) ?? [];
      return found ?? expect.unreachable('no code yet');
    });
    telegram.userSays({ chatId: ADA.id, from: ADA, text: 'hello?' });
    await eventually(() =>
      expect(readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8')).toContain('and has a code'),
    );
    expect(written()).toHaveLength(1);

    expect((await run('pairing', 'approve', code)).json()).toEqual({
      approved: { channel: 'telegram', account: 'default', entry: String(ADA.id) },
      told: true,
    });
    await eventually(() => expect(written().filter((text) => text.includes('has admitted you'))).toHaveLength(1));
    telegram.userSays({ chatId: ADA.id, from: ADA, text: 'and now?' });
    await eventually(() => expect(written().join('\n')).toContain('and now?'));

    await run('pairing', 'revoke', String(ADA.id), '--channel=telegram');
    telegram.userSays({ chatId: ADA.id, from: ADA, text: 'still there?' });
    await eventually(() =>
      expect(
        written()
          .join('\n')
          .match(/code: \w{8}/g),
      ).toHaveLength(2),
    );
    expect(written().join('\n')).not.toContain('still there?');
  });

  it('answers on Feishu and in local files', async () => {
    feishu.addChat('oc_direct', 'p2p', 'ou_someone');
    feishu.say({ chatId: 'oc_direct', senderId: 'ou_someone', text: 'hello from feishu' });
    await eventually(() => expect(JSON.stringify(feishu.sent('oc_direct'))).toContain('hello from feishu'));
    const line = { id: '1', chatId: 'c', senderId: 'me', text: 'hello from a file' };
    appendFileSync(join(home.path, 'channels', 'local', 'inbox.jsonl'), `${JSON.stringify(line)}\n`);
    await eventually(() => expect(outbox()).toContain('hello from a file'));
  });

  it('takes up a changed policy without a restart', async () => {
    await run('gateway', 'config', 'set', '--channel=telegram', 'pairingPolicy=open');
    await eventually(() =>
      expect(readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8')).toContain(
        'telegram/default.pairingPolicy',
      ),
    );
    telegram.userSays({ chatId: 77, from: { id: 77, first_name: 'Bob' }, text: 'open now?' });
    await eventually(() => expect(JSON.stringify(telegram.messages(77))).toContain('open now?'));
  });

  it('send_message reaches a listed chat on each platform', async () => {
    await run('gateway', 'config', 'set', 'sendAllow=telegram:4242,feishu:oc_direct,local:c');
    const chats = [
      { channel: 'telegram', chatId: '4242' },
      { channel: 'feishu', chatId: 'oc_direct' },
      { channel: 'local', chatId: 'c' },
    ];
    for (const chat of chats) {
      const args = JSON.stringify({ ...chat, text: 'a note from elsewhere' });
      await eventually(async () => expect((await run('tools', 'invoke', 'send_message', '--args', args)).code).toBe(0));
    }
    await eventually(() => {
      expect(written().join()).toContain('a note from elsewhere');
      expect(JSON.stringify(feishu.sent('oc_direct'))).toContain('a note from elsewhere');
      expect(outbox()).toContain('a note from elsewhere');
    });
  });

  it('a topic is a conversation of its own on both platforms, and a listed group is listed with its topics', async () => {
    await run('gateway', 'config', 'set', '--channel=telegram', 'groups=true');
    await run('gateway', 'config', 'set', '--channel=feishu', 'groups=true');
    await run('gateway', 'config', 'set', 'sendAllow=telegram:-100500,feishu:oc_group');
    const log = (): string => readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8');
    await eventually(() => expect(log()).toContain('feishu/default.groups'));
    const topics = [7, 8];
    for (const threadId of topics)
      telegram.userSays({ chatId: -100_500, from: ADA, text: `@lain_test_bot in ${threadId}`, threadId });
    feishu.addChat('oc_group', 'group');
    const first = feishu.say({
      chatId: 'oc_group',
      senderId: 'ou_someone',
      text: 'a topic',
      threadId: 'omt_1',
      mentionsBot: true,
    });
    const inTelegram = (threadId: number): string =>
      JSON.stringify(telegram.messages(-100_500).filter((message) => message.threadId === threadId));
    const inFeishu = (): string =>
      JSON.stringify(feishu.sent('oc_group').filter((message) => message.threadId === 'omt_1'));
    await eventually(() => {
      for (const threadId of topics) expect(inTelegram(threadId)).toContain(`in ${threadId}`);
      expect(inFeishu()).toContain('a topic');
    });
    const keys = (await run('sessions', 'list')).stdout;
    for (const key of [
      'telegram:default:-100500:7',
      'telegram:default:-100500:8',
      `feishu:default:oc_group:${first.messageId}`,
    ])
      expect(keys).toContain(key);

    const chats = [
      { channel: 'telegram', chatId: '-100500/8' },
      { channel: 'feishu', chatId: `oc_group/${first.messageId}` },
    ];
    for (const chat of chats) {
      const args = JSON.stringify({ ...chat, text: 'a note for the topic' });
      await eventually(async () => expect((await run('tools', 'invoke', 'send_message', '--args', args)).code).toBe(0));
    }
    await eventually(() => {
      expect(inTelegram(8)).toContain('a note for the topic');
      expect(inFeishu()).toContain('a note for the topic');
    });
    expect(inTelegram(7)).not.toContain('a note');
  });

  it('one channel is stopped alone; what is written there waits, and the others answer', async () => {
    expect((await run('gateway', 'stop', '--channel', 'telegram')).json()).toEqual({
      stopped: true,
      channel: 'telegram',
      running: ['feishu', 'local'],
    });
    expect((await run('gateway', 'stop', '--channel', 'telegram')).json()).toEqual({
      stopped: false,
      reason: 'telegram was not running',
    });
    const { channels, connections } = (await run('gateway', 'status')).json<{
      channels: string[];
      connections: { channel: string }[];
    }>();
    expect(channels).toEqual(['feishu', 'local']);
    expect(connections.map(({ channel }) => channel)).toEqual(['feishu', 'local']);
    telegram.userSays({ chatId: ADA.id, from: ADA, text: 'written meanwhile' });
    feishu.say({ chatId: 'oc_direct', senderId: 'ou_someone', text: 'still there?' });
    await eventually(() => expect(JSON.stringify(feishu.sent('oc_direct'))).toContain('still there?'));
    expect(written().join('\n')).not.toContain('written meanwhile');

    await run('gateway', 'restart');
    expect((await run('gateway', 'status')).json()).toMatchObject({ channels: ['feishu', 'local'] });
    expect((await run('gateway', 'stop', '--channel', 'feishu')).json()).toMatchObject({ running: ['local'] });
    // The last one ends the gateway.
    expect((await run('gateway', 'stop', '--channel', 'local')).json()).toMatchObject({ how: 'drained' });
    expect((await run('gateway', 'status')).json()).toMatchObject({ status: 'stopped' });
    await run('gateway', 'start', '--daemon', '--channel=feishu', '--channel=telegram', '--channel=local');
    await eventually(() => expect(written().join('\n')).toContain('written meanwhile'));
  });

  it('shows no secret in the list of processes', async () => {
    const { pid } = (await run('gateway', 'status')).json<{ pid: number }>();
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    expect(words).toContain('gateway');
    for (const secret of [telegram.token, feishu.appSecret]) expect(words).not.toContain(secret);
  });

  it('stops gracefully, without a word against the platforms and without a secret in its log', async () => {
    expect((await run('gateway', 'stop')).json()).toMatchObject({ stopped: true, how: 'drained' });
    const log = readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8');
    for (const secret of [telegram.token, feishu.appSecret]) expect(log).not.toContain(secret);
    expect([...telegram.violations, ...feishu.violations]).toEqual([]);
    expect(log).toContain('"event":"stopped"');
  });
});
