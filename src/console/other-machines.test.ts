// The console behind a proxy, with a password, and for other machines.

import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOKEN, testConsole } from '../../test/support/test-console.ts';
import { afterFile } from '../../test/support/test-home.ts';
import { startPublicServer } from '../gateway/service/public-server.ts';
import type { ServiceSettings } from '../gateway/settings/settings.ts';
import { PAGE_HEADER } from './guard.ts';

const { send, runtime, opened, settings } = await testConsole();
const access = await runtime.consoleAccess();
const JSON_TYPE = { 'content-type': 'application/json' };
const TLS = join(import.meta.dirname, '../../test/fixtures/tls');
const signIn = (password: unknown, headers = {}, path = '/login') =>
  send(path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify({ password }) });

describe('behind a proxy', () => {
  const PROXY = { host: 'lain.example.org' };

  it('the console is below its base path, under the name of the proxy, with a cookie for HTTPS alone', async () => {
    const { code } = await access.createLink();
    const answer = await send('/lain/login/link', {
      method: 'POST',
      headers: { ...PROXY, ...JSON_TYPE },
      body: JSON.stringify({ code }),
    });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Path=\/lain\/; .*; Secure$/);
    const cookie = String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const page = { [PAGE_HEADER]: answer.json<{ page: string }>().page };
    const me = await send('/lain/api/me', {
      headers: { ...PROXY, ...page, cookie, origin: 'https://lain.example.org' },
    });
    expect(me.json()).toMatchObject({ basePath: '/lain' });
  });

  it.each<Record<string, string>>([
    { host: 'lain.example.org.evil.example' },
    { host: 'other.example.org' },
    { ...PROXY, origin: 'http://lain.example.org' },
    { ...PROXY, origin: 'https://lain.example.org.evil.example' },
    { host: 'evil.example', 'x-forwarded-host': 'lain.example.org' },
  ])('%j is refused', async (headers) => {
    expect((await send('/lain/api/me', { headers: { ...headers, authorization: `Bearer ${TOKEN}` } })).status).toBe(
      403,
    );
  });
});

describe('a password', () => {
  it('signs the owner in; a wrong one does not, and soon none is looked at', async () => {
    expect((await signIn('correct horse battery')).status).toBe(401);
    await access.setPassword('correct horse battery');
    const right = await signIn('correct horse battery');
    expect([right.status, right.headers['set-cookie']?.[0]]).toEqual([200, expect.stringContaining('HttpOnly')]);
    // Those that are let through are hashed, two at a time; the limit counts before that.
    const guesses = Array.from({ length: 30 }, () => signIn('wrong horse battery'));
    const late = signIn('correct horse battery');
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429, 503]));
    expect((await late).status).toBe(429);
  });

  it('is kept as a slow hash, and can be taken away', async () => {
    await access.setPassword('correct horse battery');
    const stored = readFileSync(join(runtime.environment.home, 'console.json'), 'utf8');
    expect(stored).toMatch(/"kind": "(argon2id|scrypt)"/);
    expect(stored).not.toContain('horse');
    expect([await access.isPassword('correct horse battery'), await access.isPassword('correct horse')]).toEqual([
      true,
      false,
    ]);
    await access.setPassword(undefined);
    expect(await access.isPassword('correct horse battery')).toBe(false);
  });

  it('that is short is refused', async () => {
    await expect(access.setPassword('short')).rejects.toMatchObject({ code: 'INVALID_PASSWORD' });
  });

  it('is asked for by a page without anything inline', async () => {
    await access.setPassword('correct horse battery');
    const page = await send('/lain/');
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('<script src="/lain/login.js">')]);
    expect(page.text).not.toMatch(/style=|<style|\son\w+=/);
    expect((await send('/lain/login.js')).headers['content-type']).toContain('javascript');
  });
});

describe('for other machines', () => {
  const start = async (more: Partial<ServiceSettings>, hasPassword = true) => {
    const server = await startPublicServer({
      settings: { ...settings(), consoleHost: '127.0.0.1', ...more },
      hasPassword: async () => hasPassword,
      handle: opened.handle,
      log() {},
      onDefect() {},
    });
    if (server) afterFile(server.close);
    return server;
  };

  it.each<[string, Partial<ServiceSettings>, boolean, RegExp]>([
    ['a password', { consolePlainHttp: true }, false, /lainclaw console password/],
    ['TLS or a word', {}, true, /consoleTlsCert=.*consolePlainHttp=true/],
    ['both files of TLS', { consoleTlsCert: join(TLS, 'cert.pem') }, true, /consoleTlsKey/],
    ['an address for browsers', { consolePlainHttp: true, consoleOrigins: [] }, true, /consoleOrigins=http:/],
    [
      'a certificate that can be read',
      { consoleTlsCert: '/nowhere', consoleTlsKey: '/nowhere' },
      true,
      /cannot be read/,
    ],
  ])('it does not start without %s', async (_what, more, hasPassword, message) => {
    await expect(start(more, hasPassword)).rejects.toMatchObject({
      code: 'GATEWAY_START_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('it serves the console over TLS, and nothing of the control API', async () => {
    const server = await start({ consoleTlsCert: join(TLS, 'cert.pem'), consoleTlsKey: join(TLS, 'key.pem') });
    const get = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { host: 'lain.example.org', authorization: `Bearer ${TOKEN}` };
        const ca = readFileSync(join(TLS, 'cert.pem'));
        request(
          { host: 'localhost', port: server?.port, path, headers, ca, servername: 'localhost', agent: false },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode ?? 0);
          },
        )
          .on('error', reject)
          .end();
      });
    expect([await get('/lain/api/me'), await get('/status'), await get('/health')]).toEqual([200, 404, 404]);
  });

  it('it is off by default', async () => {
    expect(await start({ consoleHost: undefined })).toBeUndefined();
  });
});
