import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeIssuer, startFakeIssuer } from '../../../test/fakes/sign-in-issuer.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createOwnerFiles } from '../../storage/local/owner-files.ts';
import { type Auth, type AuthOptions, createAuth } from './auth.ts';
import type { LoginInteraction } from './codex-login.ts';

const KEY = 'sk-proj-abcdefghijklmnop1234';
const START = Date.parse('2026-11-15T12:00:00Z');
const never = new AbortController().signal;

let home: string;
let issuer: FakeIssuer;
let time: number;

beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), 'lainclaw-auth-')), 'home');
  issuer = await startFakeIssuer();
  time = START;
});
afterEach(async () => {
  await issuer.close();
  await rm(join(home, '..'), { recursive: true, force: true });
});

function open(options: Partial<AuthOptions> = {}): Auth {
  const locks = createLocks(join(home, 'locks'));
  return createAuth({
    files: createOwnerFiles(home, locks),
    locks,
    now: () => time,
    env: {},
    issuer: issuer.url,
    callbackPort: 0,
    sleep: async () => issuer.approveDevice(),
    ...options,
  });
}

const file = (): string => join(home, 'auth-profiles.json');

interface Screen extends LoginInteraction {
  lines: string[];
}

function screen(parts: Partial<LoginInteraction> = {}): Screen {
  const lines: string[] = [];
  return {
    lines,
    showUrl: (url) => lines.push(url),
    showDeviceCode: ({ userCode, verificationUrl }) => lines.push(`${userCode} ${verificationUrl}`),
    readPastedCode: () => new Promise(() => {}),
    progress: (text) => lines.push(text),
    ...parts,
  };
}

/** Signs in by pasting, the way without a browser on this machine. */
function paste(
  auth: Auth,
  change = (address: string): string => address,
  profileId?: string,
): ReturnType<Auth['login']> {
  let page = '';
  const interaction = screen({
    showUrl: (url) => {
      page = url;
    },
    readPastedCode: async () => change(issuer.authorize(page)),
  });
  return auth.login({ provider: 'openai-codex', method: 'browser', interaction, profileId, signal: never });
}

async function nothingSecretIn(...values: unknown[]): Promise<void> {
  const told = inspect(values, { depth: 10, showHidden: true });
  for (const secret of [...issuer.secrets, KEY]) expect(told).not.toContain(secret);
}

