import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../test/support/processor-time.ts';
import { encodeText } from '../documents/encode-text.ts';
import { unifiedDiff } from './unified-diff.ts';

const diff = (before: string | undefined, after: string | undefined, maxChars = 1_000_000) =>
  unifiedDiff({
    path: 'f',
    before: before === undefined ? undefined : Buffer.from(before),
    after: after === undefined ? undefined : Buffer.from(after),
    maxChars,
  });

describe('a unified diff', () => {
  it('shows three lines around a change, wherever the change is', async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
    const changed = lines.with(9, 'new\n').join('');
    expect(await diff(lines.join(''), changed)).toEqual({
      text: `--- a/f\n+++ b/f\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n`,
      added: 1,
      removed: 1,
      truncated: false,
    });
  });

  it('shows a file that is new or gone, and a missing newline', async () => {
    expect((await diff(undefined, 'a\nb')).text).toBe(
      '--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n',
    );
    expect((await diff('a\n', undefined)).text).toBe('--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n');
    expect(await diff('a', 'a')).toMatchObject({ text: '', added: 0 });
    expect(await diff('a\0', 'b')).toMatchObject({ text: 'Binary file f: 2 bytes before, 1 after\n' });
  });

  it.each(['windows-1251', 'gb18030'] as const)('shows a file in %s in its letters', async (charset) => {
    const encoded = (text: string): Buffer => encodeText(text, charset) ?? Buffer.alloc(0);
    const text = charset === 'gb18030' ? '付款队列满了。\n' : 'Платежи не прошли.\n';
    const more = { path: 'f', maxChars: 1_000 };
    const changed = await unifiedDiff({ ...more, before: encoded(`${text}a\n`), after: encoded(`${text}b\n`) });
    expect(changed.text).toBe(`--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n ${text}-a\n+b\n`);
    const removed = await unifiedDiff({ ...more, before: encoded(text), after: undefined });
    expect(removed.text).toContain(`-${text}`);
    // Every line of a file that is put into UTF-8 is a change.
    const converted = await unifiedDiff({ ...more, before: encoded(text), after: Buffer.from(text) });
    expect(converted).toMatchObject({ added: 1, removed: 1, text: expect.stringContaining(`+${text}`) });
  });

  it('ends at a line when it grows too long, and counts everything', async () => {
    const whole = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join('');
    const cut = await diff(undefined, whole, 200);
    expect(cut).toMatchObject({ truncated: true, added: 1_000, removed: 0 });
    expect(cut.text).toMatch(/\+line \d+\n… \d+ more lines\n$/);
    expect(cut.text.length).toBeLessThan(250);
  });

  it('gives up on two files that have nothing in common, in good time', async () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('');
    const begin = processorTime();
    expect(await diff(lines('one'), lines('two'), 1_000)).toMatchObject({ added: 20_000, removed: 20_000 });
    expect(processorTime() - begin).toBeLessThan(5_000);
  });

  it('turns the one text into the other', async () => {
    const line = fc.constantFrom('a', 'b', 'c', '', 'é世', ' x');
    const text = fc
      .tuple(fc.array(line, { maxLength: 30, size: 'max' }), fc.boolean())
      .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { text: patch } = await diff(before, after);
        if (patch === '') expect(before).toBe(after);
        else expect(applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });
});
