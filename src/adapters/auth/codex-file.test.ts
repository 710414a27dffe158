import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { borrowCodexToken, codexFileOf, readCodexFile } from './codex-file.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

function jwt(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.signature`;
}

const access = (expiresAt = NOW + HOUR): string =>
  jwt({ exp: expiresAt / 1000, 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } });

function fileWith(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-codex-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'auth.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const tokens = (token: string, more: object = {}) => ({
  OPENAI_API_KEY: null,
  tokens: {
    id_token: jwt({ email: 'me@example.com' }),
    access_token: token,
    refresh_token: 'refresh-secret',
    account_id: 'account-2',
    ...more,
  },
  last_refresh: '2025-12-31T00:00:00Z',
});

describe('the file of Codex', () => {
  it('is in its own folder, or where CODEX_HOME says', () => {
    expect(codexFileOf({ userHome: '/home/me', variables: {} })).toBe('/home/me/.codex/auth.json');
    expect(codexFileOf({ userHome: '/home/me', variables: { CODEX_HOME: '/else' } })).toBe('/else/auth.json');
  });

  it('holds a sign-in to ChatGPT', async () => {
    expect(await readCodexFile(fileWith(tokens(access())))).toEqual({
      kind: 'chatgpt',
      access: access(),
      accountId: 'account-2',
      email: 'me@example.com',
      expiresAt: new Date(NOW + HOUR).toISOString(),
    });
  });

  it('names the account in the token where it does not name it itself', async () => {
    expect(await readCodexFile(fileWith(tokens(access(), { account_id: undefined })))).toMatchObject({
      accountId: 'account-1',
    });
  });

  it('or an API key', async () => {
    const key = { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-1234', tokens: null };
    expect(await readCodexFile(fileWith(key))).toEqual({ kind: 'api-key', key: 'sk-1234' });
  });

  it.each([
    ['{', 'not JSON'],
    ['[]', 'nobody is signed in'],
    ['null', 'not JSON'],
    ['{}', 'nobody is signed in'],
    [tokens('with blanks'), 'nobody is signed in'],
    [tokens('opaque', { account_id: '' }), 'no ChatGPT account'],
    [{ OPENAI_API_KEY: 'sk secret' }, 'nobody is signed in'],
    ['x'.repeat(1_100_000), 'not a file of Codex'],
  ])('is refused, and nothing of it is quoted (%#)', async (content, reason) => {
    const refused = readCodexFile(fileWith(content));
    await expect(refused).rejects.toMatchObject({ code: 'AUTH_NOTHING_TO_REUSE' });
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.not.toThrow(/secret|blanks|opaque/);
  });

  it('that is missing, or a folder, says so', async () => {
    const folder = join(fileWith('{}'), '..');
    await expect(readCodexFile(join(folder, 'none.json'))).rejects.toThrow('there is no such file');
    mkdirSync(join(folder, 'inner'));
    await expect(readCodexFile(join(folder, 'inner'))).rejects.toThrow('not a file of Codex');
  });
});

describe('a borrowed token', () => {
  it('is read again each time, so that what Codex has renewed is used', async () => {
    const path = fileWith(tokens(access()));
    expect(await borrowCodexToken(path, { now: NOW })).toMatchObject({ access: access() });
    const renewed = access(NOW + 2 * HOUR);
    writeFileSync(path, JSON.stringify(tokens(renewed)));
    expect(await borrowCodexToken(path, { now: NOW, rejected: access() })).toMatchObject({ access: renewed });
  });

  it.each([
    ['has expired', { now: NOW + HOUR }],
    ['is no longer accepted', { now: NOW, rejected: access() }],
  ])('that %s is not renewed here: it says what to do', async (words, at) => {
    const refused = borrowCodexToken(fileWith(tokens(access())), at);
    await expect(refused).rejects.toMatchObject({ code: 'AUTH_REVOKED' });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toThrow('Start codex once');
  });

  it('is gone when Codex signed in with an API key', async () => {
    await expect(borrowCodexToken(fileWith({ OPENAI_API_KEY: 'sk-1' }), { now: NOW })).rejects.toThrow('API key now');
  });
});
