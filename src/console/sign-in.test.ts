import { describe, expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';
import { PAGE_HEADER } from './guard.ts';

const { send, call, runtime, signIn, settings } = await testConsole();
const access = await runtime.consoleAccess();
const JSON_TYPE = { 'content-type': 'application/json' };
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
const useLink = (code: string, headers = {}) => post('/login/link', { code }, headers);

describe('a link', () => {
  it('signs in once, with a cookie that scripts cannot read', async () => {
    const { code } = await access.createLink();
    const first = await useLink(code, { 'user-agent': 'a browser' });
    expect([first.status, first.headers['set-cookie']?.[0]]).toEqual([
      200,
      expect.stringMatching(/HttpOnly; SameSite=Strict/),
    ]);
    expect((await useLink(code)).json()).toMatchObject({ status: 401, code: 'LINK_INVALID' });
    const headers = {
      cookie: String(first.headers['set-cookie']?.[0]).split(';')[0] ?? '',
      [PAGE_HEADER]: first.json<{ page: string }>().page,
    };
    expect((await send('/api/me', { headers })).json()).toMatchObject({ role: 'owner' });
    const sessions = await call<{ id: string; agent: string }[]>('/api/operations/console.sessions', {});
    expect(sessions).toMatchObject([{ agent: 'a browser', person: 'owner' }]);
    expect(JSON.stringify(sessions)).not.toContain('igest');
    await call('/api/operations/console.revoke', { id: sessions[0]?.id });
    expect((await send('/api/me', { headers })).status).toBe(401);
  });

  it.each(['', 'prefetch'])('that is only loaded signs nobody in and stays usable (%j)', async (purpose) => {
    const { code } = await access.createLink();
    const loaded = await send(`/login?code=${code}`, { headers: { 'sec-purpose': purpose } });
    expect([loaded.status, loaded.headers['set-cookie'], loaded.text]).toEqual([
      200,
      undefined,
      expect.stringContaining('<button id="enter"'),
    ]);
    expect((await useLink(code)).status).toBe(200);
  });

  it('says whom it signs in before it does, so that nobody is signed in as somebody else unawares', async () => {
    const { id } = await access.addPerson('Anna');
    const { code } = await access.createLink({ person: id });
    for (const _ of [1, 2])
      expect((await post('/login/link/person', { code })).json()).toEqual({ name: 'Anna', role: 'person' });
    expect((await useLink(code)).status).toBe(200);
    expect((await post('/login/link/person', { code })).status).toBe(401);
  });

  it.each([
    ['has expired', async () => (await access.createLink({ ttlMs: -1 })).code],
    ['is not one', async () => 'x'],
    ['is not a text', async () => 7],
  ])('that %s is refused', async (_what, codeOf) => {
    expect((await post('/login/link', { code: await codeOf() })).status).toBe(401);
  });

  it('is refused from another site, however it is sent', async () => {
    const { code } = await access.createLink();
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'same-site' }])
      expect((await useLink(code, headers)).status).toBe(403);
    expect((await useLink(code)).status).toBe(200);
  });
});

describe('a cookie', () => {
  it('alone opens nothing but the files of the page: another port of this host gets to see it', async () => {
    const cookie = await signIn();
    const alone = { cookie, [PAGE_HEADER]: '' };
    for (const [path, sent] of [
      ['/api/me', {}],
      ['/api/events', {}],
      ['/api/operations', {}],
      ['/api/operations/sessions.list', { method: 'POST', body: '{}' }],
      ['/api/turns', { method: 'POST', body: '{"text":"hi"}' }],
    ] as const)
      expect([path, (await send(path, { ...sent, headers: { ...alone, ...JSON_TYPE } })).status]).toEqual([path, 401]);
    const other = await signIn();
    const page = (await access.signIn('owner', '')).page;
    expect((await send('/api/me', { headers: { cookie: other, [PAGE_HEADER]: page } })).status).toBe(401);
    expect((await send('/api/openapi.json', { headers: alone })).status).toBe(200);
    expect((await send('/api/me', { headers: { cookie } })).status).toBe(200);
  });

  it('of somebody who is signed in works, no matter how many wrong ones come from the same address', async () => {
    const cookie = await signIn();
    const name = cookie.split('=')[0];
    const statuses = new Set<number>();
    for (let sent = 0; sent < 120; sent += 1)
      statuses.add((await send('/api/me', { headers: { cookie: `${name}=${'x'.repeat(43)}` } })).status);
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await send('/api/me', { headers: { cookie } })).status).toBe(200);
    // A browser with a wrong one can still sign in, and programs are not concerned.
    expect((await send('/', { headers: { cookie: `${name}=${'x'.repeat(43)}` } })).status).toBe(401);
    expect((await useLink((await access.createLink()).code)).status).toBe(200);
    await call('/api/me');
  });
});

describe('wrong passwords', () => {
  const proxies = settings().consoleProxies;
  const guess = (from: string) => post('/login', { password: 'x' }, { 'x-forwarded-for': from });
  async function exhaust(from: (sent: number) => string): Promise<Set<number>> {
    const statuses = new Set<number>();
    for (let sent = 0; sent < 30; sent += 1) statuses.add((await guess(from(sent))).status);
    return statuses;
  }

  it('are counted by visitor behind a proxy that the owner named', async () => {
    proxies.push('127.0.0.1');
    // What the visitor claims stands before what the proxy adds.
    expect(await exhaust((sent) => `10.0.0.${sent}, 203.0.113.7`)).toEqual(new Set([401, 429]));
    expect((await guess('203.0.113.8')).status).toBe(401);
    proxies.length = 0;
  });

  it('are counted by connection otherwise, whatever a header says', async () => {
    expect(await exhaust((sent) => `203.0.113.${sent + 20}`)).toEqual(new Set([401, 429]));
  });

  it('that are larger than a password are not read, and count', async () => {
    proxies.push('127.0.0.1');
    const body = { password: 'x'.repeat(9_000) };
    const statuses: number[] = [];
    for (let sent = 0; sent < 30; sent += 1)
      statuses.push((await post('/login', body, { 'x-forwarded-for': '203.0.113.9' })).status);
    expect([statuses[0], statuses.includes(429)]).toEqual([413, true]);
    proxies.length = 0;
  });
});