describe('an API key', () => {
  test('is stored for its owner alone, becomes active, and is shown by its last characters only', async () => {
    const auth = open();
    const profile = await auth.login({ provider: 'openai', method: 'api-key', key: `  ${KEY}\n` });
    expect(profile).toMatchObject({ profileId: 'openai:default', provider: 'openai', active: true, key: '…1234' });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({
      version: 1,
      active: { openai: 'openai:default' },
      profiles: { 'openai:default': { kind: 'api-key', key: KEY, createdAt: '2026-11-15T12:00:00.000Z' } },
    });
    await nothingSecretIn(profile, await auth.status());
    expect(await auth.credential('openai')).toEqual({
      ok: true,
      kind: 'api-key',
      secret: KEY,
      profileId: 'openai:default',
    });
    expect(await auth.profileFor('openai')).toBe('openai:default');
  });

  test.for(['', '   ', 'a b', 'key\nX-Evil: 1', 'ключ'])('"%s" is none, and nothing is stored', async (key) => {
    await expect(open().login({ provider: 'openai', method: 'api-key', key })).rejects.toMatchObject({
      code: 'AUTH_BAD_KEY',
    });
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  test('of the environment comes before the active profile, and after one asked for by name', async () => {
    const auth = open({ env: { ANTHROPIC_API_KEY: 'from-environment-9876', OPENAI_API_KEY: '' } });
    await auth.login({ provider: 'anthropic', method: 'api-key', key: KEY, profileId: 'work' });
    expect(await auth.credential('anthropic')).toEqual({ ok: true, kind: 'api-key', secret: 'from-environment-9876' });
    expect(await auth.profileFor('anthropic')).toBeUndefined();
    expect(await auth.credential('anthropic', { profileId: 'work' })).toMatchObject({ secret: KEY, profileId: 'work' });
    expect((await auth.status()).environment).toEqual([
      { provider: 'anthropic', variable: 'ANTHROPIC_API_KEY', key: '…9876' },
    ]);
  });

  test('of the environment that could not be sent is named by its variable, not quoted', async () => {
    const auth = open({ env: { OPENAI_API_KEY: `${KEY}\n${KEY}` } });
    const given = await auth.credential('openai');
    expect(given).toMatchObject({
      ok: false,
      failure: { code: 'auth', message: expect.stringContaining('OPENAI_API_KEY') },
    });
    await nothingSecretIn(given);
  });

  test('stored for one server is not given out for another', async () => {
    const auth = open();
    await auth.login({
      provider: 'openai-compatible',
      method: 'api-key',
      key: KEY,
      baseUrl: 'https://api.deepseek.com/v1',
    });
    const there = { baseUrl: 'https://api.deepseek.com/v1' };
    const elsewhere = { baseUrl: 'http://127.0.0.1:11434/v1' };
    expect(await auth.credential('openai-compatible', there)).toMatchObject({
      secret: KEY,
      profileId: 'openai-compatible:api.deepseek.com',
    });
    expect(await auth.credential('openai-compatible', elsewhere)).toEqual({ ok: true, kind: 'none' });
    const profileId = 'openai-compatible:api.deepseek.com';
    expect(await auth.credential('openai-compatible', { ...elsewhere, profileId })).toMatchObject({
      ok: false,
      failure: { code: 'auth' },
    });
  });
});

describe('what a key is stored with', () => {
  const login = (request: { provider?: string; baseUrl?: string; profileId?: string }, env = {}) =>
    open({ env }).login({ provider: 'openai-compatible', method: 'api-key', key: KEY, ...request });

  test('a server must be named where there are many, by flag or environment', async () => {
    await expect(login({})).rejects.toMatchObject({
      code: 'AUTH_BAD_ADDRESS',
      message: expect.stringContaining('--base-url'),
    });
    expect(await login({}, { LAINCLAW_BASE_URL: 'http://gpu.lan:8000/v1/' })).toMatchObject({
      baseUrl: 'http://gpu.lan:8000/v1',
    });
    const error = await login({ baseUrl: `https://me:${KEY}@example.com` }).catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: 'AUTH_BAD_ADDRESS' });
    await nothingSecretIn(error);
  });

  test.for(['', 'two words', 'line\nbreak', 'x'.repeat(101)])('"%s" is not a name', async (profileId) => {
    await expect(login({ provider: 'openai', profileId })).rejects.toMatchObject({ code: 'AUTH_BAD_NAME' });
  });

  test('a name that means something to the language is only a name', async () => {
    await login({ provider: 'openai', profileId: '__proto__' });
    expect(await open().credential('openai')).toMatchObject({ secret: KEY, profileId: '__proto__' });
  });
});

