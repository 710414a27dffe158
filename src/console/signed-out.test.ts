import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';

const { call, send, signIn, pageOf, runtime, port } = await testConsole();
const access = await runtime.consoleAccess();
const JSON_TYPE = { 'content-type': 'application/json' };

/** An event stream that has begun; `ended` resolves when the gateway has closed it. */
function follow(cookie: string): Promise<{ ended: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/api/events', headers: { cookie, ...pageOf(cookie) }, agent: false },
      (answer) => {
        const ended = new Promise<void>((done) => answer.once('close', done));
        answer.on('error', () => {});
        answer.once('data', () => resolve({ ended }));
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

async function sessionOf(cookie: string): Promise<string> {
  return (await send('/api/me', { headers: { cookie } })).json<{ sessionId: string }>().sessionId;
}

describe('an open event stream ends at once', () => {
  it('when its browser is revoked, and those of others stay', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    const [stream, kept] = [await follow(mine), await follow(other)];
    let isKept = true;
    void kept.ended.then(() => {
      isKept = false;
    });
    await call('/api/operations/console.revoke', { id: await sessionOf(mine) });
    await stream.ended;
    expect((await send('/api/events', { headers: { cookie: mine } })).status).toBe(401);
    expect(isKept).toBe(true);
    await access.revoke(await sessionOf(other));
    await kept.ended;
  });

  it('when its person is removed', async () => {
    const { id } = await access.addPerson('Anna');
    const { ended } = await follow(await signIn(id));
    await call('/api/operations/console.removePerson', { id });
    await ended;
  });

  it('when its browser signs out', async () => {
    const cookie = await signIn();
    const { ended } = await follow(cookie);
    await send('/api/logout', { method: 'POST', headers: { cookie, ...JSON_TYPE }, body: '{}' });
    await ended;
  });

  it("when another browser replaces the password; that browser and other people's stay signed in", async () => {
    const { id } = await access.addPerson('Bo');
    const [mine, other, ofBo] = [await signIn(), await signIn(), await signIn(id)];
    const { ended } = await follow(other);
    for (const password of ['correct horse battery', 'another horse battery'])
      await send('/api/operations/console.password', {
        method: 'POST',
        headers: { cookie: mine, ...JSON_TYPE },
        body: JSON.stringify({ password }),
      });
    await ended;
    const statuses = [mine, other, ofBo].map(async (cookie) => (await send('/api/me', { headers: { cookie } })).status);
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
  });
});

it('a page of one person cannot read events with the cookie of another', async () => {
  const { id } = await access.addPerson('Cy');
  const answer = await send('/api/events?person=owner', { headers: { cookie: await signIn(id) } });
  expect([answer.status, answer.json().code]).toEqual([401, 'OTHER_PERSON']);
});
