import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../lib/new-id.ts';
import type { FormRequest } from '../../mcp/elicitation.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';
import type { Answerer } from './answerer.ts';
import { type AskingTurn, createQuestions, type QuestionAnswer, type Questions } from './questions.ts';

const SCOPES = ['once', 'session', 'always'] as const;
const PERMISSION = { verdict: { scopes: ['once', 'session'] } } as unknown as PermissionQuestion;
const FORM: FormRequest = {
  server: 's',
  message: '',
  schema: { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] },
};

const anyone: fc.Arbitrary<Answerer> = fc.oneof(
  fc.constant<Answerer>({ place: 'terminal' }),
  fc.record({ place: fc.constant('console' as const), name: fc.string(), isOwner: fc.boolean() }),
  fc.record({
    place: fc.constant('chat' as const),
    chat: fc.constantFrom('telegram:1', 'telegram:2'),
    name: fc.string(),
    isOwner: fc.boolean(),
  }),
);
const anyAnswer: fc.Arbitrary<QuestionAnswer> = fc.oneof(
  fc.constantFrom(...SCOPES).map((scope): QuestionAnswer => ({ kind: 'allow', scope })),
  fc.constant<QuestionAnswer>({ kind: 'deny' }),
  fc
    .constantFrom('x', 'Bern', 'Rome')
    .map((city): QuestionAnswer => ({ kind: 'form', answer: { action: 'accept', content: { city } } })),
  fc.constant<QuestionAnswer>({ kind: 'form', answer: { action: 'decline' } }),
);

function setUp() {
  const published: RunEvent[] = [];
  const questions = createQuestions({ now: () => 0, newId });
  const control = new AbortController();
  const turn: AskingTurn = {
    id: 'turn-1',
    chat: 'telegram:1',
    publish: (event) => void published.push(event),
    signal: control.signal,
  };
  return { questions, turn, control, published };
}

const kindOf = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);

async function answerAll(questions: Questions, given: readonly (readonly [QuestionAnswer, Answerer])[]) {
  const id = questions.open()[0]?.id ?? '';
  return Promise.all(given.map(([answer, by]) => questions.answer(id, answer, by)));
}

describe('a question', () => {
  it('takes at most one of any answers that come at once, and only from those who may give it', async () => {
    const all = fc.array(fc.tuple(anyAnswer, anyone), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), all, async (isForm, given) => {
        const { questions, turn, control, published } = setUp();
        const asked: Promise<unknown> = isForm
          ? questions.askForm(turn, FORM, control.signal)
          : questions.askPermission(turn, PERMISSION, control.signal);
        const outcomes = await answerAll(questions, given);
        const accepted = given.filter((_, index) => outcomes[index]?.kind === 'accepted');
        expect(accepted.length).toBeLessThanOrEqual(1);
        for (const [answer, by] of accepted) {
          expect('isOwner' in by ? by.isOwner : true).toBe(true);
          expect(by.place !== 'chat' || by.chat === 'telegram:1').toBe(true);
          const scope = answer.kind === 'allow' ? answer.scope : undefined;
          const filled = answer.kind === 'form' ? answer.answer : { action: 'decline' };
          expect(await asked).toEqual(isForm ? filled : expect.objectContaining({ scope, place: by.place }));
          expect(scope).not.toBe('always');
        }
        if (accepted.length === 0) {
          expect(questions.open()).toHaveLength(1);
          questions.endTurn(turn.id);
          expect(await asked).toEqual(isForm ? { action: 'cancel' } : undefined);
        }
        expect(questions.open()).toEqual([]);
        const kind = isForm ? 'form' : 'permission';
        expect(kindOf(published)).toEqual([`${kind}-request`, `${kind}-resolved`]);
      }),
      { numRuns: 200 },
    );
  });

  it('of the same turn has an id of its own, whatever the generator gives', async () => {
    const questions = createQuestions({ now: () => 0, newId: () => 'q-aaaaaaaaaaaaaaaaaaaa' });
    const { turn, control } = setUp();
    const asked = [1, 2, 3].map(() => questions.askPermission(turn, PERMISSION, control.signal));
    const ids = questions.open().map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toHaveLength(8);
    questions.endTurn(turn.id);
    expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
  });

  it('is not asked in a turn that was stopped before', async () => {
    const { questions, turn, control, published } = setUp();
    control.abort();
    await expect(questions.askPermission(turn, PERMISSION, control.signal)).rejects.toThrow();
    expect(published).toEqual([]);
  });
});
