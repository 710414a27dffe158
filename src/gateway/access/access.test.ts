import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IncomingMessage } from '../../channels/channel.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import { type OwnerFiles, StorageError, type StorageErrorCode } from '../../storage/storage.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { type AccessSettings, type Admission, createAccess } from './access.ts';
import { ATTEMPTS_WINDOW_MS, MOST_ATTEMPTS } from './attempts.ts';
import { createPairing, type Pairing } from './pairing.ts';
import type { PairingRequest } from './requests.ts';
import { welcome } from './welcome.ts';

const HOUR = 3_600_000;
const SETTINGS: AccessSettings = {
  pairingPolicy: 'pairing',
  pairingAllowFrom: [],
  pairingPendingTtlMs: HOUR,
  pairingPendingMax: 3,
  groups: false,
};

let home: string;
let now: number;
let settings: AccessSettings;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-access-'));
  now = Date.parse('2026-12-01T10:00:00Z');
  settings = { ...SETTINGS };
  told = [];
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(home, { recursive: true });
});

/** Each call is another process as far as files and locks are concerned. */
function ownerFiles(): OwnerFiles {
  const storage = createLocalStorage({ home, now: () => now });
  closing.push(() => storage.close());
  return storage.ownerFiles;
}
type Knock = Pick<IncomingMessage, 'id' | 'chatId' | 'chatKind' | 'sender'> & { channel: string; account: string };
const access = () => ({
  admit: ({ channel, account, ...message }: Knock): Promise<Admission> =>
    createAccess({ files: ownerFiles(), settings: () => settings, now: () => now }).admit(message, {
      channel,
      account,
    }),
});
const pairing = (accounts: readonly string[] = ['default', 'work']): Pairing =>
  createPairing({
    files: ownerFiles(),
    limits: () => ({ ttlMs: settings.pairingPendingTtlMs, max: settings.pairingPendingMax }),
    accounts: () => accounts,
    now: () => now,
    async tell(_, chat) {
      told.push(chat);
      return true;
    },
  });
let told: ChatKey[] = [];

let messages = 0;
const knock = (sender: string, changed: Partial<Knock> = {}): Knock => {
  messages += 1;
  return {
    channel: 'telegram',
    account: 'default',
    id: `m${messages}`,
    chatId: `chat of ${sender}`,
    chatKind: 'direct',
    sender: { id: sender },
    ...changed,
  };
};
const onDisk = (channel = 'telegram'): PairingRequest[] =>
  JSON.parse(readFileSync(join(home, `${channel}-pairing.json`), 'utf8')).requests;
const allowList = (name: string, ids: unknown): void =>
  writeFileSync(join(home, name), JSON.stringify({ version: 1, allowFrom: ids }));
const TELEGRAM = { channels: ['telegram'] };

describe('policies', () => {
  it('open lets everyone in, disabled nobody, not even the allowed', async () => {
    settings.pairingAllowFrom = ['1'];
    settings.pairingPolicy = 'open';
    expect(await access().admit(knock('7'))).toEqual({ allowed: true, isOwner: false });
    expect(await access().admit(knock('1'))).toEqual({ allowed: true, isOwner: true });
    settings.pairingPolicy = 'disabled';
    expect(await access().admit(knock('1'))).toEqual({ allowed: false, reason: 'the policy is disabled' });
  });

  it.each(['allowlist', 'pairing'] as const)(
    '%s admits who is in the settings, the account’s list or the channel’s',
    async (policy) => {
      settings.pairingPolicy = policy;
      settings.pairingAllowFrom = ['1'];
      allowList('telegram-work-allowFrom.json', ['2']);
      allowList('telegram-allowFrom.json', ['3', 4]);
      const may = async (sender: string, account: string, channel = 'telegram') =>
        (await access().admit(knock(sender, { account, channel }))).allowed;
      for (const sender of ['1', '3', '4'])
        for (const account of ['default', 'work']) expect(await may(sender, account)).toBe(true);
      expect([await may('2', 'work'), await may('2', 'default'), await may('3', 'default', 'feishu')]).toEqual([
        true,
        false,
        false,
      ]);
    },
  );

  it('allowlist tells a stranger nothing and keeps nothing', async () => {
    settings.pairingPolicy = 'allowlist';
    expect(await access().admit(knock('7'))).toEqual({ allowed: false, reason: expect.any(String) });
    expect(readdirSync(home)).toEqual([]);
  });

  it('a policy that does not exist lets nobody in', async () => {
    settings.pairingPolicy = 'anyone' as never;
    expect(await access().admit(knock('7'))).toMatchObject({ allowed: false });
  });

  it('in groups only admitted people are answered, when groups are on, and nobody gets a code', async () => {
    allowList('telegram-allowFrom.json', ['3']);
    const inGroup = async (sender: string) => access().admit(knock(sender, { chatKind: 'group' }));
    expect(await inGroup('3')).toEqual({ allowed: false, reason: 'groups are off' });
    settings.groups = true;
    expect(await inGroup('3')).toEqual({ allowed: true, isOwner: true });
    expect(await inGroup('7')).toEqual({ allowed: false, reason: 'the sender is not paired' });
  });

  it.each(['telegram-default-allowFrom.json', 'telegram-allowFrom.json', 'telegram-pairing.json'])(
    'a damaged %s admits nobody, is named, and is left as it is',
    async (name) => {
      writeFileSync(join(home, name), '{"version":1,"allowFrom":["7"');
      const admission = await access().admit(knock('7'));
      expect(admission).toEqual({ allowed: false, reason: expect.stringContaining(name) });
      expect(readFileSync(join(home, name), 'utf8')).toBe('{"version":1,"allowFrom":["7"');
    },
  );
});

