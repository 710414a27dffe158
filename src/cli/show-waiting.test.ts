import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../pipeline/events.ts';
import { foldedThought, withThought } from './folded-thought.ts';
import type { OutputStream } from './host.ts';
import { showWaiting, waitingText } from './show-waiting.ts';
import type { Terminal } from './terminal.ts';

const START: RunEvent = { type: 'model-start', provider: 'anthropic', model: 'claude' };
const TEXT: RunEvent = { type: 'text-delta', text: 'Hello' };

/** What stderr holds when each event reaches the reader, with a second before each of them. */
async function watch(given: readonly RunEvent[], { isTTY = true, isTextShown = true } = {}) {
  vi.useFakeTimers();
  try {
    let written = '';
    const err = { isTTY, columns: 80, write: (text: string) => (written += text) } as unknown as OutputStream;
    const environment = { variables: { NO_COLOR: '1' }, now: () => Date.now() };
    async function* source(): AsyncGenerator<RunEvent> {
      for (const event of given) {
        await vi.advanceTimersByTimeAsync(1_000);
        yield event;
      }
    }
    const seen: { type: string; before: string }[] = [];
    for await (const event of showWaiting(source(), { err, environment } as unknown as Terminal, { isTextShown }))
      seen.push({ type: event.type, before: written });
    return { seen, written };
  } finally {
    vi.useRealTimers();
  }
}

const CLEARED = '\r\x1b[K\x1b[?7h';

describe('waiting for a model', () => {
  it('is shown with name, seconds and the end of its thoughts, and is gone before the first word', async () => {
    const { seen, written } = await watch([
      START,
      { type: 'thinking-delta', text: 'Let me see. ' },
      { type: 'thinking-delta', text: 'The test fails\nbecause of \x1b[31mrounding' },
      TEXT,
    ]);
    expect(seen.at(-1)).toMatchObject({ type: 'text-delta', before: expect.stringContaining(CLEARED) });
    expect(written).toContain('anthropic/claude · 1 s');
    expect(written).toContain('thinking: because of');
    expect(written).not.toContain('\x1b[31m');
    expect(written.endsWith(CLEARED)).toBe(true);
  });

  it('tells what the turn has used so far with the next call', async () => {
    const usage = { inputTokens: 1_200, outputTokens: 30 };
    const end: RunEvent = { type: 'model-end', provider: 'anthropic', model: 'claude', usage, durationMs: 5 };
    const { written } = await watch([START, end, START, end]);
    expect(written).toContain('1.2k in, 30 out');
  });

  it('continues where the text is not shown, until the call ends', async () => {
    const { seen } = await watch([START, TEXT, TEXT], { isTextShown: false });
    expect(seen.at(-1)?.before).not.toContain(CLEARED);
  });

  it('says nothing where stderr is not a terminal, and nothing for an answer at once', async () => {
    expect((await watch([START, TEXT], { isTTY: false })).written).toBe('');
  });

  it('is taken away when the turn breaks', async () => {
    const failing = watch([START, { type: 'thinking-delta', text: 'Hm' }]);
    expect((await failing).written.endsWith(CLEARED)).toBe(true);
  });
});

describe('a thought on one line', () => {
  it.each([
    ['', ''],
    ['**Looking for the bug**\n\n', 'Looking for the bug'],
    ['First. Second part', 'Second part'],
    ['先看测试。 再看代码', '再看代码'],
  ])('%j is %j', (thought, folded) => expect(foldedThought(thought)).toBe(folded));

  it('keeps a bounded end', () => {
    expect(withThought('a'.repeat(5_000), 'b')).toHaveLength(2_000);
    expect(foldedThought('x'.repeat(5_000))).toHaveLength(200);
    expect(waitingText({ who: 'p\n', elapsedMs: 61_000, used: undefined, thought: '' })).toContain('61 s');
  });
});
