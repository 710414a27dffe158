// Why a text was not found: the places that come closest, with their line numbers and how they differ. Looks first for
// lines that are equal but for white space, quotation marks, dashes or case; then for how far the text does match; then
// for the most similar lines. Bounded in what it reads and in what it shows.
import { findBytes, findSequence, longestBeginning } from './find-sequence.ts';
import { numberedLines } from './numbered-lines.ts';

const MOST_CHARACTERS = 2_000_000;
const MOST_SHOWN = 3;
const SIMILAR_ENOUGH = 0.5;
const MOST_LINES_COMPARED = 50;
/** Of a line, when lines are compared for similarity. */
const COMPARED_CHARACTERS = 300;

interface Place {
  /** Index of its first line. */
  at: number;
  how: string;
}

export function nearMatches(content: string, wantedText: string): string {
  const text = content.slice(0, MOST_CHARACTERS).replaceAll('\r\n', '\n');
  const lines = text.split('\n');
  const wanted = trimmedLines(wantedText.replaceAll('\r\n', '\n').split('\n'));
  if (wanted.length === 0) return '';
  const unescaped = wantedText
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/\\(["'\\])/g, '$1');
  if (unescaped !== wantedText && occurs(text, unescaped)) {
    return 'It does occur when \\n, \\t and \\" are read as the characters they mean: give those characters.';
  }
  const places = equalPlaces(lines, wanted);
  if (places.length > 0) return shown(places, lines, wanted.length);
  const partial = howFar(text, wanted.join('\n'));
  const similar = similarPlaces(lines, wanted);
  return [partial, similar.length > 0 ? shown(similar, lines, wanted.length) : '']
    .filter((part) => part !== '')
    .join('\n');
}

/** Without empty lines at either end. */
function trimmedLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

const FOLDS: [how: string, fold: (line: string) => string][] = [
  ['trailing white space', (line) => line.trimEnd()],
  ['indentation', (line) => line.trim()],
  ['white space', (line) => line.replace(/\s+/g, '')],
  ['quotation marks or dashes', (line) => foldPunctuation(line).replace(/\s+/g, '')],
  ['upper and lower case', (line) => foldPunctuation(line).replace(/\s+/g, '').toLowerCase()],
];

function foldPunctuation(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018-\u201b\u2032`\u00b4]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-');
}

function equalPlaces(lines: readonly string[], wanted: readonly string[]): Place[] {
  // Lines as numbers: equal ones, in the loosest sense, have the same.
  const numbers = new Map<string, number>();
  const numbered = (all: readonly string[]): number[] =>
    all.map((line) => {
      const folded = loosely(line);
      const number = numbers.get(folded) ?? numbers.size;
      numbers.set(folded, number);
      return number;
    });
  const places = findSequence(numbered(lines), numbered(wanted), { overlapping: true, limit: MOST_SHOWN });
  return places.map((at) => {
    const isEqual = (fold: (line: string) => string): boolean =>
      wanted.every((line, index) => fold(line) === fold(lines[at + index] ?? ''));
    const [how = 'white space'] = FOLDS.find(([, fold]) => isEqual(fold)) ?? [];
    return { at, how: `differs only in ${how}` };
  });
}

/** The last and loosest fold: what is equal under any of them is equal under this. */
function loosely(line: string): string {
  return FOLDS.at(-1)?.[1](line) ?? line;
}

const SHORTEST_BEGINNING = 12;

function howFar(text: string, wanted: string): string {
  const { length, end } = longestBeginning(codesOf(text), codesOf(wanted));
  if (length < SHORTEST_BEGINNING) return '';
  const line = text.slice(0, end).split('\n').length;
  const quoted = (part: string): string => JSON.stringify(part.slice(0, 60));
  const there = text.slice(end);
  return `Its first ${length} characters are in the file up to line ${line}, where ${quoted(wanted.slice(length))} is expected and ${there === '' ? 'the file ends' : `${quoted(there)} follows`}.`;
}

function codesOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

function occurs(text: string, part: string): boolean {
  return findBytes(Buffer.from(text), Buffer.from(part), { overlapping: false, limit: 1 }).length > 0;
}

function similarPlaces(lines: readonly string[], wanted: readonly string[]): Place[] {
  const anchor = wanted.reduce((best, line, index) => (line.length > (wanted[best]?.length ?? 0) ? index : best), 0);
  const likeness = createLikeness(wanted[anchor] ?? '');
  const best = lines
    .map((line, index) => ({ at: index - anchor, score: likeness(line) }))
    .filter(({ at, score }) => at >= 0 && score >= SIMILAR_ENOUGH)
    .sort((a, b) => b.score - a.score)
    .slice(0, 4 * MOST_SHOWN);
  const likenesses = wanted.slice(0, MOST_LINES_COMPARED).map(createLikeness);
  return best
    .map(({ at }) => ({
      at,
      score: likenesses.reduce((sum, alike, index) => sum + alike(lines[at + index] ?? ''), 0) / likenesses.length,
    }))
    .filter(({ score }) => score >= SIMILAR_ENOUGH)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_SHOWN)
    .map(({ at, score }) => ({ at, how: `${Math.round(score * 100)} % alike` }));
}

/** Share of pairs of characters that two lines have in common (Dice). */
function createLikeness(wanted: string): (line: string) => number {
  const pairs = pairsOf(wanted);
  const counts = new Map<number, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  return (line) => {
    const others = pairsOf(line);
    // Far apart in length, they cannot share half of their pairs.
    if (others.length > 3 * pairs.length || pairs.length > 3 * others.length)
      return line.trim() === wanted.trim() ? 1 : 0;
    if (pairs.length + others.length === 0) return line.trim() === wanted.trim() ? 1 : 0;
    const left = new Map(counts);
    let common = 0;
    for (const pair of others) {
      const count = left.get(pair) ?? 0;
      if (count === 0) continue;
      left.set(pair, count - 1);
      common += 1;
    }
    return (2 * common) / (pairs.length + others.length);
  };
}

function pairsOf(line: string): number[] {
  const text = line.trim().slice(0, COMPARED_CHARACTERS);
  const pairs: number[] = [];
  for (let at = 0; at + 1 < text.length; at += 1) pairs.push(text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1));
  return pairs;
}

function shown(places: readonly Place[], lines: readonly string[], count: number): string {
  return places
    .map(({ at, how }) => {
      const numbers = count === 1 ? `line ${at + 1}` : `lines ${at + 1}-${at + count}`;
      return `${numbers} (${how}):\n${numberedLines(lines, at, count)}`;
    })
    .join('\n');
}
