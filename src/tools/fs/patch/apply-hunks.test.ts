import { createTwoFilesPatch, structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { processorTime } from '../../../../test/support/processor-time.ts';
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './parse-patch.ts';
import type { FilePatch } from './patch.ts';

function hunksOf(patch: string): Extract<FilePatch, { kind: 'update' }>['hunks'] {
  const [file] = parsePatch(patch);
  if (file?.kind !== 'update') throw new Error('no update');
  return file.hunks;
}

const apply = async (before: string, patch: string): Promise<string> =>
  (await applyHunks('a.txt', Buffer.from(before), hunksOf(patch))).toString();

const update = (...lines: string[]): string =>
  ['*** Begin Patch', '*** Update File: a.txt', ...lines, '*** End Patch'].join('\n');

describe('a hunk', () => {
  it.each<[what: string, before: string, lines: string[], after: string]>([
    ['replaces a line', 'one\ntwo\nthree\n', ['@@', ' one', '-two', '+2', ' three'], 'one\n2\nthree\n'],
    ['needs no @@', 'one\ntwo\n', ['-two', '+2'], 'one\n2\n'],
    ['adds at the end without context', 'one\n', ['@@', '+two'], 'one\ntwo\n'],
    ['fills an empty file', '', ['+one'], 'one\n'],
    ['removes everything', 'one\ntwo\n', ['-one', '-two'], ''],
    ['keeps CRLF', 'one\r\ntwo\r\n', ['-two', '+2', '+3'], 'one\r\n2\r\n3\r\n'],
    ['keeps a missing last line ending', 'one\ntwo', ['-two', '+2'], 'one\n2'],
    ['ends the line before what it adds at the end', 'one', [' one', '+two'], 'one\ntwo'],
    ['keeps the byte order mark', '\ufeffone\n', ['-one', '+1'], '\ufeff1\n'],
    ['ignores white space at line ends', 'one  \ntwo\t\n', [' one', '-two', '+2'], 'one  \n2\n'],
    ['reads typographic marks as plain ones', 'say “hi” – now\n', ['-say "hi" - now', '+x'], 'x\n'],
    ['takes the place below its anchor', 'a:\nx\nb:\nx\n', ['@@ b:', '-x', '+y'], 'a:\nx\nb:\ny\n'],
    [
      'follows several anchors',
      'c1\n f\n  x\nc2\n f\n  x\n',
      ['@@ c2', '@@ f', '-  x', '+  y'],
      'c1\n f\n  x\nc2\n f\n  y\n',
    ],
    ['may include its anchor', 'a\nx\nb\nx\n', ['@@ b', ' b', '-x', '+y'], 'a\nx\nb\ny\n'],
    ['adds below an anchor', 'a\nb\n', ['@@ a', '+new'], 'a\nnew\nb\n'],
    ['takes the last place where the file ends', 'x\ny\nx\n', ['-x', '+z', '*** End of File'], 'x\ny\nz\n'],
    ['takes a line number as a hint', 'x\ny\nx\n', ['@@ -3,1 +3,1 @@', '-x', '+z'], 'x\ny\nz\n'],
    ['may leave out the space of an empty line', 'a\n\nb\n', [' a', '', '-b', '+c'], 'a\n\nc\n'],
    ['comes after the hunks before it', 'x\nm\nx\n', ['-x', '+1', ' m', '@@', '-x', '+2'], '1\nm\n2\n'],
  ])('%s', async (_, before, lines, after) => {
    expect(await apply(before, update(...lines))).toBe(after);
  });

  it('keeps bytes that are not UTF-8', async () => {
    const before = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('two\n')]);
    const after = await applyHunks('a.txt', before, hunksOf(update('-two', '+2')));
    expect(after).toEqual(Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('2\n')]));
  });

  it.each<[what: string, before: string, lines: string[], problem: RegExp]>([
    ['that occurs twice', 'x\ny\nx\n', ['-x', '+z'], /occur 2 times in a\.txt \(lines 1, 3\).*Nothing was changed/],
    ['that is not there', 'one\n', ['-two', '+2'], /not in a\.txt/],
    ['with another indentation', '  x\n', ['-x', '+y'], /not in a\.txt/],
    ['without its anchor', 'x\ny\n', ['@@ nowhere', '+z'], /"@@ nowhere" is not in a\.txt/],
    ['on a line that another hunk changed', 'x\n', ['-x', '+1', '@@', '-x', '+2'], /not in a\.txt/],
  ])('%s is refused', async (_, before, lines, problem) => {
    await expect(apply(before, update(...lines))).rejects.toThrow(problem);
  });

  it('is found in a file of many equal lines in time', async () => {
    const before = 'x\n'.repeat(200_000);
    const lines = Array.from({ length: 2_000 }, () => ' x');
    const started = processorTime();
    await expect(apply(before, update(...lines, '-y', '+z'))).rejects.toThrow(/not in/);
    expect(processorTime() - started).toBeLessThan(20_000);
  });
});

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '  c', '', '-- d', '++ e', 'é“', '@@ f'), { maxLength: 30 }), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : ''));

