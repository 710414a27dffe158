// Turns text into index terms, by script: words of alphabets are stemmed (Latin as English, Cyrillic as Russian), Chinese
// becomes simplified single characters and pairs, other scripts without spaces become pairs, everything else stays a whole word
// without optional marks. A name like `getUserName` or `Node24` gives a word and its parts. Terms contain only letters,
// digits and pictographs, so no query can be a syntax error. Pure except for a bounded cache.
import { IRREGULAR } from './english-irregular.ts';
import { stemEnglish } from './english-stem.ts';
import { createEverydayWords, type WeakMatch } from './everyday-words.ts';
import { foldLatin, foldMarks } from './fold.ts';
import { hasCompounds, joinedNumbers, joinedWords, partsOf } from './parts.ts';
import { hanNames, latinNames } from './pinyin.ts';
import { otherRegion } from './regional-words.ts';
import { stemRussian } from './russian-stem.ts';
import { inOtherScript } from './scripts.ts';
import { STOP_WORDS } from './stop-words.ts';
import { simplified } from './traditional.ts';

/** Increase it when the same text gives other terms: an index of another version is rebuilt. */
export const ANALYSER_VERSION = 8;

const LONGEST_WORD = 64;
const CACHED_STEMS = 50_000;
const MOST_NAMES = 6;
const WORD_END = 0x5f;

