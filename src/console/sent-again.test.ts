// A message to a turn that is sent again, because the answer was lost with the gateway that gave it.
import { expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';

const { call, send, signIn, runtime } = await testConsole();
const { signal } = new AbortController();
const PATH = '/api/operations/turns.steer';
const written = (messageId: string, more: object = {}) => ({ text: 'and then?', keep: true, messageId, ...more });

/** A turn that an earlier gateway ran, with a message that joined it; it holds its session until it is closed. */
async function earlierTurn(sessionKey: string, origin: string, asked: string) {
  const turn = await runtime.sessions.begin({ sessionKey, newSession: false, state: {}, origin: asked, signal });
  await turn.start('work');
  await turn.steered('and then?', { attached: [], pictures: [], origin });
  return turn;
}

it('has joined where the conversation has it, also while a turn runs in it; what is not there is still to be asked', async () => {
  const turn = await earlierTurn('main', 'message-joined-1', 'message-asked-01 message-asked-02');
  const ofEarlier = (id: string) => written(id, { id: 'turn-of-earlier', session: 'main' });
  for (const id of ['joined-1', 'asked-01', 'asked-02'])
    expect(await call(PATH, ofEarlier(id))).toEqual({ outcome: 'joined', message: `message-${id}` });
  await expect(call(PATH, ofEarlier('joined-2'))).rejects.toThrow('TURN_UNKNOWN');
  // Without its session nobody knows where to look.
  await expect(call(PATH, written('joined-1', { id: 'turn-of-earlier' }))).rejects.toThrow('TURN_UNKNOWN');
  await turn.close();
});

it('has joined a turn that this gateway knows and that has ended', async () => {
  await (await earlierTurn('other', 'message-joined-1', 'question')).close();
  const own = { sessionKey: 'other', provider: 'stub', signal };
  await runtime.hub.start({
    ...own,
    id: 'turn-ended',
    async *run() {
      yield { type: 'notice', text: 'begun' };
    },
  });
  const ofEnded = (id: string) => written(id, { id: 'turn-ended' });
  expect(await call(PATH, ofEnded('joined-1'))).toEqual({ outcome: 'joined', message: 'message-joined-1' });
  expect(await call(PATH, ofEnded('joined-2'))).toEqual({ outcome: 'ended', message: 'message-joined-2' });
});

it('is not looked for in the conversations of others', async () => {
  await (await earlierTurn('console:someone:talk', 'message-joined-3', 'question')).close();
  const { id } = await (await runtime.consoleAccess()).addPerson('Anna');
  const headers = { cookie: await signIn(id), 'content-type': 'application/json' };
  const body = JSON.stringify(written('joined-3', { id: 'turn-of-earlier', session: 'console:someone:talk' }));
  const answer = await send(PATH, { method: 'POST', headers, body });
  expect(answer.json()).toMatchObject({ code: 'NOT_ALLOWED' });
});
