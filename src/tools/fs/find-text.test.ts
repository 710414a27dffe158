import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../test/support/processor-time.ts';
import { findBytes, findSequence } from './find-sequence.ts';
import { findText, isSameText, lineOf, replaceMatches } from './find-text.ts';

const ALL = { overlapping: false, limit: Number.POSITIVE_INFINITY };

function replaceAll(file: string | Buffer, oldText: string, newText: string): string {
  const bytes = Buffer.from(file);
  return replaceMatches(bytes, findText(bytes, oldText, ALL), newText).toString('utf8');
}

describe('replacing', () => {
  it('is exact where endings agree', () => {
    expect(replaceAll('a.b.c', '.', '$&')).toBe('a$&b$&c');
    expect(replaceAll('aaaa', 'aa', 'b')).toBe('bb');
    expect(replaceAll('привет мир', 'мир', '世界')).toBe('привет 世界');
    expect(replaceAll('a\n\nb', '\n\n', '')).toBe('ab');
  });

  it('finds a text whichever line endings it is given with, and keeps those of the file', () => {
    expect(replaceAll('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n');
    expect(replaceAll('a\nb\nc\n', 'a\r\nb', 'x\r\ny')).toBe('x\ny\nc\n');
    expect(replaceAll('a\r\nb', 'b', 'b\nc')).toBe('a\r\nb\r\nc');
    expect(replaceAll('one', 'one', 'one\ntwo')).toBe('one\ntwo');
    expect(replaceAll('a\r\nb\r\n', '\nb', '\nc')).toBe('a\r\nc\r\n');
    expect(replaceAll('a\r\nb\r\n', 'a\n', '')).toBe('b\r\n');
  });

  it('leaves each line of a mixed file its own ending', () => {
    expect(replaceAll('a\nb\r\nc\nd', 'a\nb\nc\n', '1\n2\n3\n')).toBe('1\n2\r\n3\nd');
    expect(replaceAll('a\nb\r\nc', 'b', '1\n2')).toBe('a\n1\r\n2\r\nc');
    expect(replaceAll('a\nb\r\na\nb', 'a\nb', 'x')).toBe('x\r\nx');
  });

  it('never eats a byte order mark', () => {
    expect(replaceAll('\ufeffabc', 'abc', 'x')).toBe('\ufeffx');
    expect(replaceAll('\ufeffabc', '\ufeffabc', 'x')).toBe('\ufeffx');
    expect(replaceAll('\ufeffabc', '\ufeffabc', '\ufeffx')).toBe('\ufeffx');
    expect(replaceAll('a\ufeffb', '\ufeffb', 'b')).toBe('ab');
  });

  it('leaves bytes that are not UTF-8 alone', () => {
    const file = Buffer.from([0xff, 0x61, 0xfe, 0x0d, 0x0a, 0x62, 0xc3]);
    const after = replaceMatches(file, findText(file, 'b', ALL), 'é');
    expect([...after]).toEqual([0xff, 0x61, 0xfe, 0x0d, 0x0a, 0xc3, 0xa9, 0xc3]);
  });

  it('knows when only line endings would change', () => {
    expect(isSameText('a\r\nb', 'a\nb')).toBe(true);
    expect(isSameText('a', 'b')).toBe(false);
  });

  it('counts overlapping places when asked to, up to a limit', () => {
    const bytes = Buffer.from('aaaa\r\naaa');
    expect(findText(bytes, 'aaa', { overlapping: true, limit: 9 })).toHaveLength(3);
    expect(findText(bytes, 'aaa', { overlapping: true, limit: 2 })).toHaveLength(2);
    expect(findText(bytes, 'aaa', ALL)).toHaveLength(2);
    expect(lineOf(bytes, 6)).toBe(2);
    expect(lineOf(bytes, 5)).toBe(1);
  });
});

// Token by token, with none of the tricks above: a line ending is one token, whatever its bytes.
type Token = { bytes: Buffer; isEnding: boolean };

function tokensOf(bytes: Buffer): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < bytes.length; ) {
    const isCrLf = bytes[at] === 0x0d && bytes[at + 1] === 0x0a;
    const length = isCrLf ? 2 : 1;
    tokens.push({ bytes: bytes.subarray(at, at + length), isEnding: isCrLf || bytes[at] === 0x0a });
    at += length;
  }
  return tokens;
}

