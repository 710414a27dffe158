import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { AnsweredElsewhere } from '../gateway/turns/answering.ts';
import { createTurnHub, type HubTurn, type TurnHub } from '../gateway/turns/turn-hub.ts';
import { newId } from '../lib/new-id.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { PermissionQuestion } from '../tools/policy.ts';
import { answerQuestions } from './answer-questions.ts';
import type { Person } from './terminal-prompter.ts';

const QUESTION = { verdict: { scopes: ['once', 'session'] } } as unknown as PermissionQuestion;
const CONSOLE = { place: 'console' as const, name: 'Anna', isOwner: true };

const nobody: Person = {
  confirm: async () => false,
  askPerson: async () => undefined,
  askForm: async () => ({ action: 'cancel' }),
};

async function* asks({ questions, signal }: HubTurn): AsyncGenerator<RunEvent> {
  const answer = await questions.permission(QUESTION, signal);
  yield { type: 'notice', text: answer ? `${answer.scope ?? 'denied'} by ${answer.by}` : 'nobody answered' };
}

async function* eventsOf(hub: TurnHub, id: string): AsyncGenerator<RunEvent> {
  for await (const item of hub.read(id)) if (item.kind === 'event') yield item.event;
}

function setUp(run: (turn: HubTurn) => AsyncIterable<RunEvent>, person: Person, onElsewhere?: (text: string) => void) {
  const hub = createTurnHub({ now: Date.now, newId });
  const turn = { id: 'one', sessionKey: 'main', provider: 'stub', signal: new AbortController().signal, run };
  void hub.start(turn);
  const read = async (): Promise<RunEvent[]> =>
    Array.fromAsync(answerQuestions(eventsOf(hub, 'one'), { person, answer: hub.answer, onElsewhere }));
  return { hub, read };
}

const noticeIn = (events: readonly RunEvent[]): string | undefined =>
  events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))[0];

describe('the person at a terminal', () => {
  it('answers a permission, and every event is passed on', async () => {
    const { read } = setUp(asks, { ...nobody, askPerson: async () => 'session' });
    const events = await read();
    expect(events.map(({ type }) => type)).toEqual(['permission-request', 'permission-resolved', 'notice']);
    expect(noticeIn(events)).toBe('session by owner');
  });

  it('answers a form', async () => {
    const form = { server: 's', message: '', schema: { properties: {} } };
    const { read } = setUp(
      async function* ({ questions, signal }) {
        yield { type: 'notice', text: (await questions.form(form, signal)).action };
      },
      { ...nobody, askForm: async () => ({ action: 'accept', content: {} }) },
    );
    expect(noticeIn(await read())).toBe('accept');
  });

  it.each([
    ['says no', nobody],
    ['cannot be asked', { ...nobody, askPerson: () => Promise.reject(new Error('no terminal')) }],
  ])('who %s has not agreed', async (_, person) => {
    expect(noticeIn(await setUp(asks, person).read())).toBe('denied by owner');
  });

  it('is no longer asked when somebody else was first, and learns who', async () => {
    const taken = vi.fn();
    const waits: Person['askPerson'] = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const told: string[] = [];
    const person = {
      ...nobody,
      askPerson: (...args: Parameters<typeof waits>) =>
        waits(...args).catch((error) => {
          taken(error);
          throw error;
        }),
    };
    const { hub, read } = setUp(asks, person, (text) => told.push(text));
    const reading = read();
    await eventually(() => expect(hub.questions()).toHaveLength(1));
    await hub.answer(hub.questions()[0]?.id ?? '', { kind: 'allow', scope: 'once' }, CONSOLE);
    expect(noticeIn(await reading)).toBe('once by Anna');
    expect(taken).toHaveBeenCalledWith(expect.any(AnsweredElsewhere));
    expect(told).toEqual(['allowed by Anna, in the console']);
  });
});
