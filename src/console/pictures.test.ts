import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';

const { send, signIn, runtime, settings } = await testConsole();
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function ask(cookie: string, question: object): Promise<string> {
  const headers = { cookie, 'content-type': 'application/json' };
  const answer = await send('/api/turns', { method: 'POST', headers, body: JSON.stringify(question) });
  const { session, turn } = answer.json<{ session: string; turn: string }>();
  for await (const _ of runtime.hub.read(turn));
  return session;
}

/** Somebody who has sent a picture: their conversation, and where its picture is kept. */
async function personWithPicture(name: string) {
  const { id } = await (await runtime.consoleAccess()).addPerson(name);
  const cookie = await signIn(id);
  const headers = { cookie, 'content-type': 'application/octet-stream' };
  const sent = await send('/api/uploads?name=plan.png', { method: 'POST', headers, body: PICTURE });
  const session = await ask(cookie, { text: 'look', files: [sent.json().id] });
  const sessionId = (await runtime.sessions.get(session))?.sessionId ?? '';
  for await (const item of runtime.sessions.history(sessionId))
    if (item.kind === 'turn' && item.turn.pictures?.[0])
      return { cookie, session, sessionId, path: item.turn.pictures[0].path };
  throw new Error(`no picture of ${name} is kept`);
}

it('a picture is shown to the person whose conversation records it, not to one who writes its path', async () => {
  const anna = await personWithPicture('Anna');
  const bo = await personWithPicture('Bo');
  const owner = await signIn();
  const inWorkspace = join(settings().workspace ?? '', 'house.png');
  writeFileSync(inWorkspace, PICTURE);
  const sideways = anna.path.replace(anna.sessionId, `${bo.sessionId}/../${anna.sessionId}`);
  const ofOthers = [anna.path, sideways, inWorkspace, 'house.png'];
  await ask(bo.cookie, { session: bo.session, text: ofOthers.join(' ') });
  const status = async (cookie: string, path: string): Promise<number> =>
    (await send(`/api/attachments?${new URLSearchParams({ session: bo.session, path })}`, { headers: { cookie } }))
      .status;
  expect(await status(bo.cookie, bo.path)).toBe(200);
  expect(await Promise.all(ofOthers.map((path) => status(bo.cookie, path)))).toEqual([404, 404, 404, 404]);
  // The owner sees the workspace too; a path does not lead out of the conversation that is named.
  expect(await Promise.all(ofOthers.map((path) => status(owner, path)))).toEqual([404, 404, 200, 200]);
  expect(await status(owner, bo.path)).toBe(200);
});