function oracle(file: Buffer, oldText: string, newText: string): Buffer {
  const tokens = tokensOf(file);
  const wanted = tokensOf(Buffer.from(oldText));
  const replacement = tokensOf(Buffer.from(newText));
  const out: Buffer[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = tokens.slice(at, at + wanted.length);
    const isMatch =
      found.length === wanted.length &&
      found.every(
        (token, i) =>
          token.isEnding === wanted[i]?.isEnding && (token.isEnding || token.bytes.equals(wanted[i]?.bytes as Buffer)),
      );
    if (!isMatch) {
      out.push(tokens[at]?.bytes as Buffer);
      at += 1;
      continue;
    }
    const own = found.filter(({ isEnding }) => isEnding).map(({ bytes }) => bytes);
    const after = tokens.slice(at + wanted.length).find(({ isEnding }) => isEnding);
    const before = tokens.slice(0, at).findLast(({ isEnding }) => isEnding);
    const near = after?.bytes ?? before?.bytes ?? Buffer.from('\n');
    const isMark = at === 0 && file.subarray(0, 3).equals(Buffer.from('\ufeff')) && !newText.startsWith('\ufeff');
    if (isMark && Buffer.concat(found.map(({ bytes }) => bytes)).length >= 3) out.push(Buffer.from('\ufeff'));
    let line = 0;
    for (const token of replacement) out.push(token.isEnding ? (own[line++] ?? own.at(-1) ?? near) : token.bytes);
    at += wanted.length;
  }
  return Buffer.concat(out);
}

describe('finding', () => {
  const naive = (whole: string, part: string, overlapping: boolean): number[] => {
    const found: number[] = [];
    for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + (overlapping ? 1 : part.length)))
      found.push(at);
    return found;
  };

  it('is right for every text, also when it has to go the slower way', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 });
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(letters, part, fc.boolean(), (whole, wanted, overlapping) => {
        const options = { overlapping, limit: 1_000 };
        const expected = naive(whole, wanted, overlapping);
        expect(findBytes(Buffer.from(whole), Buffer.from(wanted), options)).toEqual(expected);
        expect(findSequence(Buffer.from(whole), Buffer.from(wanted), options)).toEqual(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('ends in good time where the usual search takes minutes', () => {
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'a');
    const half = 'a'.repeat(50_000);
    const begin = processorTime();
    expect(findText(bytes, `${half}b${half}`, ALL)).toEqual([]);
    expect(findText(bytes, half, { overlapping: true, limit: 1_000_000 })).toHaveLength(1_000_000);
    expect(processorTime() - begin).toBeLessThan(5_000);
  });
});

describe('any file', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\r\n', '\r', 'é', '世', '👩‍💻', '\ufeff');
  const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  const raw = fc.constantFrom(Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0x80, 0xfe]));
  const chunk = fc.oneof({ weight: 9, arbitrary: piece.map((part) => Buffer.from(part)) }, raw);
  const file = fc
    .tuple(fc.boolean(), fc.array(chunk, { maxLength: 40, size: 'max' }))
    .map(([mark, chunks]) => Buffer.concat([Buffer.from(mark ? '\ufeff' : ''), ...chunks]));

  it('is edited as the oracle edits it', () => {
    let replaced = 0;
    fc.assert(
      fc.property(file, text, text, (bytes, oldText, newText) => {
        // A lone CR before the place where an LF is put would become a line ending: the text decides, not the bytes.
        const matches = findText(bytes, oldText, ALL);
        replaced += matches.length;
        expect(replaceMatches(bytes, matches, newText).toString('hex')).toBe(
          oracle(bytes, oldText, newText).toString('hex'),
        );
      }),
      { numRuns: 5_000 },
    );
    expect(replaced).toBeGreaterThan(500);
  });

  it('of one kind of line ending stays of that kind', () => {
    const plain = fc.array(fc.constantFrom('a', 'b', '\n', 'é'), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(plain, plain, plain, fc.constantFrom('\n', '\r\n'), (file_, old, now, ending) => {
        const content = file_.join('');
        const spelled = content.replaceAll('\n', ending);
        const oldText = old.slice(0, 3).join('');
        const after = replaceAll(spelled, oldText.replaceAll('\n', '\r\n'), now.join(''));
        // A file without any line ending has no kind yet.
        if (!content.includes('\n') && ending === '\r\n') return;
        expect(after).toBe(content.replaceAll(oldText, () => now.join('')).replaceAll('\n', ending));
      }),
      { numRuns: 2_000 },
    );
  });
});
