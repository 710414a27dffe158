import { expect, it, onTestFinished, vi } from 'vitest';
import { createConversation } from './conversation.ts';

const played = (turnId: string, number: number) => ({ turnId, number, input: turnId, events: [] });

it('a turn that ran when its load began, and is followed by others when it ends, keeps its place', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const answers: Record<string, unknown> = {
    // From before the third turn ended and the fourth was asked.
    '/api/operations/turns.list': [
      { id: 'third', sessionKey: 'main', state: 'running', startedAt: '2026-01-01T00:00:00.000Z' },
      { id: 'fifth', sessionKey: 'main', state: 'waiting', startedAt: '2026-01-01T00:00:00.000Z' },
    ],
    '/api/operations/sessions.replay': { turns: [played('second', 2), played('third', 3), played('fourth', 4)] },
    '/api/turns/third/events': { events: [{ n: 1, type: 'text-delta', text: 'Three.' }] },
    '/api/turns/fifth/events': { events: [] },
  };
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('fetch', async (address: URL) => Response.json(answers[address.pathname]));
  const conversation = createConversation('main');
  await conversation.load();
  expect(conversation.state.value).toBe('ready');
  expect(conversation.turns.value.map(({ id }) => id)).toEqual(['second', 'third', 'fourth', 'fifth']);
});

it.each([
  ['asked as the next question', [{ turn: 'second', type: 'run-start', origin: 'message-1 message-2' }]],
  [
    'taken back in another tab',
    ['message-1', 'message-2'].map((messageId) => ({ turn: 'first', type: 'steer-withdrawn', messageId })),
  ],
] as const)('a message that was %s waits no more when the answer to its writer comes late', async (_what, events) => {
  onTestFinished(() => void vi.unstubAllGlobals());
  const answers: Record<string, unknown> = {
    '/api/operations/turns.list': [
      { id: 'first', sessionKey: 'main', state: 'running', startedAt: '2026-01-01T00:00:00.000Z' },
    ],
    '/api/operations/sessions.replay': { turns: [] },
    '/api/turns/first/events': { events: [{ n: 1, type: 'text-delta', text: 'One.' }] },
  };
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('fetch', async (address: URL) => Response.json(answers[address.pathname]));
  let now = 0;
  const conversation = createConversation('main', { now: () => (now += 1_000) });
  await conversation.load();
  const waiting = () => conversation.turns.value.flatMap((turn) => turn.waiting.map(({ id }) => id));
  const message = (id: string) => ({ id, text: 'and then?', canWithdraw: true as const });
  conversation.take({ session: 'main', turn: 'first', n: 2, type: 'steer-waiting', message: message('message-1') });
  expect(waiting()).toEqual(['message-1']);
  for (const [index, event] of events.entries()) conversation.take({ session: 'main', n: 3 + index, ...event });
  expect(waiting()).toEqual([]);
  for (const id of ['message-1', 'message-2']) conversation.expectMessage('first', message(id));
  expect(waiting()).toEqual([]);
  conversation.expectMessage('first', message('message-3'));
  expect(waiting()).toEqual(['message-3']);
});