describe('profiles', () => {
  test('not signed in: the command that helps', async () => {
    expect(await open().credential('openai-codex')).toMatchObject({
      ok: false,
      failure: { code: 'auth', message: expect.stringContaining('lainclaw auth login openai-codex') },
    });
    expect(await open().credential('openai')).toMatchObject({
      failure: { message: expect.stringMatching(/lainclaw auth login openai --api-key-stdin.*OPENAI_API_KEY/) },
    });
    expect(await open().credential('openai-compatible')).toEqual({ ok: true, kind: 'none' });
    expect(await open().status()).toMatchObject({ profiles: [], environment: [] });
  });

  test('one is chosen, one leaves and another takes its place, all leave', async () => {
    const auth = open();
    await auth.login({ provider: 'openai', method: 'api-key', key: `${KEY}-home`, profileId: 'home' });
    await auth.login({ provider: 'openai', method: 'api-key', key: `${KEY}-work`, profileId: 'work' });
    expect(await auth.use('home')).toMatchObject({ profileId: 'home', active: true });
    expect(await auth.credential('openai')).toMatchObject({ secret: `${KEY}-home` });
    expect(await auth.logout('home')).toEqual(['home']);
    expect(await auth.credential('openai')).toMatchObject({ profileId: 'work' });
    expect(await auth.logout({ all: true })).toEqual(['work']);
    expect(await auth.credential('openai')).toMatchObject({ ok: false, failure: { code: 'auth' } });
    expect(await readFile(file(), 'utf8')).not.toContain(KEY);
  });

  test('unknown names are refused with those there are', async () => {
    const auth = open();
    await auth.login({ provider: 'openai', method: 'api-key', key: KEY, profileId: 'home' });
    await expect(auth.use('hom')).rejects.toMatchObject({
      code: 'AUTH_UNKNOWN_PROFILE',
      message: expect.stringContaining('home'),
    });
    await expect(auth.logout('x')).rejects.toMatchObject({ code: 'AUTH_UNKNOWN_PROFILE' });
    await expect(auth.login({ provider: 'opanai', method: 'api-key', key: KEY })).rejects.toMatchObject({
      code: 'AUTH_UNKNOWN_PROVIDER',
    });
    await expect(auth.login({ provider: 'openai-codex', method: 'api-key', key: KEY })).rejects.toMatchObject({
      message: expect.stringContaining('lainclaw auth login openai-codex'),
    });
    await expect(
      auth.login({ provider: 'anthropic', method: 'api-key', key: KEY, profileId: 'home' }),
    ).rejects.toMatchObject({ code: 'AUTH_UNKNOWN_PROFILE' });
    expect(await auth.credential('openai', { profileId: 'nobody' })).toMatchObject({
      ok: false,
      failure: { code: 'auth', message: expect.stringContaining('nobody') },
    });
  });

  test.for([
    '{"version":1,"active":{},"profiles":{"a":',
    '[]',
    '{"version":1}',
    '{"version":1,"active":{},"profiles":{"a":{"kind":"oauth"}}}',
  ])('a damaged file is left alone until the next sign-in, which keeps it aside: %s', async (content) => {
    const auth = open();
    await auth.login({ provider: 'openai', method: 'api-key', key: KEY });
    await writeFile(file(), content);
    await expect(auth.status()).rejects.toThrow(/damaged/);
    await expect(auth.use('a')).rejects.toThrow(/damaged/);
    await expect(auth.logout({ all: true })).rejects.toThrow(/damaged/);
    expect(await auth.credential('openai')).toMatchObject({
      ok: false,
      failure: { code: 'auth', message: expect.stringContaining('lainclaw auth login openai') },
    });
    expect(await readFile(file(), 'utf8')).toBe(content);
    await auth.login({ provider: 'openai', method: 'api-key', key: KEY });
    const aside = (await readdir(home)).filter((name) => name.includes('.damaged-'));
    expect(aside).toHaveLength(1);
    expect(await readFile(join(home, aside[0] ?? ''), 'utf8')).toBe(content);
    expect(await auth.credential('openai')).toMatchObject({ ok: true });
  });

  test('a file of a newer version is refused and not touched', async () => {
    const auth = open();
    await auth.login({ provider: 'openai', method: 'api-key', key: KEY });
    const newer = '{"version":2,"who":"knows"}';
    await writeFile(file(), newer);
    await expect(auth.login({ provider: 'openai', method: 'api-key', key: KEY })).rejects.toMatchObject({
      code: 'STORAGE_NEWER_VERSION',
    });
    expect(await auth.credential('openai')).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('newer') },
    });
    expect(await readFile(file(), 'utf8')).toBe(newer);
  });

  test('a file that became readable to others is closed again', async () => {
    const auth = open();
    await auth.login({ provider: 'openai', method: 'api-key', key: KEY });
    await chmod(file(), 0o644);
    await auth.status();
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  test('many sign-ins at once lose none', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `profile-${index}`);
    await Promise.all(
      ids.map((profileId) => open().login({ provider: 'openai', method: 'api-key', key: KEY, profileId })),
    );
    expect((await open().status()).profiles.map(({ profileId }) => profileId).sort()).toEqual([...ids].sort());
  });
});

