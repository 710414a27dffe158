// What one invited person may have going at once, through the API with a model that answers when the test lets it.
import { expect, it, vi } from 'vitest';
import { startModelServer } from '../../test/fakes/model-server/model-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { testConsole } from '../../test/support/test-console.ts';
import { afterFile } from '../../test/support/test-home.ts';

const answering = Promise.withResolvers<void>();
const server = await startModelServer({
  script: async () => {
    await answering.promise;
    return { text: 'Done.' };
  },
});
afterFile(() => server.close());
const { call, send, signIn, runtime } = await testConsole(
  { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'fake', modelTitles: false },
  { LAINCLAW_API_KEY: 'key-of-a-test' },
);

async function person(name: string) {
  const { id } = await (await runtime.consoleAccess()).addPerson(name);
  const cookie = await signIn(id);
  return async (path: string, body: object) => {
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await send(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, ...answer.json<{ code?: string; turn?: string; session?: string }>() };
  };
}

it('a session that a person may not use is not opened, whatever they ask for with it', async () => {
  const anna = await person('Anna A.');
  const opening = vi.spyOn(runtime, 'openWorkspace');
  expect(await anna('/api/turns', { session: 'main', text: 'hi' })).toMatchObject({ status: 403 });
  expect(await anna('/api/operations/config.list', {})).toMatchObject({ status: 403 });
  expect(await anna('/api/operations/sessions.list', { limit: 'many' })).toMatchObject({ status: 400 });
  expect(opening).not.toHaveBeenCalled();
  opening.mockRestore();
});

it('a person has four turns at once, others are not concerned, and room comes back when turns end', async () => {
  const [anna, bo] = [await person('Anna'), await person('Bo')];
  const ask = (asker: typeof anna) => asker('/api/turns', { text: 'hello' });
  const asked = await Promise.all(Array.from({ length: 9 }, () => ask(anna)));
  expect(asked.filter(({ status }) => status === 202)).toHaveLength(4);
  expect(asked.filter(({ status, code }) => status === 429 && code === 'TOO_MANY_TURNS')).toHaveLength(5);
  expect((await ask(bo)).status).toBe(202);
  const ofOwner = await Promise.all(Array.from({ length: 6 }, () => call('/api/turns', { text: 'hello' })));
  expect(ofOwner).toHaveLength(6);

  const [running] = asked.filter(({ status }) => status === 202);
  const messages = Array.from({ length: 30 }, (_, index) =>
    anna('/api/operations/turns.steer', { id: running?.turn, text: `and ${index}` }),
  );
  const refused = await Promise.race(messages);
  expect(refused).toMatchObject({ status: 429, code: 'TOO_MANY_CALLS' });
  answering.resolve();
  const outcomes = (await Promise.all(messages)).map(({ status }) => status);
  expect(outcomes.filter((status) => status === 200)).toHaveLength(24);
  await eventually(async () => expect((await ask(anna)).status).toBe(202));
});
