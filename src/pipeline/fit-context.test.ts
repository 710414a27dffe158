import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../adapters/adapter.ts';
import { sizeOf } from '../adapters/request-size.ts';
import { type Fitted, fitContext } from './fit-context.ts';

const NOTE = '[this result was dropped to fit the context window]';
const request = { system: ['Be brief.'], tools: [] };
const user = (text: string): ModelMessage => ({ role: 'user', text });
const assistant = (text: string): ModelMessage => ({ role: 'assistant', text, toolCalls: [] });
const long = (word: string, words = 1_000): string => `${word} `.repeat(words);

/** A round: the calls of one answer, and the result of each. */
function round(name: string, results: readonly string[]): ModelMessage[] {
  const toolCalls = results.map((_, index) => ({
    id: `${name}-${index}`,
    name: 'read',
    args: { path: `${name}.txt` },
  }));
  const answers = results.map(
    (text, index): ModelMessage => ({
      role: 'tool',
      callId: `${name}-${index}`,
      toolName: 'read',
      text,
      isError: false,
    }),
  );
  return [{ role: 'assistant', text: '', toolCalls }, ...answers];
}

const textsOf = ({ messages }: Fitted): string[] => messages.map(({ text }) => text);

describe('what is sent of a conversation', () => {
  const question = user('What now?');

  it('is all of it, unchanged, when it fits', () => {
    const messages = [user('Hi'), assistant('Hello.'), question, ...round('a', ['alpha'])];
    expect(fitContext({ messages, questionAt: 2, contextWindow: 8_000, request })).toMatchObject({
      messages,
      questionAt: 2,
      dropped: 0,
    });
  });

  it('loses its oldest results first, one by one, each to a note in its place', () => {
    const rounds = [...round('a', [long('alpha')]), ...round('b', [long('beta'), long('gamma')])];
    const messages = [user('Hi'), assistant('Hello.'), question, ...rounds];
    const fitted = fitContext({ messages, questionAt: 2, contextWindow: 4_500, request });
    expect(fitted.dropped).toBe(1);
    expect(textsOf(fitted)).toEqual(['Hi', 'Hello.', 'What now?', '', NOTE, '', long('beta'), long('gamma')]);
    expect(fitContext({ messages, questionAt: 2, contextWindow: 3_000, request }).dropped).toBe(2);
  });

  it('then loses its oldest messages, and never begins with an answer', () => {
    const messages = [user(long('first')), assistant('One.'), user('second'), assistant('Two.'), question];
    const fitted = fitContext({ messages, questionAt: 4, contextWindow: 1_000, request });
    expect(fitted).toMatchObject({ questionAt: 2, dropped: 2 });
    expect(textsOf(fitted)).toEqual(['second', 'Two.', 'What now?']);
  });

  it('keeps the summary that it begins with', () => {
    const summary = [user(long('summary', 100)), assistant('I continue from it.')];
    const messages = [...summary, user(long('first')), assistant('One.'), question];
    const fitted = fitContext({ messages, questionAt: 4, pinned: 2, contextWindow: 400, request });
    expect(fitted).toMatchObject({ messages: [...summary, question], questionAt: 2, dropped: 2 });
  });

  it('keeps the question, however long it is', () => {
    const asked = user(long('why'));
    const fitted = fitContext({
      messages: [user('Hi'), assistant('Hello.'), asked],
      questionAt: 2,
      contextWindow: 100,
      request,
    });
    expect(fitted.messages).toEqual([asked]);
  });

  it('leaves room for the system text and the tools', () => {
    const messages = [user(long('first', 300)), assistant('One.'), question];
    const fits = (system: string): boolean =>
      fitContext({ messages, questionAt: 2, contextWindow: 900, request: { system: [system], tools: [] } }).dropped ===
      0;
    expect([fits('Brief.'), fits(long('rule', 300))]).toEqual([true, false]);
  });
});

describe('whatever the conversation and the window', () => {
  const words = fc.integer({ min: 0, max: 400 }).map((count) => long('word', count));
  const rounds = fc
    .array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
    .map((all) => all.flatMap((results, index) => round(`r${index}`, results)));
  const turn = fc
    .tuple(words, rounds, words)
    .map(([asked, called, answer]) => [user(asked), ...called, assistant(answer)]);
  const conversation = fc.tuple(fc.array(turn, { maxLength: 6 }), words, rounds).map(([turns, asked, after]) => {
    const history = turns.flat();
    return { messages: [...history, user(asked), ...after], questionAt: history.length };
  });
  const contextWindow = fc.integer({ min: 50, max: 6_000 });

  it('pairs stay whole, the question stays, the oldest go first, and it fits when it can', () => {
    fc.assert(
      fc.property(conversation, contextWindow, ({ messages, questionAt }, window) => {
        const before = structuredClone(messages);
        const fitted = fitContext({ messages, questionAt, contextWindow: window, request });
        expect(messages).toEqual(before);

        const gone = questionAt - fitted.questionAt;
        const kept = fitted.messages;
        const untouched = messages.slice(gone);
        expect(kept.map(withoutResult)).toEqual(untouched.map(withoutResult));
        const replaced = kept.map(({ text }, index) => text !== untouched[index]?.text);
        for (const [index, isReplaced] of replaced.entries()) {
          if (isReplaced) expect(kept[index]).toMatchObject({ role: 'tool', text: NOTE });
        }
        const droppable = untouched.flatMap(({ role, text }, index) =>
          role === 'tool' && text.length > NOTE.length ? [index] : [],
        );
        const flags = droppable.map((index) => replaced[index]);
        expect(flags).toEqual(flags.toSorted((a, b) => Number(b) - Number(a)));
        // Turns go whole, and only after every result.
        expect(kept[0]?.role).toBe('user');
        if (gone > 0) expect(flags.every(Boolean)).toBe(true);

        const fits = sizeOf(request, kept) <= window * 0.8;
        if (!fits)
          expect({ history: fitted.questionAt, results: flags.every(Boolean) }).toEqual({ history: 0, results: true });
        expect(fitted.dropped > 0).toBe(gone > 0 || flags.some(Boolean));
      }),
      { numRuns: 300 },
    );
  });

  it('fitting again changes nothing', () => {
    fc.assert(
      fc.property(conversation, contextWindow, ({ messages, questionAt }, window) => {
        const once = fitContext({ messages, questionAt, contextWindow: window, request });
        const twice = fitContext({ ...once, contextWindow: window, request });
        expect(twice.messages).toEqual(once.messages);
      }),
      { numRuns: 100 },
    );
  });
});

/** What may not change about a message: all of it but the text of a result. */
function withoutResult(message: ModelMessage): unknown {
  return message.role === 'tool' ? { ...message, text: undefined } : message;
}
