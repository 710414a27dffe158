import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../pipeline/events.ts';
import { addUsage, footerLine, statusLine, turnFigures, watchContext } from './status.ts';

describe('the line above the input', () => {
  it.each([
    [{ kind: 'thinking' }, 900, /Thinking… 0 s · Esc cancels$/],
    [{ kind: 'thinking', thought: 'Well.\nThe sum is off' }, 2_000, /Thinking… 2 s · Esc cancels · The sum is off$/],
    [{ kind: 'calling', names: ['bash'] }, 59_999, /Running bash… 59 s/],
    [{ kind: 'calling', names: ['grep', 'glob'] }, 61_000, /Running 2 tools… 1 min 01 s/],
  ] as const)('tells what is going on and for how long: %j', (activity, ms, expected) => {
    expect(statusLine(activity, ms, 'running')).toMatch(expected);
  });

  it('says what Escape means while a question is open', () => {
    expect(statusLine({ kind: 'thinking' }, 0, 'asking')).toMatch(/Waiting for your answer.*Esc says no$/);
    expect(statusLine({ kind: 'thinking' }, 0, 'cancelling')).toMatch(/Cancelling/);
  });
});

describe('the line below the input', () => {
  it('adds up what the chat has used', () => {
    const once = { inputTokens: 1_200, outputTokens: 30, costUsd: 0.0012 };
    const usage = addUsage(addUsage(addUsage(undefined, once), undefined), once);
    expect(footerLine({ mode: 'ask', model: 'a/b', sessionKey: 'main', usage })).toBe(
      'ask · a/b · main · 2.4k in, 60 out · $0.0024',
    );
  });

  it('says how full the window of the model is', async () => {
    const facts = { model: 'a', sessionKey: 'k', usage: undefined };
    expect(footerLine({ mode: 'ask', ...facts, context: { tokens: 32_000, window: 128_000 } })).toBe(
      'ask · a · k · context 25% of 128.0k',
    );
    expect(footerLine({ mode: 'ask', ...facts, context: { tokens: 900 } })).toBe('ask · a · k · context 900');
    const sizes: unknown[] = [];
    async function* events(): AsyncGenerator<RunEvent> {
      yield { type: 'model-start', provider: 'p' };
      yield { type: 'model-end', provider: 'p', durationMs: 1, usage: { inputTokens: 9, outputTokens: 9 } };
      yield { type: 'model-end', provider: 'p', durationMs: 1, context: { tokens: 320, window: 1_000 } };
    }
    expect((await Array.fromAsync(watchContext(events(), (size) => sizes.push(size)))).length).toBe(3);
    expect(sizes).toEqual([{ tokens: 320, window: 1_000 }]);
  });

  it('says at the end of a turn what it took', () => {
    const usage = { inputTokens: 1_200, outputTokens: 30, costUsd: 0.0012 };
    expect(turnFigures(61_000, usage)).toBe('1 min 01 s · 1.2k in, 30 out · $0.0012');
  });

  it('says nothing of dollars where nobody knows them', () => {
    const usage = addUsage(undefined, { inputTokens: 1, outputTokens: 2 });
    expect(footerLine({ mode: 'ask', model: 'a', sessionKey: 'k', usage })).toBe('ask · a · k · 1 in, 2 out');
  });
});
