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
