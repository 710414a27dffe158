// Ranks candidates from their own text: BM25 in the setting that suits their length, then mixed with the similarity of spelling
// (trigrams, weighted within the best candidates, so that no second index is needed) and, where there are vectors, with the
// similarity of meaning. A chunk counts together with the other candidates of its document.
import type { ArchiveChunk, Candidates, VectorHit } from '../storage/archive.ts';
import type { Analyser, Counts, QueryTerms } from './analysis/analyser.ts';
import { isName } from './speakers.ts';
import { typicalTokens } from './typical-tokens.ts';

interface Setting {
  k1: number;
  b: number;
  /** What a text gains by having all words. */
  coverage: number;
}

/** Of turns, notes and sentences: a longer one says more about its subject, a repeated word says little, and the one with more of the words is the answer. */
const SHORT: Setting = { k1: 0.9, b: 0.3, coverage: 0.3 };
/** Of paragraphs and longer texts: a longer one has more words by chance, and many have all words somewhere. */
const LONG: Setting = { k1: 0.9, b: 0.85, coverage: 0.1 };
/** Tokens from which a text is long: sentences and turns of a conversation seldom have as many, paragraphs mostly have more. */
const LONG_FROM = 80;
/** A note and a book are different kinds of text: beyond this times the average, a length says nothing more. */
const MOST_APART = 3;
/** What the words of all chunks of a document count for each of them: a long text spreads the words of a query. */
const SHARE_AMONG_SHORT = 0.6;
const SHARE_AMONG_LONG = 0.8;
const SPELLING_SHARE = 0.3;
const SPELLING_AMONG = 100;
const VECTOR_SHARE = 0.5;
const RECIPROCAL_K = 60;

export type Fusion = 'convex' | 'reciprocal';

export interface Ranked {
  chunk: ArchiveChunk;
  /** Between 0 and 1, within this search. */
  score: number;
  /** Terms of the query, as they are in the index. */
  matched: string[];
  similarity?: number;
}

/** Ranks chunks by their own text. What was counted in a chunk is kept, so that ranking it again with others costs little. */
export type RankByText = (chunks: readonly ArchiveChunk[]) => Ranked[];

export function createTextRanking(
  wanted: QueryTerms,
  statistics: Omit<Candidates, 'ids'>,
  analyser: Analyser,
): RankByText {
  const weights = weightsOf(wanted, statistics);
  const counted = new Map<number, Counts>();
  const countsOf = (chunk: ArchiveChunk): Counts => {
    const counts =
      counted.get(chunk.id) ?? analyser.count(indexedText({ ...chunk, speaker: chunk.document.speaker }), wanted);
    counted.set(chunk.id, counts);
    return counts;
  };
  return (chunks) => {
    const scoreOf = scoringOf(chunks);
    const scored = chunks
      .map((chunk) => {
        const counts = countsOf(chunk);
        return { chunk, counts, score: scoreOf(chunk, counts) };
      })
      .sort(byScore);
    const highest = scored[0]?.score ?? 0;
    // Without a common word, similar spelling is chance.
    const worded = scored.filter(({ score }) => score > 0);
    const spelling = spellingScores(worded.slice(0, SPELLING_AMONG).map(({ counts }) => counts));
    return scored
      .map(({ chunk, counts, score }, index) => {
        const words = highest > 0 ? score / highest : 0;
        const mixed = spelling ? words * (1 - SPELLING_SHARE) + (spelling[index] ?? 0) * SPELLING_SHARE : words;
        return { chunk, score: mixed, matched: [...counts.terms.keys()] };
      })
      .sort(byScore);
  };

  /** Where most are long, all are compared as whole texts; else only what has several chunks here gains from them. */
  function scoringOf(chunks: readonly ArchiveChunk[]): (chunk: ArchiveChunk, counts: Counts) => number {
    const documents = [...Map.groupBy(chunks, ({ document }) => document.id)];
    const long = documents.filter(([, own]) => isLong(own));
    const { averageLength } = statistics;
    if (2 * long.length <= documents.length) {
      const several = documents.filter(([, own]) => own.length > 1);
      const wholes = scoreAll(several, (own) => lengthOf(own) / averageLength, SHORT);
      return ({ document, length }, counts) => {
        const own = scoreText(counts, length / averageLength, weights, SHORT);
        return together(own, Math.max(own, wholes.get(document.id) ?? 0), SHARE_AMONG_SHORT);
      };
    }
    const average = averageOf(long.map(([, own]) => wholeLength(own)));
    const wholes = scoreAll(documents, (own) => comparable(wholeLength(own) / average), LONG);
    return ({ document, length }, counts) => {
      const own = scoreText(counts, comparable(length / averageLength), weights, LONG);
      return together(own, wholes.get(document.id) ?? 0, SHARE_AMONG_LONG);
    };
  }

  function scoreAll(
    documents: readonly [id: string, chunks: ArchiveChunk[]][],
    relativeLength: (chunks: readonly ArchiveChunk[]) => number,
    setting: Setting,
  ): Map<string, number> {
    return new Map(
      documents.map(([id, own]) => [id, scoreText(countsOfAll(own), relativeLength(own), weights, setting)]),
    );
  }

  function countsOfAll(chunks: readonly ArchiveChunk[]): Pick<Counts, 'terms'> {
    const terms = new Map<string, number>();
    for (const chunk of chunks)
      for (const [term, count] of countsOf(chunk).terms) terms.set(term, (terms.get(term) ?? 0) + count);
    return { terms };
  }
}

