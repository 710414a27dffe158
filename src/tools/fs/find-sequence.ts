// Searching in linear time, whatever the text: the system's own search takes minutes on a megabyte of one letter when
// the wanted text is long and almost the same. It is used for the first bytes only; what it finds is compared natively,
// and when that adds up to too much, Knuth-Morris-Pratt continues from there.

export interface FindOptions {
  /** Also count places that overlap: they cannot all be replaced, but the text is not unique. */
  overlapping: boolean;
  /** Stops after this many. */
  limit: number;
}

type Sequence = ArrayLike<number>;

const HEAD_BYTES = 16;
const MOST_COMPARED_BYTES = 32 * 1024 * 1024;

export function findBytes(bytes: Buffer, wanted: Buffer, options: FindOptions): number[] {
  const { overlapping, limit } = options;
  const head = wanted.subarray(0, HEAD_BYTES);
  const found: number[] = [];
  let compared = 0;
  for (let at = bytes.indexOf(head); at >= 0 && found.length < limit; ) {
    compared += wanted.length;
    if (compared > MOST_COMPARED_BYTES) {
      return [...found, ...findSequence(bytes, wanted, { ...options, limit: limit - found.length, from: at })];
    }
    const end = at + wanted.length;
    const isMatch = end <= bytes.length && bytes.compare(wanted, 0, wanted.length, at, end) === 0;
    if (isMatch) found.push(at);
    at = bytes.indexOf(head, isMatch && !overlapping ? end : at + 1);
  }
  return found;
}

export function findSequence(whole: Sequence, wanted: Sequence, options: FindOptions & { from?: number }): number[] {
  const { overlapping, limit, from = 0 } = options;
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = from; at < whole.length && found.length < limit; at += 1) {
    matched = advance(matched, whole[at] as number, wanted, borders);
    if (matched < wanted.length) continue;
    found.push(at + 1 - wanted.length);
    matched = overlapping ? (borders[matched - 1] as number) : 0;
  }
  return found;
}

/** How much of the beginning of `wanted` occurs anywhere, and where that ends. */
export function longestBeginning(whole: Sequence, wanted: Sequence): { length: number; end: number } {
  const borders = bordersOf(wanted);
  const longest = { length: 0, end: 0 };
  let matched = 0;
  for (let at = 0; at < whole.length && longest.length < wanted.length; at += 1) {
    matched = advance(matched, whole[at] as number, wanted, borders);
    if (matched > longest.length) Object.assign(longest, { length: matched, end: at + 1 });
  }
  return longest;
}

/** For every beginning, the length of its longest proper beginning that is also its end. */
function bordersOf(wanted: Sequence): Int32Array {
  const borders = new Int32Array(wanted.length);
  for (let at = 1; at < wanted.length; at += 1) {
    borders[at] = advance(borders[at - 1] as number, wanted[at] as number, wanted, borders);
  }
  return borders;
}

function advance(matched: number, next: number, wanted: Sequence, borders: Int32Array): number {
  let length = matched;
  while (length > 0 && wanted[length] !== next) length = borders[length - 1] as number;
  return wanted[length] === next ? length + 1 : 0;
}
