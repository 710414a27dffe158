import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { QuestionLine } from '../../gateway/turns/question-lines.ts';
import type { AnswerOutcome, QuestionAnswer } from '../../gateway/turns/questions.ts';
import type { FormAnswer } from '../../mcp/elicitation.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import { createAskedElsewhere } from './asked-elsewhere.ts';

const verdict = {
  question: { title: 'Run it?', exact: 'make' },
  reasons: ['it writes'],
  scopes: ['once'],
  rememberAs: [],
};
const facts = (id: string) => ({ id, turnId: 't', askedAt: '2026-01-01T00:00:00Z' });
const permission = (id: string) =>
  ({
    kind: 'asked',
    sessionKey: 'main',
    chat: 'telegram:1',
    question: { ...facts(id), permission: { verdict } },
  }) as unknown as QuestionLine;
const form = (id: string) =>
  ({
    kind: 'asked',
    sessionKey: 'main',
    question: { ...facts(id), form: { message: 'Which colour?', schema: { properties: {} } } },
  }) as unknown as QuestionLine;

function setUp(outcome: AnswerOutcome | Error = { kind: 'accepted' }) {
  const shown: string[] = [];
  const sent: [string, QuestionAnswer][] = [];
  const asking = Promise.withResolvers<Scope | undefined>();
  const until = <T>(signal: AbortSignal, answer: Promise<T>): Promise<T> =>
    Promise.race([
      answer,
      new Promise<T>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]);
  const accepted: FormAnswer = { action: 'accept', content: { answer: 'red' } };
  const elsewhere = createAskedElsewhere({
    colors: colors.createColors(false),
    person: {
      askPerson: (_question, signal) => until(signal, asking.promise),
      askForm: async () => accepted,
    },
    show(text) {
      const at = shown.push(text) - 1;
      return (answer) => {
        shown[at] = `${text}\n${answer}`;
      };
    },
    async answer(id, given) {
      sent.push([id, given]);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  return { ...elsewhere, shown, sent, press: asking.resolve };
}

describe('a question that is asked elsewhere', () => {
  it('is shown with where it is asked and how to answer it, and then with its answer', () => {
    const { take, shown } = setUp();
    take(permission('q-1'));
    expect(shown[0]).toMatch(/^Asked in telegram:1:\n\? Run it\?\n {2}make\n/);
    expect(shown[0]).toContain('/answer q-1');
    const resolution = { ending: 'answered', answer: { scope: 'once' }, by: 'Ada', place: 'chat', at: '' } as const;
    take({ kind: 'ended', questionId: 'q-1', resolution });
    expect(shown[0]).toMatch(/\n→ allowed by Ada, in the chat$/);
  });

  it.each([
    [{ ending: 'expired', at: '' } as const, 'nobody answered in time'],
    [undefined, 'not asked any more'],
  ])('that ends without an answer says so', (resolution, text) => {
    const { take, shown } = setUp();
    take(permission('q-1'));
    take({ kind: 'ended', questionId: 'q-1', ...(resolution && { resolution }) });
    expect(shown[0]).toContain(`→ ${text}`);
  });

  it('is answered by /approve and /deny: the only one, or the one that is named', async () => {
    const { take, answer, sent } = setUp();
    expect(await answer('once')).toBe('Nothing is asked for.');
    take(permission('q-1'));
    expect(await answer('always')).toContain('for longer than once');
    expect(await answer('once')).toBeUndefined();
    take(permission('q-2'));
    expect(await answer(undefined)).toBe('These are open: `q-1`, `q-2`. Name one of them.');
    expect(await answer(undefined, 'q-2')).toBeUndefined();
    expect(sent).toEqual([
      ['q-1', { kind: 'allow', scope: 'once' }],
      ['q-2', { kind: 'deny' }],
    ]);
  });

  it('is asked here by /answer', async () => {
    const { take, command, sent, press } = setUp();
    take(permission('q-1'));
    const run = command.run('');
    press('once');
    expect(await run).toBeUndefined();
    expect(sent).toEqual([['q-1', { kind: 'allow', scope: 'once' }]]);
  });

  it('is not answered here when somebody else was first', async () => {
    const { take, command, sent } = setUp();
    take(permission('q-1'));
    const run = command.run('q-1');
    take({ kind: 'ended', questionId: 'q-1' });
    expect(await run).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('may be a form, which a yes does not answer', async () => {
    const { take, command, answer, sent } = setUp();
    take(form('q-1'));
    expect(await answer('once')).toContain('/answer q-1');
    await command.run('q-1');
    expect(sent).toEqual([['q-1', { kind: 'form', answer: { action: 'accept', content: { answer: 'red' } } }]]);
  });

  it.each([
    [new Error('the gateway answered 503'), 'did not take the answer: the gateway answered 503'],
    [{ kind: 'unknown' } as const, 'not open any more'],
    [{ kind: 'invalid', message: 'This can only be allowed once.' } as const, 'only be allowed once'],
  ])('says why an answer was not taken', async (outcome, text) => {
    const { take, answer } = setUp(outcome);
    take(permission('q-1'));
    expect(await answer('once')).toContain(text);
  });
});
