import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';

interface Folder {
  id: string;
  name: string;
  sessions: string[];
}

const { call, send, signIn, runtime } = await testConsole();
const owner = <T>(name: string, input: object = {}) => call<T>(`/api/operations/folders.${name}`, input);

async function person(name: string) {
  const { id } = await (await runtime.consoleAccess()).addPerson(name);
  const cookie = await signIn(id);
  const headers = { cookie, 'content-type': 'application/json' };
  const folders = (verb: string, input: object = {}) =>
    send(`/api/operations/folders.${verb}`, { method: 'POST', headers, body: JSON.stringify(input) });
  return { id, folders };
}

it('folders are made, renamed, filled and removed, and a conversation is in one of them at most', async () => {
  const work = await owner<Folder>('create', { name: ' Work ' });
  const home = await owner<Folder>('create', { name: 'Home' });
  for (const session of ['main', 'notes']) await owner('assign', { session, folder: work.id });
  await owner('assign', { session: 'main', folder: home.id });
  await owner('rename', { id: work.id, name: 'Office' });
  expect(await owner('list')).toEqual([
    { id: home.id, name: 'Home', sessions: ['main'] },
    { id: work.id, name: 'Office', sessions: ['notes'] },
  ]);
  await owner('assign', { session: 'main' });
  await owner('remove', { id: work.id });
  expect(await owner('list')).toEqual([{ ...home, sessions: [] }]);
});

it.each([
  ['create', { name: 'HOME' }, 'FOLDER_EXISTS'],
  ['create', { name: ' ' }, 'INVALID_NAME'],
  ['rename', { id: 'no-such', name: 'x' }, 'FOLDER_UNKNOWN'],
  ['assign', { session: 'main', folder: 'no-such' }, 'FOLDER_UNKNOWN'],
])('%s %j is refused', async (verb, input, code) => {
  await expect(owner(verb, input)).rejects.toThrow(code);
});

it('each person has folders of their own, for conversations of their own', async () => {
  const anna = await person('Anna');
  expect((await anna.folders('list')).json()).toEqual([]);
  const [ofOwner] = await owner<Folder[]>('list');
  const made = (await anna.folders('create', { name: 'Home' })).json<Folder>();
  expect((await anna.folders('assign', { session: 'main', folder: made.id })).status).toBe(403);
  expect((await anna.folders('rename', { id: ofOwner?.id, name: 'mine' })).status).toBe(404);
  expect((await anna.folders('assign', { session: `console:${anna.id}:x`, folder: made.id })).status).toBe(200);
  expect(await owner('list')).toEqual([ofOwner]);
});

it('a deleted conversation leaves no trace in a folder', async () => {
  const { session, turn } = await call<{ session: string; turn: string }>('/api/turns', { text: 'hello' });
  for await (const _ of runtime.hub.read(turn));
  const [folder] = await owner<Folder[]>('list');
  await owner('assign', { session, folder: folder?.id });
  const stored = () => readFileSync(join(runtime.environment.home, 'folders.json'), 'utf8');
  expect(stored()).toContain(session);
  await call('/api/operations/sessions.delete', { key: session });
  expect(stored()).not.toContain(session);
});
