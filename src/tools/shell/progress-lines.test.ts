import { describe, expect, it } from 'vitest';
import { createProgressLines } from './progress-lines.ts';

function collecting() {
  const shown: string[] = [];
  return { shown, lines: createProgressLines((text) => shown.push(text)) };
}

describe('output for a person', () => {
  it('is shown in whole lines of either stream, the rest at the end', () => {
    const { shown, lines } = collecting();
    lines.add('stdout', Buffer.from('one\ntw'));
    lines.add('stderr', Buffer.from('bad\n'));
    lines.add('stdout', Buffer.from('o\nthree'));
    lines.end();
    expect(shown).toEqual(['one\n', 'bad\n', 'two\n', 'three\n']);
  });

  it('does not break a character that comes in pieces', () => {
    const { shown, lines } = collecting();
    const bytes = Buffer.from('文\n');
    lines.add('stdout', bytes.subarray(0, 2));
    lines.add('stdout', bytes.subarray(2));
    expect(shown).toEqual(['文\n']);
  });

  it('is shown also when no newline ever comes, and costs no more for it', () => {
    const { shown, lines } = collecting();
    const chunk = Buffer.alloc(65_536, 'x');
    for (let count = 0; count < 800; count += 1) lines.add('stdout', chunk);
    lines.end();
    const length = shown.join('').length;
    expect(length).toBeGreaterThan(200_000);
    expect(length).toBeLessThan(300_000);
  });

  it('ends at a limit, and says so once', () => {
    const { shown, lines } = collecting();
    for (let count = 0; count < 10_000; count += 1) lines.add('stdout', Buffer.from(`${'y'.repeat(99)}\n`));
    lines.end();
    expect(shown.join('').length).toBeLessThan(210_000);
    expect(shown.filter((text) => text.includes('not shown here'))).toHaveLength(1);
  });
});