/** The score of a chunk with that of its whole document; a chunk without any word of the query has none. */
function together(own: number, whole: number, share: number): number {
  return own > 0 ? (1 - share) * own + share * whole : 0;
}

function comparable(relativeLength: number): number {
  return Math.min(MOST_APART, Math.max(1 / MOST_APART, relativeLength));
}

function lengthOf(chunks: readonly ArchiveChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Of a document with these known chunks: the others are about as long. */
function wholeLength(own: readonly ArchiveChunk[]): number {
  return (lengthOf(own) * (own[0]?.chunksOfDocument ?? own.length)) / own.length;
}

function isLong(own: readonly ArchiveChunk[]): boolean {
  const [first] = own;
  if (first === undefined) return false;
  return first.chunksOfDocument > 1 || typicalTokens(first.text) >= LONG_FROM;
}

/**
 * The average length of the texts that candidates were found among. The longer a text, the likelier it has a word of the query:
 * the plain mean of candidates is too large, the harmonic one undoes that.
 */
function averageOf(lengths: readonly number[]): number {
  return lengths.length / lengths.reduce((sum, length) => sum + 1 / Math.max(1, length), 0);
}

interface Weight {
  weight: number;
  /** The term of the query that counts: it and its weaker matches count once, as the best of them. */
  of: string;
}

function weightsOf({ terms, weak }: QueryTerms, { chunks, frequencies }: Omit<Candidates, 'ids'>): Map<string, Weight> {
  const weights = new Map<string, Weight>();
  for (const term of terms) {
    const holding = frequencies.get(term) ?? 0;
    const { share = 1, of = term } = weak?.get(term) ?? {};
    if (holding > 0) weights.set(term, { weight: rarity(holding, chunks) * share, of });
  }
  return weights;
}

function scoreText(
  { terms }: Pick<Counts, 'terms'>,
  relativeLength: number,
  weights: ReadonlyMap<string, Weight>,
  setting: Setting,
): number {
  const scores = new Map<string, number>();
  const covered = new Map<string, number>();
  const all = new Map<string, number>();
  const raise = (map: Map<string, number>, of: string, value: number): void => {
    map.set(of, Math.max(map.get(of) ?? 0, value));
  };
  for (const [term, { weight, of }] of weights) {
    raise(all, of, weight);
    const count = terms.get(term);
    if (!count) continue;
    raise(covered, of, weight);
    raise(scores, of, weight * saturation(count, relativeLength, setting));
  }
  const total = sumOf(all);
  return total > 0 ? sumOf(scores) * (1 + (setting.coverage * sumOf(covered)) / total) : 0;
}

function sumOf(values: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const value of values.values()) sum += value;
  return sum;
}