describe('signing in to ChatGPT', () => {
  test('the browser comes back to this machine', async () => {
    const port = await freePort();
    const auth = open({ callbackPort: port });
    let answer: Response | undefined;
    const interaction = screen({
      showUrl: async (url) => {
        expect(new URL(url).searchParams.get('redirect_uri')).toBe(`http://localhost:${port}/auth/callback`);
        const back = issuer.authorize(url);
        expect((await fetch(back.replace(/state=.*/, 'state=guessed'))).status).toBe(400);
        expect((await fetch(`http://localhost:${port}/elsewhere`)).status).toBe(404);
        answer = await fetch(back);
      },
    });
    const profile = await auth.login({ provider: 'openai-codex', method: 'browser', interaction, signal: never });
    expect(profile).toMatchObject({
      profileId: 'openai-codex:me@example.com',
      email: 'me@example.com',
      accountId: 'account-1',
      active: true,
      expiresAt: '2026-11-15T13:00:00.000Z',
      expired: false,
    });
    expect(answer?.status).toBe(200);
    await expect(fetch(`http://localhost:${port}/auth/callback`)).rejects.toThrow();
    await nothingSecretIn(profile, await auth.status(), interaction.lines);
    expect(await auth.credential('openai-codex')).toMatchObject({ ok: true, kind: 'oauth', accountId: 'account-1' });
  });

  test('a page that was left without permission ends it', async () => {
    const port = await freePort();
    const interaction = screen({
      showUrl: (url) => {
        const state = new URL(url).searchParams.get('state');
        void fetch(`http://localhost:${port}/auth/callback?error=access_denied&state=${state}`);
      },
    });
    await expect(
      open({ callbackPort: port }).login({ provider: 'openai-codex', method: 'browser', interaction, signal: never }),
    ).rejects.toMatchObject({
      code: 'AUTH_LOGIN_FAILED',
      message: expect.stringContaining('lainclaw auth login openai-codex'),
    });
  });

  test.for([
    ['the whole address', (address: string) => `  ${address}\n`],
    ['its query', (address: string) => new URL(address).search.slice(1)],
    ['the code alone', (address: string) => new URL(address).searchParams.get('code') ?? ''],
    [
      'code and state',
      (address: string) => `${new URL(address).searchParams.get('code')}#${new URL(address).searchParams.get('state')}`,
    ],
  ] as const)('pasting %s works as well', async ([, change]) => {
    expect(await paste(open(), change)).toMatchObject({ email: 'me@example.com' });
  });

  test('with the port taken, pasting is offered and works', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    let page = '';
    const interaction = screen({
      showUrl: (url) => {
        page = url;
      },
      readPastedCode: async () => issuer.authorize(page),
    });
    await open({ callbackPort: port }).login({
      provider: 'openai-codex',
      method: 'browser',
      interaction,
      signal: never,
    });
    expect(interaction.lines).toEqual([expect.stringContaining(`Port ${port} is in use`)]);
    other.close();
  });

  test('what belongs to another sign-in, or holds no code, is asked for again', async () => {
    let page = '';
    const pasted = ['', 'http://localhost:1455/auth/callback?code=evil&state=other'];
    const interaction = screen({
      showUrl: (url) => {
        page = url;
      },
      readPastedCode: async () => pasted.shift() ?? issuer.authorize(page),
    });
    await open().login({ provider: 'openai-codex', method: 'browser', interaction, signal: never });
    expect(interaction.lines).toHaveLength(2);
    expect(issuer.requests.some(({ fields }) => fields.code === 'evil')).toBe(false);
  });

  test('a code that is not accepted says so, and holds nothing secret', async () => {
    const error = await paste(open(), () => 'wrong-code').catch((caught: Error) => caught);
    expect(error).toMatchObject({
      code: 'AUTH_LOGIN_FAILED',
      message: expect.stringContaining('lainclaw auth login openai-codex'),
    });
    await nothingSecretIn(error);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  test('an incomplete answer is not quoted', async () => {
    issuer.refuseTokens({ status: 200, body: { access_token: KEY, refresh_token: KEY } });
    const error = await paste(open()).catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: 'AUTH_LOGIN_FAILED' });
    await nothingSecretIn(error);
  });

  test('without a browser a code is shown and asked after until it was typed in', async () => {
    const interaction = screen();
    const profile = await open().login({ provider: 'openai-codex', method: 'device', interaction, signal: never });
    expect(interaction.lines).toEqual([`ABCD-EFGH ${issuer.url}/codex/device`]);
    expect(profile).toMatchObject({ email: 'me@example.com' });
    expect(issuer.requests.filter(({ path }) => path.endsWith('/deviceauth/token'))).toHaveLength(2);
  });

  test.for(['browser', 'device'] as const)('cancelling ends it (%s)', async (method) => {
    const auth = open({
      sleep: (_ms, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const login = auth.login({
      provider: 'openai-codex',
      method,
      interaction: screen(),
      signal: AbortSignal.timeout(50),
    });
    await expect(login).rejects.toMatchObject({ code: 'AUTH_CANCELLED' });
  });

  test('a code that nobody types in runs out', async () => {
    const auth = open({
      sleep: async () => {
        time += 60_000;
      },
    });
    await expect(
      auth.login({ provider: 'openai-codex', method: 'device', interaction: screen(), signal: never }),
    ).rejects.toMatchObject({
      code: 'AUTH_LOGIN_FAILED',
      message: expect.stringContaining('in time'),
    });
  });
});