describe('any two texts', () => {
  it('a unified diff of them makes the one the other', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after && before !== '' && after !== '');
        const patch = createTwoFilesPatch('a/a.txt', 'b/a.txt', before, after);
        expect(await apply(before, patch)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('an envelope with the whole file as context makes the one the other', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after && before.endsWith('\n') && after.endsWith('\n'));
        const { hunks } = structuredPatch('', '', before, after, '', '', { context: 1_000 });
        const patch = update(...hunks.flatMap(({ lines }) => ['@@', ...lines]));
        expect(await apply(before, patch)).toBe(after);
      }),
      { numRuns: 300 },
    );
  });

  it('a patch is applied, or refused with a reason', async () => {
    const line = fc.tuple(
      fc.constantFrom(' ', '-', '+', '@@', '*** ', ''),
      fc.constantFrom('a', 'b', '', 'End of File'),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.array(line, { maxLength: 12 }), async (before, lines) => {
        const patch = update(...lines.map(([sign, rest]) => sign + rest));
        const outcome = await apply(before, patch).catch((error: Error) => error.message);
        expect(typeof outcome).toBe('string');
      }),
      { numRuns: 500 },
    );
  });
});

describe('a patch in a file of equal lines', () => {
  const equalLines = (count: number): Buffer => Buffer.from('x\n'.repeat(count));

  it('copies each added line at most twice, however many places fit', async () => {
    const added = Array.from({ length: 50 }, () => '+line of code');
    const hunks = hunksOf(update('@@ -1,1 +1,1 @@', '-x', '+first', '@@ -500,1 +500,1 @@', ' x', ...added));
    const before = equalLines(1000);
    const copies = vi.spyOn(Buffer, 'from');
    try {
      const after = (await applyHunks('a.txt', before, hunks)).toString();
      expect(after.startsWith(`first\n${'x\n'.repeat(499)}line of code\n`)).toBe(true);
      const ofAddedLines = copies.mock.calls.filter(([text]) => (text as unknown) === 'line of code');
      expect(ofAddedLines.length).toBeLessThanOrEqual(2 * added.length);
    } finally {
      copies.mockRestore();
    }
  });

  it('may have many hunks, also in reverse order', async () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index * 3 + 1);
    const expected = Array.from({ length: 1000 }, (_, index) => (index % 3 === 0 && index < 900 ? 'y\n' : 'x\n')).join(
      '',
    );
    for (const order of [numbers, numbers.toReversed()]) {
      const hunks = hunksOf(update(...order.flatMap((line) => [`@@ -${line},1 +${line},1 @@`, '-x', '+y'])));
      expect((await applyHunks('a.txt', equalLines(1000), hunks)).toString()).toBe(expected);
    }
  });

  it('is refused when placing its hunks takes too many steps', async () => {
    // 3,000 ranges at each of 10,000 places.
    const ranges = Array.from({ length: 3000 }, () => ['-x', ' x']).flat();
    const hunks = hunksOf(update('@@ -1,1 +1,1 @@', '-x', '+first', '@@ -9000,1 +9000,1 @@', ...ranges));
    await expect(applyHunks('a.txt', equalLines(20_000), hunks)).rejects.toThrow(
      '2 hunks in the 20000 lines of a.txt take too long to place: use fewer hunks, or write the whole file',
    );
  });

  it('is refused when it has too many anchors', async () => {
    const anchors = Array.from({ length: 2000 }, () => '@@ x');
    await expect(applyHunks('a.txt', equalLines(20_000), hunksOf(update(...anchors, '-x', '+y')))).rejects.toThrow(
      'take too long to place',
    );
  });
});