/** Similarity of spelling, between 0 and 1 for the best; undefined when nothing is similar. */
function spellingScores(best: readonly Counts[]): number[] | undefined {
  const average = best.reduce((sum, { spelt }) => sum + spelt, 0) / (best.length || 1) || 1;
  const holders = new Map<number, number>();
  for (const { trigrams } of best) for (const part of trigrams.keys()) holders.set(part, (holders.get(part) ?? 0) + 1);
  const scores = best.map(({ trigrams, spelt }) => {
    let score = 0;
    for (const [part, count] of trigrams) {
      score += rarity(holders.get(part) ?? 0, best.length) * saturation(count, spelt / average, SHORT);
    }
    return score;
  });
  const highest = Math.max(0, ...scores);
  return highest > 0 ? scores.map((score) => score / highest) : undefined;
}

function rarity(holding: number, all: number): number {
  return Math.log(1 + (Math.max(0, all - holding) + 0.5) / (holding + 0.5));
}

/** The weight of a word that occurs `count` times: little more than that of one occurrence. */
function saturation(count: number, relativeLength: number, { k1, b }: Setting): number {
  return (count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
}

function byScore(a: { score: number; chunk: ArchiveChunk }, b: { score: number; chunk: ArchiveChunk }): number {
  return b.score - a.score || b.chunk.id - a.chunk.id;
}

/**
 * Fuses the ranking by text with the ranking by meaning. `byText` contains every chunk of both. A chunk without a vector counts
 * by its text alone, without a penalty.
 */
export function fuse(byText: readonly Ranked[], byVector: readonly VectorHit[], fusion: Fusion): Ranked[] {
  const nearest = byVector.toSorted((a, b) => b.similarity - a.similarity);
  const vectorPlace = new Map(nearest.map((hit, place) => [hit.id, { hit, place }]));
  // Each score is scaled over the chunks that it can rank: chunks without any word of the query do not count for text.
  const textScore = scaled(byText.flatMap(({ score }) => (score > 0 ? [score] : [])));
  const vectorScore = scaled(byVector.map(({ similarity }) => similarity));
  const fused = byText.map((entry, place): Ranked => {
    const vector = vectorPlace.get(entry.chunk.id);
    const text = entry.score > 0 ? textScore(entry.score) : 0;
    const meaning = vector ? vectorScore(vector.hit.similarity) : text;
    const score =
      fusion === 'convex'
        ? (1 - VECTOR_SHARE) * text + VECTOR_SHARE * meaning
        : reciprocal(entry.score > 0 ? place : undefined) + reciprocal(vector?.place);
    return vector ? { ...entry, score, similarity: vector.hit.similarity } : { ...entry, score };
  });
  return fused.sort(byScore);
}

/** The text of a chunk that is indexed: with the headings above it and the name of who said it. */
export function indexedText({ context, text, speaker }: { context: string; text: string; speaker?: string }): string {
  const name = speaker !== undefined && isName(speaker) ? speaker : '';
  return [name, context, text].filter((part) => part !== '').join('\n');
}

/** Scales to 0…1. Negative similarity counts as zero; when all values are positive, the smallest counts as zero. */
function scaled(values: readonly number[]): (value: number) => number {
  const highest = Math.max(...values);
  const lowest = Math.max(0, Math.min(...values));
  return (value) => {
    if (highest > lowest) return Math.max(0, value - lowest) / (highest - lowest);
    return highest > 0 ? 1 : 0;
  };
}

function reciprocal(place: number | undefined): number {
  return place === undefined ? 0 : (RECIPROCAL_K + 1) / (2 * (RECIPROCAL_K + 1 + place));
}
