import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { testConsole } from '../../test/support/test-console.ts';

const { call, send, signIn, runtime, settings } = await testConsole();

async function person(name: string) {
  const { id } = await (await runtime.consoleAccess()).addPerson(name);
  return signedIn(id, await signIn(id));
}

async function signedIn(id: string, cookie: string) {
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    id,
    cookie,
    post,
    operation: (operation: string, input: object = {}) => post(`/api/operations/${operation}`, input),
    async ask(text: string) {
      const { session, turn } = (await post('/api/turns', { text })).json<{ session: string; turn: string }>();
      for await (const _ of runtime.hub.read(turn));
      return { session, turn };
    },
  };
}

const owner = await signedIn('owner', await signIn());
const anna = await person('Anna');
const bo = await person('Bo');
const ofOwner = await call<{ session: string; turn: string }>('/api/turns', {
  session: 'main',
  text: 'a secret of mine',
});
for await (const _ of runtime.hub.read(ofOwner.turn));
const ofAnna = await anna.ask('the wedding is in May');

describe('people of the console', () => {
  it('have conversations of their own, and see only these', async () => {
    expect(ofAnna.session).toMatch(`console:${anna.id}:`);
    const listed = (await anna.operation('sessions.list')).json<{
      sessions: { sessionKey: string }[];
      total: number;
    }>();
    expect([listed.sessions.map(({ sessionKey }) => sessionKey), listed.total]).toEqual([[ofAnna.session], 1]);
    expect((await bo.operation('sessions.list')).json()).toMatchObject({ sessions: [], total: 0 });
    expect((await bo.operation('sessions.search', { words: 'wedding' })).json()).toEqual([]);
    expect((await anna.operation('sessions.search', { words: 'wedding' })).json()).toHaveLength(1);
    expect((await bo.operation('turns.list')).json()).toEqual([]);
    expect((await anna.operation('turns.list')).json()).toMatchObject([{ id: ofAnna.turn }]);
  });

  it.each([ofAnna.session, 'main', 'console:', `console:${anna.id}`, '', 'no-such'])(
    'cannot name %j when it is not theirs, whatever they do with it',
    async (key) => {
      const tries = ['show', 'turns', 'delete', 'export', 'replay', 'fork'].map(
        (verb) => [`sessions.${verb}`, { key }] as const,
      );
      for (const [name, input] of [
        ...tries,
        ['sessions.rename', { key, title: 'mine' }] as const,
        ['turns.start', { session: key, text: 'hi' }] as const,
      ]) {
        const answer = await bo.operation(name, input);
        expect([name, answer.status, answer.text]).toEqual([name, 403, expect.not.stringContaining('secret')]);
      }
      expect((await bo.post('/api/turns', { session: key, text: 'hi' })).status).toBe(403);
    },
  );

  it('learn nothing of others from an error', async () => {
    const { text, status } = await bo.operation('sessions.show', { key: `console:${bo.id}:none` });
    expect([status, text]).toEqual([404, expect.not.stringContaining(anna.id)]);
    expect(text).not.toContain('main');
    for (const id of [ofAnna.turn, ofOwner.turn]) {
      expect((await bo.operation('turns.stop', { id })).status).toBe(404);
      expect((await send(`/api/turns/${id}/events`, { headers: { cookie: bo.cookie } })).status).toBe(404);
    }
    expect((await send(`/api/turns/${ofAnna.turn}/events`, { headers: { cookie: anna.cookie } })).status).toBe(200);
  });

  it('have a memory of their own', async () => {
    await call('/api/operations/core-memory.set', { section: 'user', key: 'city', value: 'Riga' });
    expect((await anna.operation('core-memory.get')).json()).toEqual({ user: {}, agent: {} });
    await anna.operation('core-memory.set', { section: 'user', key: 'city', value: 'Oslo' });
    expect((await anna.operation('core-memory.get')).json()).toMatchObject({ user: { city: 'Oslo' } });
    expect((await bo.operation('core-memory.get', { scope: `person:console:${anna.id}` })).status).toBe(403);
    expect((await bo.operation('memory.list', { scope: 'owner' })).status).toBe(403);
    expect((await bo.operation('memory.list')).json()).toEqual([]);
  });

  it.each([
    'config.list',
    'permissions.list',
    'console.people',
    'gateway.stop',
    'turns.answer',
    'tools.invoke',
    'usage.today',
  ])('cannot call %s, and are not shown it', async (name) => {
    expect((await anna.operation(name)).json()).toMatchObject({ status: 403, code: 'NOT_ALLOWED' });
    const listed = (await send('/api/operations', { headers: { cookie: anna.cookie } })).json<{ name: string }[]>();
    expect(listed.map((each) => each.name)).not.toContain(name);
  });

  it('cannot take back files, which others may have changed since', async () => {
    const input = { key: ofAnna.session, turn: ofAnna.turn, files: true, force: true };
    expect((await anna.operation('sessions.rewind', input)).json()).toMatchObject({ status: 403, code: 'NOT_ALLOWED' });
  });

  it('are signed out when they are removed', async () => {
    const gone = await person('Gone');
    await call('/api/operations/console.removePerson', { id: gone.id });
    expect((await gone.operation('sessions.list')).status).toBe(401);
  });

  it('ask nothing more once they are removed, also of what they had written to a turn', async () => {
    const [gone, stays] = [await person('Gone too'), await person('Stays')];
    const end = Promise.withResolvers<void>();
    for (const { id } of [gone, stays])
      void runtime.hub.start({
        id: `turn-of-${id}`,
        sessionKey: `console:${id}:talk`,
        provider: 'stub',
        chat: `console:${id}`,
        signal: new AbortController().signal,
        async *run() {
          yield { type: 'notice', text: 'begun' };
          await end.promise;
        },
      });
    for (const { id, operation } of [gone, stays]) {
      const kept = await operation('turns.steer', { id: `turn-of-${id}`, text: 'and then?', keep: true });
      expect(kept.json()).toMatchObject({ outcome: 'waiting' });
    }
    await call('/api/operations/console.removePerson', { id: gone.id });
    end.resolve();
    const kept = (): string[] => readdirSync(runtime.environment.home).filter((name) => name === 'kept-messages.json');
    await eventually(() => expect(kept()).toEqual([]));
    const askedOf = (id: string) => runtime.hub.turns().filter(({ sessionKey }) => sessionKey === `console:${id}:talk`);
    expect([askedOf(gone.id).length, askedOf(stays.id).length]).toEqual([1, 2]);
  });
});

