import { describe, expect, it } from 'vitest';
import type { Adapter, ModelEvent, ModelRequest } from '../adapters/adapter.ts';
import { type Answer, askModel } from './ask-model.ts';
import type { RunEvent } from './events.ts';

const REQUEST: ModelRequest = { system: [], messages: [], tools: [], sessionId: 'session' };
const call = (id: string) => ({ id, name: 'read', args: {} });

async function ask(...events: ModelEvent[]): Promise<{ told: RunEvent[]; answer: Answer }> {
  const adapter: Adapter = {
    provider: 'scripted',
    route: 'scripted',
    callsTools: true,
    describe: async () => ({}),
    async *stream() {
      yield* events;
    },
  };
  const asking = askModel(adapter, REQUEST, new AbortController().signal);
  const told: RunEvent[] = [];
  for (;;) {
    const next = await asking.next();
    if (next.done) return { told, answer: next.value };
    told.push(next.value);
  }
}

describe('one model call', () => {
  it('passes text on as it comes, and gathers text, calls, usage and what the provider wants back', async () => {
    const { told, answer } = await ask(
      { type: 'text-delta', text: 'One ' },
      { type: 'text-delta', text: 'two.' },
      { type: 'tool-call', call: call('a') },
      { type: 'tool-call', call: call('b') },
      { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 3, outputTokens: 4 }, native: { sealed: true } },
    );
    expect(told).toEqual([
      { type: 'model-start', provider: 'scripted' },
      { type: 'text-delta', text: 'One ' },
      { type: 'text-delta', text: 'two.' },
      {
        type: 'model-end',
        provider: 'scripted',
        usage: { inputTokens: 3, outputTokens: 4 },
        durationMs: expect.any(Number),
      },
    ]);
    expect(answer).toEqual({
      text: 'One two.',
      calls: [call('a'), call('b')],
      usage: { inputTokens: 3, outputTokens: 4 },
      native: { sealed: true },
      answeredBy: undefined,
    });
  });

  it('passes thinking on, which is not part of the answer', async () => {
    const { told, answer } = await ask(
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Yes.' },
      { type: 'finish', reason: 'stop' },
    );
    expect(told).toContainEqual({ type: 'thinking-delta', text: 'Hm.' });
    expect(answer.text).toBe('Yes.');
  });

  it('says at its end who answered, what it used and what failed', async () => {
    const usage = { inputTokens: 9, outputTokens: 1, cachedTokens: 8 };
    const fallback = { provider: 'other', route: 'other', model: 'small' };
    const answered = await ask({ type: 'finish', reason: 'stop', usage, answeredBy: fallback });
    expect(answered.told.at(-1)).toMatchObject({ type: 'model-end', provider: 'other', model: 'small', usage });
    const failure = { code: 'refused' as const, message: 'No.' };
    const failed = await ask({ type: 'failure', failure, usage });
    expect(failed.told.at(-1)).toMatchObject({ type: 'model-end', provider: 'scripted', usage, failure });
  });

  it('forgets what came before a restart, and says that it does', async () => {
    const failure = { code: 'network' as const, message: 'The line broke.' };
    const { told, answer } = await ask(
      { type: 'text-delta', text: 'Half' },
      { type: 'tool-call', call: call('void') },
      { type: 'restart', failure, waitMs: 250 },
      { type: 'text-delta', text: 'Whole.' },
      { type: 'finish', reason: 'stop', answeredBy: { provider: 'other', route: 'other' } },
    );
    expect(told).toContainEqual({ type: 'text-restart', reason: 'The line broke.', waitMs: 250 });
    expect(answer).toMatchObject({ text: 'Whole.', calls: [], answeredBy: { provider: 'other' } });
  });

  it('ends with the failure as a value, and with what was paid for it', async () => {
    const failure = { code: 'refused' as const, message: 'No.' };
    const usage = { inputTokens: 5, outputTokens: 1 };
    const { answer } = await ask({ type: 'text-delta', text: 'I' }, { type: 'failure', failure, usage });
    expect(answer).toMatchObject({ failure, usage });
  });

  it('is a failure of protocol when it has no ending, whatever it held', async () => {
    const { answer } = await ask({ type: 'text-delta', text: 'So' }, { type: 'tool-call', call: call('a') });
    expect(answer.failure).toMatchObject({ code: 'protocol', message: expect.stringContaining('scripted') });
  });
});