describe('pairing', () => {
  it('a stranger gets a code once; writing again only refreshes when they were last seen', async () => {
    const first = await access().admit(knock('7', { sender: { id: '7', name: 'Ada' } }));
    const [request] = onDisk();
    expect(request?.code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
    expect(first).toMatchObject({ allowed: false, reply: expect.stringContaining(request?.code ?? '?') });
    now += 60_000;
    expect(await access().admit(knock('7'))).toEqual({
      allowed: false,
      reason: 'the sender is not paired, and has a code',
    });
    expect(onDisk()).toEqual([
      {
        id: '7',
        code: request?.code,
        createdAt: '2026-12-01T10:00:00.000Z',
        lastSeenAt: '2026-12-01T10:01:00.000Z',
        meta: { account: 'default', name: 'Ada', messageId: expect.any(String), chatId: 'chat of 7' },
      },
    ]);
  });

  it('the same message asked again, after a crash, gets the same code again', async () => {
    const message = knock('7');
    const answers = [await access().admit(message), await access().admit(message)];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toHaveProperty('reply');
  });

  it('approve admits the sender to that bot only, and revoke takes it back', async () => {
    await access().admit(knock('7', { account: 'work' }));
    const code = onDisk()[0]?.code ?? '';
    const typed = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
    expect(await pairing().approve(typed, TELEGRAM)).toEqual({
      allowed: { channel: 'telegram', account: 'work', entry: '7' },
      isTold: true,
    });
    expect(told).toEqual([{ channel: 'telegram', account: 'work', chatId: 'chat of 7' }]);
    expect(JSON.parse(readFileSync(join(home, 'telegram-work-allowFrom.json'), 'utf8'))).toEqual({
      version: 1,
      allowFrom: ['7'],
    });
    expect(onDisk()).toEqual([]);
    expect(await access().admit(knock('7', { account: 'work' }))).toEqual({ allowed: true, isOwner: true });
    expect((await access().admit(knock('7', { account: 'default' }))).allowed).toBe(false);
    expect(await pairing().allowed(TELEGRAM)).toEqual([{ channel: 'telegram', account: 'work', entry: '7' }]);
    expect(await pairing().revoke('7', TELEGRAM)).toEqual({
      removed: [{ channel: 'telegram', account: 'work', entry: '7' }],
      endedRequests: 1,
    });
    expect((await access().admit(knock('7', { account: 'work' }))).allowed).toBe(false);
    await expect(pairing().revoke('8', TELEGRAM)).rejects.toMatchObject({ code: 'PAIRING_ENTRY_UNKNOWN' });
  });

  it('a request that names no account is admitted to the whole channel', async () => {
    const createdAt = new Date(now).toISOString();
    const requests = [{ id: '7', code: 'ABCDEFGH', createdAt, lastSeenAt: createdAt }];
    writeFileSync(join(home, 'telegram-pairing.json'), JSON.stringify({ version: 1, requests }));
    expect(await pairing().approve('ABCDEFGH', TELEGRAM)).toEqual({
      allowed: { channel: 'telegram', account: undefined, entry: '7' },
      // Nobody knows where they wrote.
      isTold: false,
    });
    expect(told).toEqual([]);
    expect(await access().admit(knock('7', { account: 'work' }))).toEqual({ allowed: true, isOwner: true });
  });

  it('a code expires however often the stranger writes, and the next message brings a new one', async () => {
    await access().admit(knock('7'));
    const code = onDisk()[0]?.code ?? '';
    now += HOUR - 1_000;
    await access().admit(knock('7'));
    now += 1_000;
    expect(await pairing().waiting(TELEGRAM)).toEqual([]);
    expect(onDisk()).toEqual([]);
    await expect(pairing().approve(code, TELEGRAM)).rejects.toMatchObject({ code: 'PAIRING_CODE_UNKNOWN' });
    expect(await access().admit(knock('7'))).toHaveProperty('reply');
    expect(onDisk()[0]?.code).not.toBe(code);
  });

  it('a flood of strangers neither pushes out who waits, nor fills another bot’s places', async () => {
    await access().admit(knock('owner'));
    const before = onDisk()[0];
    const flood = await Promise.all(Array.from({ length: 200 }, (_, index) => access().admit(knock(`flood-${index}`))));
    expect(flood.filter((answer) => 'reply' in answer)).toHaveLength(2);
    expect(onDisk()).toHaveLength(3);
    expect(onDisk()[0]).toEqual(before);
    expect(await access().admit(knock('friend', { account: 'work' }))).toHaveProperty('reply');
    expect(await access().admit(knock('friend', { channel: 'feishu' }))).toHaveProperty('reply');
    expect(await pairing().approve(before?.code ?? '', TELEGRAM)).toMatchObject({ allowed: { entry: 'owner' } });
  });

  it('a flood of one stranger writes to the disk at most once a second', async () => {
    await access().admit(knock('7'));
    const before = readFileSync(join(home, 'telegram-pairing.json'), 'utf8');
    for (let index = 0; index < 20; index += 1) {
      now += 40;
      expect(await access().admit(knock('7'))).not.toHaveProperty('reply');
    }
    expect(readFileSync(join(home, 'telegram-pairing.json'), 'utf8')).toBe(before);
    now += 1_000;
    await access().admit(knock('7'));
    expect(onDisk()[0]?.lastSeenAt).toBe(new Date(now).toISOString());
  });

  it('what is too much for a bot is dropped on reading, the newest first', async () => {
    for (const sender of ['1', '2', '3']) {
      now += 1_000;
      await access().admit(knock(sender));
    }
    settings.pairingPendingMax = 2;
    expect((await pairing().waiting(TELEGRAM)).map(({ id }) => id)).toEqual(['1', '2']);
    expect(onDisk().map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('many at once lose nothing', async () => {
    settings.pairingPendingMax = 40;
    await Promise.all(Array.from({ length: 40 }, (_, index) => access().admit(knock(`s${index}`))));
    const waiting = await pairing().waiting(TELEGRAM);
    expect(new Set(waiting.map(({ code }) => code)).size).toBe(40);
    await Promise.all(waiting.slice(0, 8).map(({ code }) => pairing().approve(code, TELEGRAM)));
    expect(await pairing().allowed(TELEGRAM)).toHaveLength(8);
    expect(onDisk()).toHaveLength(32);
  });
});

describe('while the storage fails', () => {
  const failing = (error: Error) => {
    const fail = (): Promise<never> => Promise.reject(error);
    const files: OwnerFiles = { ...ownerFiles(), read: fail, update: fail };
    return createAccess({ files, settings: () => settings, now: () => now });
  };
  const { channel, account, ...message } = knock('anna');
  const bot = { channel, account };
  const person = { id: 'anna', chatKind: 'direct' as const };
  const CODES: StorageErrorCode[] = [
    'STORAGE_UNREACHABLE',
    'STORAGE_FAILED',
    'STORAGE_NO_PERMISSION',
    'STORAGE_NEWER_VERSION',
  ];

  it.each(['pairing', 'allowlist', 'open'] as const)('%s decides nothing', async (policy) => {
    settings.pairingPolicy = policy;
    const errors = [...CODES.map((code) => new StorageError(code, 'it failed')), new Error('getaddrinfo ENOTFOUND')];
    for (const error of errors) {
      await expect(failing(error).admit(message, bot), error.message).rejects.toBe(error);
      await expect(failing(error).stillAdmits(person, bot), error.message).rejects.toBe(error);
    }
  });

  it('a file that this user may not read is a no', async () => {
    const cause = Object.assign(new Error('denied'), { code: 'EACCES' });
    const denied = new StorageError('STORAGE_NO_PERMISSION', 'cannot use the list', cause);
    expect(await failing(denied).admit(message, bot)).toMatchObject({ allowed: false });
    expect(await failing(denied).stillAdmits(person, bot)).toBe(false);
  });
});

it('somebody who was admitted before and is no longer gets no code', async () => {
  const admits = (id: string, chatKind: 'direct' | 'group' = 'direct'): Promise<boolean> =>
    createAccess({ files: ownerFiles(), settings: () => settings, now: () => now }).stillAdmits(
      { id, chatKind },
      { channel: 'telegram', account: 'default' },
    );
  allowList('telegram-allowFrom.json', ['7']);
  expect([await admits('7'), await admits('8'), await admits('7', 'group')]).toEqual([true, false, false]);
  await pairing().revoke('7', TELEGRAM);
  expect(await admits('7')).toBe(false);
  expect(readdirSync(home)).not.toContain('telegram-pairing.json');
  settings = { ...SETTINGS, pairingPolicy: 'open', groups: true };
  expect([await admits('7'), await admits('8', 'group')]).toEqual([true, true]);
  settings = { ...SETTINGS, pairingPolicy: 'disabled', pairingAllowFrom: ['7'] };
  expect(await admits('7')).toBe(false);
  settings = { ...SETTINGS, pairingPolicy: 'allowlist' };
  writeFileSync(join(home, 'telegram-allowFrom.json'), '{');
  expect(await admits('7')).toBe(false);
});

it('an approval that is cut short before its message is sent can be repeated, and one message goes out', async () => {
  await access().admit(knock('7'));
  const code = onDisk()[0]?.code ?? '';
  const storage = createLocalStorage({ home, now: () => now });
  closing.push(() => storage.close());
  const mailbox = await storage.mailbox();
  const approving = (fail: boolean): Pairing =>
    createPairing({
      files: ownerFiles(),
      limits: () => ({ ttlMs: HOUR, max: 3 }),
      accounts: () => ['default'],
      now: () => now,
      async tell(request, chat) {
        await welcome(request, chat, { mailbox, now: () => now });
        if (fail) throw new Error('the disk is full');
        return true;
      },
    });
  await expect(approving(true).approve(code, TELEGRAM)).rejects.toThrow('full');
  expect(await approving(false).approve(code, TELEGRAM)).toMatchObject({ isTold: true });
  expect(await mailbox.due(now, 10)).toMatchObject([
    {
      chat: { channel: 'telegram', account: 'default', chatId: 'chat of 7' },
      body: expect.stringContaining('has admitted you'),
    },
  ]);
  expect((await mailbox.counts()).outbox).toBe(1);

  // Admitted again later, they get the message again.
  await pairing().revoke('7', TELEGRAM);
  await access().admit(knock('7'));
  await approving(false).approve(onDisk()[0]?.code ?? '', TELEGRAM);
  expect((await mailbox.counts()).outbox).toBe(2);
});

describe('guessing', () => {
  it('of 10,000 wrong codes in every form none admits anyone, and the right one is refused after them', async () => {
    await access().admit(knock('7'));
    const code = onDisk()[0]?.code ?? '';
    const owner = pairing();
    const outcomes = new Map<string, number>();
    for (let index = 0; index < 10_000; index += 1) {
      const forms = [
        `AAAA${String(index).padStart(4, '2')}`,
        `${code.toLowerCase()}x`,
        ` ${index} `,
        code.slice(0, 7),
        '',
      ];
      const outcome = await owner.approve(forms[index % forms.length] ?? '', TELEGRAM).then(
        () => 'admitted',
        (error: { code: string }) => error.code,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect(Object.fromEntries(outcomes)).toEqual({
      PAIRING_CODE_UNKNOWN: MOST_ATTEMPTS,
      PAIRING_TOO_MANY_ATTEMPTS: 10_000 - MOST_ATTEMPTS,
    });
    expect(readdirSync(home).filter((name) => name.includes('allowFrom'))).toEqual([]);
    await expect(pairing().approve(code, TELEGRAM)).rejects.toMatchObject({ code: 'PAIRING_TOO_MANY_ATTEMPTS' });
    now += ATTEMPTS_WINDOW_MS;
    expect(await pairing().approve(code, TELEGRAM)).toMatchObject({ allowed: { entry: '7' } });
  });

  it('attempts of many processes at once are all counted', async () => {
    await access().admit(knock('7'));
    const tries = await Promise.allSettled(Array.from({ length: 30 }, () => pairing().approve('AAAAAAAA', TELEGRAM)));
    const codes = tries.map((result) =>
      result.status === 'rejected' ? (result.reason as { code: string }).code : 'in',
    );
    expect(codes.filter((code) => code === 'PAIRING_CODE_UNKNOWN')).toHaveLength(MOST_ATTEMPTS);
    expect(codes.filter((code) => code === 'PAIRING_TOO_MANY_ATTEMPTS')).toHaveLength(30 - MOST_ATTEMPTS);
  });

  it('right codes do not use up attempts', async () => {
    settings.pairingPendingMax = 20;
    for (let index = 0; index < 15; index += 1) await access().admit(knock(`s${index}`));
    for (const { code } of await pairing().waiting(TELEGRAM)) await pairing().approve(code, TELEGRAM);
    expect(await pairing().allowed(TELEGRAM)).toHaveLength(15);
  });
});