const RUN = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Scripts written without spaces; and Hangul, whose words have long endings. */
const DENSE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const PIECE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** Excludes accented letters, which are folded, and words like "dying", whose stem is "die". */
const KEEPS_HEAD = /^(?![dlt]y)[a-z0-9а-я]([a-z0-9а-я]|$)/;
const NEGATION =
  /\b(?:ca|wo|sha|do|does|did|is|are|was|were|has|have|had|could|would|should|must|might|need|ai)n['’]t\b/giu;
const CLITIC = /(?<=[\p{L}\p{N}])['’](?:s|d|m|ll|re|ve)(?![\p{L}\p{N}])/giu;
const CYRILLIC = /^[а-я]+$/;
const CAPITAL = /^\p{Lu}/u;
const LATIN_BASE = /^[a-z]+$/;
const ACCENTED_LATIN = /^[\p{Script=Latin}\p{M}\p{N}]*[^a-z0-9][\p{Script=Latin}\p{M}\p{N}]*$/u;

export interface QueryTerms {
  /** Each term once. Without stop-words, unless the query has nothing else. */
  terms: ReadonlySet<string>;
  /** Trigrams of the words of alphabets, as numbers: similar spellings share most of them. */
  trigrams: ReadonlySet<number>;
  /** The first letters of the words of alphabets among the terms. */
  heads: ReadonlySet<number>;
  /** The query has no other words than stop-words. */
  hasOnlyStopWords?: true;
  /** Those of the terms that are a weaker match: names in another script, and everyday words for the same thing. */
  weak?: ReadonlyMap<string, WeakMatch>;
}

/** How often the terms of a query occur in a text. */
export interface Counts {
  terms: Map<string, number>;
  trigrams: Map<number, number>;
  /** Number of all trigrams of the text. */
  spelt: number;
}

export interface Analyser {
  /** Every term in order, with repetitions. */
  terms(text: string): string[];
  query(text: string): QueryTerms;
  count(text: string, wanted: QueryTerms): Counts;
  /**
   * Terms that the names in a query could have in another script: words that begin with a capital, and those in `unknown`. Also
   * Chinese words that are others elsewhere.
   */
  otherScripts(text: string, unknown: ReadonlySet<string>): string[];
  /** Terms of everyday words for the same things, and for kinds of them; never one of the given terms. */
  alike(terms: ReadonlySet<string>): Map<string, WeakMatch>;
}

export function createAnalyser(): Analyser {
  const stems = new Map<string, string>();
  const everydayWords = createEverydayWords((word) => stem(plainOf(word)));

  function stem(word: string): string {
    let known = stems.get(word);
    if (known === undefined) {
      known = stemOf(word);
      if (stems.size >= CACHED_STEMS) stems.clear();
      stems.set(word, known);
    }
    return known;
  }

  function collect(pieces: readonly Piece[], keep: (surface: string) => boolean): string[] {
    const terms: string[] = [];
    for (const { text, isDense } of pieces) {
      if (isDense) {
        for (const term of denseTerms(text)) if (keep(term)) terms.push(term);
      } else if (keep(text)) terms.push(stem(text));
    }
    return terms;
  }

  return {
    terms: (text) => collect(piecesOf(text), () => true),
    query(text) {
      const pieces = piecesOf(withoutClitics(text));
      const telling = collect(pieces, (surface) => !STOP_WORDS.has(surface));
      const terms = new Set(telling.length > 0 ? telling : collect(pieces, () => true));
      const trigrams = new Set<number>();
      for (const piece of pieces) {
        if (isSpelt(piece) && !STOP_WORDS.has(piece.text)) eachTrigram(piece.text, (part) => trigrams.add(part));
      }
      return { terms, trigrams, heads: headsOf(terms), ...(telling.length === 0 && { hasOnlyStopWords: true }) };
    },
    count(text, wanted) {
      const counts: Counts = { terms: new Map(), trigrams: new Map(), spelt: 0 };
      const countTerm = (term: string): void => {
        if (wanted.terms.has(term)) counts.terms.set(term, (counts.terms.get(term) ?? 0) + 1);
      };
      const countTrigram = (part: number): void => {
        counts.spelt += 1;
        if (wanted.trigrams.has(part)) counts.trigrams.set(part, (counts.trigrams.get(part) ?? 0) + 1);
      };
      for (const piece of piecesOf(text)) {
        if (piece.isDense) denseTerms(piece.text).forEach(countTerm);
        else {
          // Most words differ from the wanted ones before stemming.
          if (wanted.heads.has(headOf(piece.text)) || !keepsHead(piece.text)) countTerm(stem(piece.text));
          if (isSpelt(piece)) eachTrigram(piece.text, countTrigram);
        }
      }
      return counts;
    },
    otherScripts(text, unknown) {
      const normal = text.normalize('NFKC');
      const words = (normal.match(RUN) ?? []).map((run) => {
        const word = plainOf(run);
        const isName = !STOP_WORDS.has(word) && (CAPITAL.test(run) || unknown.has(stem(word)));
        return { word, isName };
      });
      const names = words.filter(({ isName }) => isName).map(({ word }) => word);
      const written = names.slice(0, MOST_NAMES).flatMap((word) => inOtherScript(word).map(stem));
      const next = words.slice(1);
      const pairs = words.flatMap(({ word, isName }, index) =>
        isName && next[index]?.isName ? hanNames(word, next[index].word) : [],
      );
      return [...new Set([...written, ...pairs, ...(DENSE.test(normal) ? otherChinese(simplified(normal)) : [])])];
    },
    alike(terms) {
      const others = new Map([...terms].flatMap((term) => [...everydayWords(term)]));
      for (const term of terms) others.delete(term);
      return others;
    },
  };
}

/** Names in pinyin, and words of the other side of the strait. */
function otherChinese(text: string): string[] {
  const latin = latinNames(text).filter((word) => !STOP_WORDS.has(word));
  const words = otherRegion(text).flatMap((word) => denseTerms(word).filter((term) => term.length > 1));
  return [...latin.map(stemOf), ...words];
}

/** The query with these terms of the index instead of its own. */
export function askingFor(query: QueryTerms, terms: Iterable<string>): QueryTerms {
  const wanted = new Set(terms);
  return { ...query, terms: wanted, heads: headsOf(wanted) };
}

function headsOf(terms: Iterable<string>): Set<number> {
  return new Set([...terms].map(headOf));
}

/** The first two letters, which stemming does not change. */
function headOf(word: string): number {
  return word.charCodeAt(0) * 65_536 + (word.length > 1 ? word.charCodeAt(1) : 0);
}

function keepsHead(word: string): boolean {
  return KEEPS_HEAD.test(word) && !IRREGULAR.has(word);
}

/** "Anna's", "she's", "doesn't": what follows the apostrophe is not a word; as a term, "s" would find every "it's". */
function withoutClitics(text: string): string {
  return text.replace(NEGATION, ' ').replace(CLITIC, ' ');
}

interface Piece {
  text: string;
  isDense: boolean;
  /** Set for a part of a word whose trigrams were counted already. */
  isPart?: true;
}

function isSpelt({ isDense, isPart }: Piece): boolean {
  return !isDense && !isPart;
}

/** Runs of letters and digits, lower case, separated where the kind of script changes. */
function piecesOf(text: string): Piece[] {
  const normal = text.normalize('NFKC');
  const isDense = DENSE.test(normal);
  const written = isDense ? simplified(normal) : normal;
  const split = isDense ? splitByScript : asOne;
  const joined = [...joinedNumbers(written), ...joinedWords(written)].map((word) => asPart(word));
  if (!hasCompounds(written)) return [...(plainOf(written).match(RUN) ?? []).flatMap(split), ...joined];
  const words = (written.match(RUN) ?? []).flatMap((run) => {
    const parts = partsOf(run);
    const whole = split(plainOf(run));
    return parts.length > 0 ? [...whole, ...parts.map(asPart)] : whole;
  });
  return [...words, ...joined];
}

function asPart(text: string): Piece {
  return { text: plainOf(text), isDense: false, isPart: true };
}

function plainOf(written: string): string {
  return written.toLowerCase().replaceAll('ё', 'е');
}

function asOne(run: string): Piece[] {
  return [{ text: run, isDense: false }];
}

function splitByScript(run: string): Piece[] {
  return (run.match(PIECE) ?? []).map((piece) => ({ text: piece, isDense: DENSE.test(piece) }));
}

function stemOf(whole: string): string {
  const word =
    whole.length > LONGEST_WORD ? whole.slice(0, LONGEST_WORD).toWellFormed().replaceAll('\ufffd', '') : whole;
  if (LATIN_BASE.test(word)) return stemEnglish(IRREGULAR.get(word) ?? word);
  if (CYRILLIC.test(word)) return stemRussian(word);
  if (ACCENTED_LATIN.test(word)) {
    const base = foldLatin(word);
    return LATIN_BASE.test(base) ? stemEnglish(base) : base || word;
  }
  const folded = foldMarks(word);
  return CYRILLIC.test(folded) ? stemRussian(folded) : folded || word;
}

/** Pairs of neighbouring characters; Han characters also alone, and a single character of any script unchanged. */
function denseTerms(piece: string): string[] {
  const characters = [...piece];
  const terms: string[] = [];
  for (const [index, character] of characters.entries()) {
    if (characters.length === 1 || isHan(character.codePointAt(0) ?? 0)) terms.push(character);
    const next = characters[index + 1];
    if (next !== undefined) terms.push(character + next);
  }
  return terms;
}

/** Compares ranges: a regular expression for each character would cost more than everything else. */
function isHan(code: number): boolean {
  return (
    (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0x20000 && code <= 0x3ffff)
  );
}

/** Three neighbouring characters of a word, its ends included, as one number; a collision does no harm. */
function eachTrigram(word: string, use: (part: number) => void): void {
  const length = Math.min(word.length, LONGEST_WORD);
  let before = WORD_END;
  let here = word.charCodeAt(0);
  for (let at = 1; at <= length; at += 1) {
    const next = at < length ? word.charCodeAt(at) : WORD_END;
    use((Math.imul(before, 0x9e3779b1) ^ Math.imul(here, 0x85ebca6b) ^ Math.imul(next, 0xc2b2ae35)) & 0x3fffffff);
    before = here;
    here = next;
  }
}
