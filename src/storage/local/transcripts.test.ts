import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TranscriptLine } from '../storage.ts';
import { createTranscripts } from './transcripts.ts';

const BLOCK = 64 * 1024;

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lainclaw-transcripts-'));
  path = join(directory, 'one.jsonl');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const transcripts = () => createTranscripts(directory);
const text = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const note = (value: unknown): TranscriptLine => ({ type: 'note', value });

async function opened<T>(
  use: (transcript: Awaited<ReturnType<ReturnType<typeof transcripts>['open']>>) => Promise<T>,
): Promise<T> {
  const transcript = await transcripts().open('one');
  try {
    return await use(transcript);
  } finally {
    await transcript.close();
  }
}

const newestFirst = () => opened((transcript) => Array.fromAsync(transcript.newestFirst()));

async function scanned(): Promise<TranscriptLine[]> {
  const found = await Array.fromAsync(transcripts().scan('one'));
  return found.flatMap((entry) => ('line' in entry ? [entry.line] : []));
}

describe('reading backwards', () => {
  /** Texts that put line ends and the bytes of long characters everywhere around the border of a block. */
  const around = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc
      .tuple(fc.constantFrom('x', 'ж', '中', '😀'), fc.integer({ min: 0, max: 3 }), fc.integer({ min: -40, max: 40 }))
      .map(([letter, blocks, shift]) =>
        letter.repeat(Math.max(0, Math.floor((blocks * BLOCK + shift) / Buffer.byteLength(letter)))),
      ),
  );

  it('gives the same lines as reading forwards, whatever their lengths', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(around, { maxLength: 6 }), async (values) => {
        writeFileSync(path, text(...values.map(note)));
        expect((await newestFirst()).reverse()).toEqual(values.map(note));
        expect(await scanned()).toEqual(values.map(note));
      }),
      { numRuns: 40 },
    );
  });

  it.each([-2, -1, 0, 1, 2])('finds a line that ends %i bytes from the border of a block', async (shift) => {
    const last = note('last');
    const length = BLOCK + shift - text(last).length - text(note('')).length;
    const lines = [note('first'), note('ж'.repeat(BLOCK)), note('x'.repeat(length)), last];
    writeFileSync(path, text(...lines));
    expect((await newestFirst()).reverse()).toEqual(lines);
  });

  it('reads only as far back as it is asked', async () => {
    writeFileSync(path, text(note('old'), ...Array.from({ length: 5_000 }, (_, index) => note(index))));
    await opened(async (transcript) => {
      for await (const line of transcript.newestFirst()) {
        expect(line).toEqual(note(4_999));
        break;
      }
    });
  });

  it('passes over damaged lines, which reading forwards reports by number', async () => {
    writeFileSync(
      path,
      `${text(note(1))}{"type":"note","val\n\n42\nnull\n[]\n{"type":1}\n${'\0'.repeat(9)}\n${text(note(2))}`,
    );
    expect(await newestFirst()).toEqual([note(2), note(1)]);
    const found = await Array.fromAsync(transcripts().scan('one'));
    expect(found).toEqual([
      { number: 1, line: note(1) },
      { number: 2, damaged: '{"type":"note","val' },
      { number: 4, damaged: '42' },
      { number: 5, damaged: 'null' },
      { number: 6, damaged: '[]' },
      { number: 7, damaged: '{"type":1}' },
      { number: 8, damaged: '\0'.repeat(9) },
      { number: 9, line: note(2) },
    ]);
  });
});

describe('a torn last line', () => {
  const before = [note('first'), note('ж中😀 second')];
  const last = { type: 'message', message: { content: 'the end: ж中😀 "quoted" \\ {"type":"inner"}\n' } };

  it('is cut off at whichever byte it ends, and what is appended then is read back', async () => {
    const whole = Buffer.from(text(...before, last));
    const start = Buffer.byteLength(text(...before));
    for (let end = start; end < whole.length; end += 1) {
      writeFileSync(path, whole.subarray(0, end));
      const isWhole = end === whole.length - 1;
      await opened(async (transcript) => {
        expect(transcript.repairedBytes).toBe(isWhole ? 0 : end - start);
        await transcript.append([note('next')]);
      });
      const expected = [...before, ...(isWhole ? [last] : []), note('next')];
      expect(await scanned()).toEqual(expected);
      expect(readFileSync(path, 'utf8').replaceAll(/,"sum":"[\da-f]{8}"/g, '')).toBe(text(...expected));
    }
  });

  it('never costs a line before it, wherever the file is cut', async () => {
    const values = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(values, fc.double({ min: 0, max: 1, noNaN: true }), async (contents, share) => {
        const lines = contents.map(note);
        const bytes = Buffer.from(text(...lines));
        const cut = Math.floor(bytes.length * share);
        writeFileSync(path, bytes.subarray(0, cut));
        const whole = bytes.subarray(0, cut).toString('latin1').split('\n').length - 1;
        await opened((transcript) => transcript.append([note('next')]));
        const after = await scanned();
        expect(after.slice(0, whole)).toEqual(lines.slice(0, whole));
        expect(after.at(-1)).toEqual(note('next'));
        expect(after.length - whole).toBeLessThanOrEqual(2);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['NUL bytes', '\0'.repeat(10_000)],
    ['half a character', Buffer.from('{"type":"ж').subarray(0, -1)],
    ['a number', '42'],
    ['a torn line longer than a block', `{"type":"${'x'.repeat(3 * BLOCK)}`],
  ])('of %s is cut off', async (_name, torn) => {
    writeFileSync(path, Buffer.concat([Buffer.from(text(...before)), Buffer.from(torn)]));
    await opened(async (transcript) => expect(transcript.repairedBytes).toBe(Buffer.byteLength(torn)));
    expect(readFileSync(path, 'utf8')).toBe(text(...before));
  });

  it('is all there is of a file: it is empty then', async () => {
    writeFileSync(path, '{"type":"sess');
    await opened(async (transcript) => expect(transcript).toMatchObject({ isEmpty: true, repairedBytes: 13 }));
    expect(statSync(path).size).toBe(0);
  });

  it('is left alone by a reader', async () => {
    writeFileSync(path, `${text(...before)}{"torn`);
    expect(await scanned()).toEqual(before);
    expect(readFileSync(path, 'utf8')).toBe(`${text(...before)}{"torn`);
  });
});

describe('appending', () => {
  it('continues where the file was repaired, also when another program truncated it', async () => {
    await opened((transcript) => transcript.append([note(1), note(2)]));
    truncateSync(path, readFileSync(path).indexOf('\n') + 4);
    await opened((transcript) => transcript.append([note(3)]));
    expect(await scanned()).toEqual([note(1), note(3)]);
  });

  it('makes the directory and a private file', async () => {
    const nested = createTranscripts(join(directory, 'a', 'b'));
    const transcript = await nested.open('one');
    await transcript.append([note(1)]);
    await transcript.sync();
    await transcript.close();
    expect(statSync(join(directory, 'a', 'b', 'one.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'a')).mode & 0o777).toBe(0o700);
  });

  it('to what is not a file fails with a reason that names it', async () => {
    writeFileSync(join(directory, 'file'), '');
    const misplaced = createTranscripts(join(directory, 'file'));
    await expect(misplaced.open('one')).rejects.toMatchObject({
      name: 'StorageError',
      code: 'STORAGE_NOT_A_DIRECTORY',
    });
    await expect(Array.fromAsync(misplaced.scan('one'))).rejects.toMatchObject({ code: 'STORAGE_NOT_A_DIRECTORY' });
  });
});
