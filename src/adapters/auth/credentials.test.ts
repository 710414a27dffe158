import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FakeIssuer, startFakeIssuer } from '../../../test/fakes/sign-in-issuer.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createOwnerFiles } from '../../storage/local/owner-files.ts';
import { type Auth, createAuth } from './auth.ts';

const MINUTE = 60_000;
let home: string;
let issuer: FakeIssuer;
let time: number;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lainclaw-credentials-'));
  issuer = await startFakeIssuer({ delayMs: 40 });
  time = Date.now();
});
afterEach(async () => {
  await issuer.close();
  await rm(home, { recursive: true, force: true });
});

function open(): Auth {
  const locks = createLocks(join(home, 'locks'));
  return createAuth({ files: createOwnerFiles(home, locks), locks, now: () => time, env: {}, issuer: issuer.url });
}

const stored = async (): Promise<Record<string, string>> =>
  JSON.parse(await readFile(join(home, 'auth-profiles.json'), 'utf8')).profiles.me;

/** A profile whose token lasts this long. */
async function signedIn({
  forMs,
  refresh = issuer.grantRefreshToken(),
}: {
  forMs: number;
  refresh?: string;
}): Promise<void> {
  const at = new Date(time).toISOString();
  const me = {
    profileId: 'me',
    provider: 'openai-codex',
    kind: 'oauth',
    access: 'old-access-token',
    refresh,
    expiresAt: new Date(time + forMs).toISOString(),
    createdAt: at,
    updatedAt: at,
    accountId: 'account-1',
    email: 'me@example.com',
  };
  await mkdir(home, { recursive: true });
  const file = { version: 1, active: { 'openai-codex': 'me' }, profiles: { me } };
  await writeFile(join(home, 'auth-profiles.json'), JSON.stringify(file), { mode: 0o600 });
}

test('a token that lasts is used as it is', async () => {
  await signedIn({ forMs: 10 * MINUTE });
  expect(await open().credential('openai-codex')).toEqual({
    ok: true,
    kind: 'oauth',
    secret: 'old-access-token',
    profileId: 'me',
    accountId: 'account-1',
  });
  expect(issuer.requests).toEqual([]);
});

test('a token about to expire is renewed and stored before it is used', async () => {
  await signedIn({ forMs: 1.5 * MINUTE });
  const given = await open().credential('openai-codex');
  expect(given).toMatchObject({ ok: true, profileId: 'me' });
  expect(given.ok && given.secret).not.toBe('old-access-token');
  expect(await stored()).toMatchObject({ access: given.ok && given.secret, email: 'me@example.com' });
  expect(issuer.requests).toHaveLength(1);
});

test('many askers of several instances renew it once', async () => {
  await signedIn({ forMs: -MINUTE });
  const instances = [open(), open(), open()];
  const given = await Promise.all(instances.flatMap((auth) => [1, 2, 3].map(() => auth.credential('openai-codex'))));
  expect(issuer.requests).toHaveLength(1);
  expect(new Set(given.map((one) => one.ok && one.secret)).size).toBe(1);
  expect(given.every(({ ok }) => ok)).toBe(true);
});

test('two processes renew it once', async () => {
  await signedIn({ forMs: -MINUTE });
  const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { createAuth } from ${at('./auth.ts')};
    import { createLocks } from ${at('../../storage/local/locks.ts')};
    import { createOwnerFiles } from ${at('../../storage/local/owner-files.ts')};
    const locks = createLocks(process.env.TEST_HOME + '/locks');
    const auth = createAuth({ files: createOwnerFiles(process.env.TEST_HOME, locks), locks, now: Date.now, env: {}, issuer: process.env.TEST_ISSUER });
    process.stdout.write(JSON.stringify(await auth.credential('openai-codex')));`;
  const env = { ...process.env, TEST_HOME: home, TEST_ISSUER: issuer.url };
  const run = () =>
    promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], { env });
  const outputs = await Promise.all([run(), run(), run()]);
  const given = outputs.map(({ stdout }) => JSON.parse(stdout));
  expect(issuer.requests).toHaveLength(1);
  expect(given).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect(new Set(given.map(({ secret }) => secret)).size).toBe(1);
  expect((await stored()).access).toBe(given[0].secret);
});

test('a revoked sign-in says the command that helps, keeps the profile and holds no secret', async () => {
  await signedIn({ forMs: -MINUTE, refresh: 'refresh-used-before' });
  const given = await open().credential('openai-codex');
  expect(given).toMatchObject({
    ok: false,
    failure: { code: 'auth', message: expect.stringContaining('lainclaw auth login openai-codex') },
  });
  expect(JSON.stringify(given)).not.toContain('refresh-used-before');
  expect(await stored()).toMatchObject({ refresh: 'refresh-used-before' });
});

test('when the service cannot be reached, a token that still works is used, and an expired one is a network failure', async () => {
  issuer.refuseTokens({ status: 503, body: 'down for maintenance' });
  await signedIn({ forMs: MINUTE });
  expect(await open().credential('openai-codex')).toMatchObject({ ok: true, secret: 'old-access-token' });
  await signedIn({ forMs: -MINUTE });
  expect(await open().credential('openai-codex')).toMatchObject({ ok: false, failure: { code: 'network' } });
});

test('a token that was not accepted is renewed although it looks fresh, unless someone already did', async () => {
  await signedIn({ forMs: 60 * MINUTE });
  const auth = open();
  const first = await auth.credential('openai-codex', { rejected: 'old-access-token' });
  const second = await open().credential('openai-codex', { rejected: 'old-access-token' });
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(issuer.requests).toHaveLength(1);
});

test('cancelling does not lose a token that is just being renewed', async () => {
  await signedIn({ forMs: -MINUTE });
  const auth = open();
  const controller = new AbortController();
  const asked = auth.credential('openai-codex', { signal: controller.signal });
  // The answer takes the issuer a moment.
  await eventually(() => expect(issuer.requests).toHaveLength(1));
  controller.abort();
  await asked;
  expect((await stored()).access).not.toBe('old-access-token');
  expect(issuer.requests).toHaveLength(1);
});

test('cancelling while another process holds the lock ends at once', async () => {
  await signedIn({ forMs: -MINUTE });
  const lock = await createLocks(join(home, 'locks')).acquire('auth');
  const given = await open().credential('openai-codex', { signal: AbortSignal.timeout(40) });
  expect(given).toMatchObject({ ok: false, failure: { code: 'cancelled' } });
  await lock.release();
});