describe('an upload', () => {
  const PICTURE = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const upload = (cookie: string, body: Buffer, name = 'plan.png') =>
    send(`/api/uploads?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/octet-stream' },
      body,
    });

  it('goes into the workspace with the turn that names it, and its picture can be looked at', async () => {
    const kept = (await upload(owner.cookie, PICTURE)).json<{ id: string }>();
    expect(kept).toMatchObject({ name: 'plan.png', type: 'image/png', bytes: PICTURE.length });
    expect((await bo.post('/api/turns', { text: 'look', files: [kept.id] })).json()).toMatchObject({
      code: 'UPLOAD_UNKNOWN',
    });
    const { session, turn } = (await owner.post('/api/turns', { text: 'look', files: [kept.id] })).json<{
      session: string;
      turn: string;
    }>();
    for await (const _ of runtime.hub.read(turn));
    const { messages } = (await owner.operation('sessions.show', { key: session })).json<{
      messages: { content: string }[];
    }>();
    const [, path = ''] = /saved as (\S+)\]/.exec(messages[0]?.content ?? '') ?? [];
    const at = (key: string, of: string) => `/api/attachments?session=${key}&path=${encodeURIComponent(of)}`;
    const picture = await send(at(session, path), { headers: { cookie: owner.cookie } });
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
    expect(picture.headers['content-security-policy']).toContain('sandbox');
    for (const [key, of] of [
      [session, '../../config.json'],
      [session, '/etc/passwd'],
    ] as const)
      expect((await send(at(key, of), { headers: { cookie: owner.cookie } })).status).toBe(404);
    expect((await send(at(session, path), { headers: { cookie: bo.cookie } })).status).toBe(404);
  });

  it('of the owner is read by nobody else, whichever tool they use', async () => {
    const kept = (await upload(owner.cookie, Buffer.from('my salary is 100'), 'salary.txt')).json<{ id: string }>();
    const asked = await owner.post('/api/turns', { session: 'main', text: 'read it', files: [kept.id] });
    for await (const _ of runtime.hub.read(asked.json<{ turn: string }>().turn));
    const shown = (await owner.operation('sessions.show', { key: 'main' })).text;
    const [, path = ''] = /saved as (inbox\S+\/salary-\w+\.txt)\]/.exec(shown) ?? [];
    for (const [tool, args] of [
      ['fs.read_file', { path }],
      ['fs.read_file', { path: `src/../${path}` }],
      ['grep', { pattern: 'salary', path: '.' }],
      ['grep', { pattern: 'salary', path: 'inbox' }],
      ['glob', { pattern: '**/*salary*' }],
      ['fs.list_dir', { path: '.', recursive: true }],
      ['bash', { command: 'cat */*/*' }],
    ] as const) {
      const { session } = await bo.ask(`tool:${tool} ${JSON.stringify(args)}`);
      const seen = (await bo.operation('sessions.show', { key: session })).text;
      expect(seen, tool).toContain(tool);
      expect(seen.replaceAll(`'**/*salary*'`, ''), tool).not.toMatch(/my salary is|salary-\w+\.txt"/);
    }
    const { session } = await owner.ask(`tool:fs.read_file ${JSON.stringify({ path })}`);
    expect((await owner.operation('sessions.show', { key: session })).text).toContain('my salary is 100');
  });

  it('of somebody else than the owner is in their conversation alone', async () => {
    const kept = (await upload(anna.cookie, Buffer.from('my diary'), 'diary.txt')).json<{ id: string }>();
    const { session, turn } = (await anna.post('/api/turns', { text: 'read it', files: [kept.id] })).json<{
      session: string;
      turn: string;
    }>();
    for await (const _ of runtime.hub.read(turn));
    const shown = (await anna.operation('sessions.show', { key: session })).text;
    expect(shown).toContain('[file diary.txt]');
    expect(shown).not.toContain('inbox/');
    const files = readdirSync(settings().workspace ?? '', { recursive: true }).map(String);
    expect(files.filter((path) => path.includes('diary'))).toEqual([]);
  });

  it('that is too large together with others is refused before it is read', async () => {
    const large = (await upload(owner.cookie, Buffer.alloc(20 * 1024 * 1024, 'x'), 'large.txt')).json<{ id: string }>();
    const asked = await owner.post('/api/turns', { text: 'read', files: [large.id, large.id, large.id] });
    expect(asked.json()).toMatchObject({ status: 413, code: 'FILES_TOO_LARGE' });
  });

  it.each([
    ['no name', '', Buffer.from('x'), 400],
    ['nothing in it', 'a.txt', Buffer.alloc(0), 400],
    ['too much', 'a.bin', Buffer.alloc(26 * 1024 * 1024), 413],
  ])('with %s is refused', async (_what, name, body, status) => {
    expect((await upload(anna.cookie, body, name)).status).toBe(status);
  });
});

it('the API describes itself', async () => {
  const document = await call<{ openapi: string; paths: Record<string, unknown> }>('/api/openapi.json');
  expect(document.openapi).toBe('3.1.0');
  expect(document.paths['/api/operations/sessions.list']).toMatchObject({ post: { operationId: 'sessionsList' } });
  const page = await send('/api/docs', { headers: { cookie: await signIn() } });
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('sessions.list')]);
  expect(page.text).not.toMatch(/<script|style=|onclick/);
});
