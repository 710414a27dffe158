// A search: the query's terms and vector → candidates → rank by text → fuse with meaning → adjust by conversation → as many
// results as fit the budget. No query fails: one without any word finds nothing.
import { estimateTokens } from '../lib/estimate-tokens.ts';
import type { Archive, ArchiveDocument, Candidates, VectorHit } from '../storage/archive.ts';
import type { FactKind } from '../vocabulary/fact.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import { type Analyser, askingFor, type QueryTerms } from './analysis/analyser.ts';
import type { WeakMatch } from './analysis/everyday-words.ts';
import { asksAboutPast, asksWhatWasBefore } from './asks-about-past.ts';
import { weighFurtherChunks } from './distinct.ts';
import { followReplacements, withLastReplaced } from './follow-replacements.ts';
import { createTextRanking, type Fusion, fuse, type Ranked } from './rank.ts';
import { withoutSlips } from './slips.ts';
import { isSaidByAsked, withoutSpeakers } from './speakers.ts';
import { findNeighbours, missingNeighbours, withSurroundings } from './surroundings.ts';
import { type AskedTimes, askedTimes, limitsOf } from './time/asked-times.ts';
import { isoDays, startOfDay, type TimeSpan } from './time/calendar.ts';
import { termsWithin } from './time/time-terms.ts';
import type { WallClock } from './time/wall-clock.ts';
import { isWithin, timesOf, weighTime, withoutOtherDates } from './time/weigh-time.ts';
import { weighFacts } from './weigh-facts.ts';

const TEXT_CANDIDATES = 120;
const VECTOR_CANDIDATES = 100;
const TIME_CANDIDATES = 60;
const FEW = 10;
/** In a question with more words than this, each matters too little to look for others like it. */
const MOST_WITH_ALIKE = 12;
/** What a name in another script counts. */
const OTHER_SCRIPT_SHARE = 0.6;
/** Scores are between 0 and 1; what rounds to the same of so many steps is a tie. */
const TIES = 50;
const LONGEST_QUERY = 10_000;
const OTHER_LENGTH =
  'the model gives vectors of another length than before: "lainclaw memory embed --all" starts again with it';
export const DEFAULT_TOP_K = 10;
export const DEFAULT_BUDGET = 2_500;

export interface SearchOptions {
  topK?: number;
  /** Limit of tokens of all results together. The first result is always included, cut if necessary. */
  budget?: number;
  fusion?: Fusion;
  /** Of what was found, only facts. */
  onlyFacts?: boolean;
  /** Only what was said from then on, or is about then; a date or words for a time, the day included. */
  since?: string;
  until?: string;
  signal?: AbortSignal;
}

export interface Found {
  /** Id of the document, for `forget`. */
  id: string;
  /** Whose it is. */
  scope: MemoryScope;
  source: string;
  date: string;
  score: number;
  text: string;
  title?: string;
  context?: string;
  speaker?: string;
  session?: string;
  supersededBy?: string;
  /** Set when it is a fact that was extracted from a conversation. */
  kind?: FactKind;
  /** ISO 8601: since when, and until when, it was true. */
  validFrom?: string;
  validUntil?: string;
  /** The days that its text names: "2026-11-10", or "2026-11-09/2026-11-15". */
  about?: string[];
  why: { terms: string[]; vector?: number };
}

export interface SearchResult {
  query: string;
  /** `hybrid` when the search used meaning as well as words; otherwise the note says why not. */
  mode: 'full-text' | 'hybrid';
  note?: string;
  results: Found[];
  /** Results that were found but did not fit the budget. */
  leftOut: number;
}

export interface QueryVector {
  model: string;
  vector: Float32Array;
}

/** The vector of a query, or the reason why there is none. */
export type EmbedQuery = (query: string, signal?: AbortSignal) => Promise<QueryVector | { unavailable: string }>;

export interface SearchDependencies {
  archive: Archive;
  analyser: Analyser;
  embedQuery: EmbedQuery;
  clock: WallClock;
}

export async function searchArchive(
  dependencies: SearchDependencies,
  query: string,
  { topK = DEFAULT_TOP_K, budget = DEFAULT_BUDGET, ...options }: SearchOptions = {},
): Promise<SearchResult> {
  const { ranked, query: asked, mode, note } = await rankArchive(dependencies, query, options);
  const { results, leftOut } = withinBudget(ranked.slice(0, topK), budget);
  for (const result of results) addAbout(result, dependencies.clock);
  return { query: asked, mode, results, leftOut, ...(note !== undefined && { note }) };
}

/** Every candidate in its final order, and what the query asked for. */
export interface RankedArchive extends Pick<SearchResult, 'query' | 'mode' | 'note'> {
  ranked: Ranked[];
  /** Of the query without its words for time. */
  terms: QueryTerms;
  /** True for a chunk that was said at a time that the query names, or is about it; today does not count. */
  isOfAskedTime(entry: Ranked): boolean;
  statistics: Pick<Candidates, 'chunks' | 'frequencies'>;
}

export async function rankArchive(
  { archive, analyser, embedQuery, clock }: SearchDependencies,
  query: string,
  { fusion = 'convex', onlyFacts = false, since, until, signal }: Omit<SearchOptions, 'topK' | 'budget'> = {},
): Promise<RankedArchive> {
  const asked = query.slice(0, LONGEST_QUERY).toWellFormed();
  const wall = clock.wallAt(clock.now());
  const limits = limitsOf({ since, until }, wall);
  const times = askedTimes(asked, wall);
  const { spans, rest } = times;
  const asksBefore = spans.length === 0 && asksWhatWasBefore(asked);
  const isTimed = spans.length > 0 || limits !== undefined || asksBefore;
  const written = queryWithin(analyser.query(rest), { isTimed });
  const { terms, candidates } = await candidatesFor(written);
  const chunks = await archive.read([...new Set(candidates.ids)]);
  const meaning =
    written.terms.size > 0
      ? await embedQuery(withoutSpeakers(asked, chunks, analyser), signal)
      : { unavailable: isTimed ? 'the query names nothing but a time' : 'the query has no words' };
  signal?.throwIfAborted();
  const rankByText = createTextRanking(terms, candidates, analyser);
  const telling = withoutDates(terms, times, analyser);
  const dateTerms = new Set([...terms.terms].filter((term) => !telling.terms.has(term)));
  const byVector = 'vector' in meaning ? await nearestOf(meaning, candidates.ids) : [];
  const textual = new Set(candidates.ids);
  chunks.push(...(await archive.read(byVector.map(({ id }) => id).filter((id) => !textual.has(id)))));
  const first = rank();
  const neighbours = await findNeighbours(first, (turns, distance) => archive.around(turns, distance));
  const joined = await join(missingNeighbours(first, neighbours));
  const surrounded = withSurroundings(joined ? rank() : first, neighbours, ({ chunk }) =>
    isSaidByAsked(chunk, terms, analyser),
  );
  const isAboutPast = asksAboutPast(asked);
  const replaced = await followReplacements(surrounded, { archive, isAboutPast });
  const followed = asksBefore ? await withLastReplaced(replaced, archive) : replaced;
  const past = spans.filter(({ to }) => to <= startOfDay(wall));
  const weighed = weighFacts(weighTime(followed, times, clock), {
    isAboutPast,
    ...(past.length > 0 && { wasTrueThen: (document) => past.some((span) => wasTrueIn(document, span, clock)) }),
  });
  const ranked = inFinalOrder(weighFurtherChunks(inFinalOrder(weighed.filter(isWanted))));
  const isHybrid = byVector.length > 0;
  const pastOrFuture = spans.filter(({ from, to }) => to <= startOfDay(wall) || from > wall);
  const result: RankedArchive = {
    query: asked,
    mode: isHybrid ? 'hybrid' : 'full-text',
    ranked,
    terms: telling,
    statistics: candidates,
    isOfAskedTime: (entry) => pastOrFuture.some((span) => isWithin(entry, span, clock)),
  };
  if ('unavailable' in meaning) result.note = `full-text only: ${meaning.unavailable}`;
  else {
    const { done, total } = await archive.embedded(meaning.model);
    const none = 'nothing has been embedded yet';
    if (!isHybrid)
      result.note = `full-text only: ${done > 0 ? ((await archive.whyNotNearest?.(meaning.model)) ?? OTHER_LENGTH) : none}`;
    else if (done < total) result.note = `only ${done} of ${total} chunks have been embedded yet`;
  }
  return result;

  function rank(): Ranked[] {
    const byText = withoutOtherDates(rankByText(chunks), { spans, dateTerms }, clock);
    return byVector.length > 0 ? fuse(byText, byVector, fusion) : byText;
  }

  /** Makes candidates of these chunks; false when there are none. */
  async function join(ids: readonly number[]): Promise<boolean> {
    if (ids.length === 0) return false;
    chunks.push(...(await archive.read(ids)));
    if ('vector' in meaning && byVector.length > 0)
      byVector.push(...(await archive.similar(meaning.model, meaning.vector, ids)));
    return true;
  }

  async function candidatesFor(terms: QueryTerms): Promise<Asked> {
    const among = limits && termsWithin([limits]);
    const find = async (wanted: QueryTerms): Promise<Asked> => {
      const alike = wanted.terms.size > MOST_WITH_ALIKE ? [] : [...analyser.alike(wanted.terms)];
      const all = [...wanted.terms, ...alike.map(([term]) => term)];
      const candidates = await archive.candidates(all, TEXT_CANDIDATES, { among });
      const held = alike.filter(([term]) => candidates.frequencies.get(term));
      return { terms: held.length > 0 ? withWeak(wanted, held) : wanted, candidates };
    };
    const first = await find(terms);
    const meant = await withoutSlips(terms, first.candidates, (head, limit) => archive.termsBeginning(head, limit));
    const corrected = meant ? await find(meant) : first;
    const named = await withOtherScripts(meant ?? terms, first.candidates);
    const found = named ? await find(named) : corrected;
    if (spans.length > 0) found.candidates.ids.push(...(await timedCandidates(found.terms, found.candidates.ids)));
    return found;
  }

  /** The terms and, as a weaker match, what its names are in another script; undefined where nobody wrote them so. */
  async function withOtherScripts(terms: QueryTerms, { frequencies }: Candidates): Promise<QueryTerms | undefined> {
    const unknown = new Set([...written.terms].filter((term) => !frequencies.get(term)));
    const possible = analyser.otherScripts(rest, unknown).filter((term) => !terms.terms.has(term));
    if (possible.length === 0) return undefined;
    const holding = await archive.frequencies(possible, { upTo: 1 });
    const weak = possible.filter((term) => holding.get(term));
    const match = { share: OTHER_SCRIPT_SHARE };
    return weak.length > 0
      ? withWeak(
          terms,
          weak.map((term) => [term, match]),
        )
      : undefined;
  }

  /** Chunks of the times that the query names: those with its words, and the newest ones where few have any. */
  async function timedCandidates({ terms }: QueryTerms, known: readonly number[]): Promise<number[]> {
    const among = termsWithin(spans);
    const { ids } = await archive.candidates([...terms], TIME_CANDIDATES, { among });
    const newest =
      ids.length < FEW && terms.size > 0 ? (await archive.candidates([], TIME_CANDIDATES, { among })).ids : [];
    const others = new Set([...ids, ...newest]);
    for (const id of known) others.delete(id);
    return [...others];
  }

  function isWanted(entry: Ranked): boolean {
    if (onlyFacts && entry.chunk.document.kind === undefined) return false;
    return limits === undefined || isWithin(entry, limits, clock);
  }

  /** Every candidate gets both scores, whichever search found it. */
  async function nearestOf({ model, vector }: QueryVector, textual: readonly number[]): Promise<VectorHit[]> {
    const nearest = await archive.nearest(model, vector, VECTOR_CANDIDATES);
    const known = new Set(nearest.map(({ id }) => id));
    const others = nearest.length > 0 ? textual.filter((id) => !known.has(id)) : [];
    return [...nearest, ...(await archive.similar(model, vector, others))];
  }
}

interface Asked {
  terms: QueryTerms;
  candidates: Candidates;
}

/** The query with weaker matches besides its own terms. */
function withWeak(query: QueryTerms, weak: readonly (readonly [string, WeakMatch])[]): QueryTerms {
  const terms = [...query.terms, ...weak.map(([term]) => term)];
  return { ...askingFor(query, terms), weak: new Map([...weak, ...(query.weak ?? [])]) };
}

/** A query that names a time, or asks for what was before, and says nothing else has no words: everything of that time is an answer. */
function queryWithin(terms: QueryTerms, { isTimed }: { isTimed: boolean }): QueryTerms {
  return isTimed && terms.hasOnlyStopWords ? askingFor(terms, []) : terms;
}

/** The words of a date are seldom in what was said that day. */
function withoutDates(terms: QueryTerms, { rest, subject }: AskedTimes, analyser: Analyser): QueryTerms {
  if (subject === rest) return terms;
  const { terms: kept } = analyser.query(subject);
  const { terms: written } = analyser.query(rest);
  return askingFor(
    terms,
    [...terms.terms].filter((term) => kept.has(term) || !written.has(term)),
  );
}

/** Where scores hardly differ the newer day is first, then the better score, then the newer. */
function inFinalOrder(ranked: readonly Ranked[]): Ranked[] {
  const tie = ({ score }: Ranked): number => Math.round(score * TIES);
  const day = ({ chunk }: Ranked): string => chunk.document.date.slice(0, 10);
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return ranked.toSorted(
    (a, b) =>
      tie(b) - tie(a) ||
      compare(day(b), day(a)) ||
      b.score - a.score ||
      compare(b.chunk.document.date, a.chunk.document.date) ||
      b.chunk.id - a.chunk.id,
  );
}

function wasTrueIn(document: ArchiveDocument, span: TimeSpan, clock: WallClock): boolean {
  const from = clock.wallAt(Date.parse(document.validFrom ?? document.date));
  const until = document.validUntil === undefined ? span.to : clock.wallAt(Date.parse(document.validUntil));
  return from < span.to && span.from < until;
}

function addAbout(result: Found, clock: WallClock): void {
  const { about } = timesOf({ document: result, text: result.text }, clock);
  const certain = about.filter(({ isCertain }) => isCertain).map(({ span }) => isoDays(span));
  if (certain.length > 0) result.about = [...new Set(certain)];
}

function withinBudget(ranked: readonly Ranked[], budget: number): { results: Found[]; leftOut: number } {
  const results: Found[] = [];
  let left = budget;
  for (const entry of ranked) {
    const found = foundOf(entry);
    const tokens = estimateTokens(found.text);
    if (tokens > left) {
      if (results.length > 0) continue;
      found.text = `${found.text.slice(0, Math.max(1, left)).toWellFormed()}…`;
    }
    left -= tokens;
    results.push(found);
  }
  return { results, leftOut: ranked.length - results.length };
}

function foundOf({ chunk, score, matched, similarity }: Ranked): Found {
  const { id, scope, source, date, title, speaker, session, supersededBy, kind, validFrom, validUntil } =
    chunk.document;
  const found: Found = {
    id,
    scope,
    source,
    date,
    score: rounded(Math.min(1, score)),
    text: chunk.text.trim(),
    why: { terms: matched },
  };
  if (similarity !== undefined) found.why.vector = rounded(similarity);
  if (title !== undefined) found.title = title;
  if (chunk.context !== '') found.context = chunk.context;
  if (speaker !== undefined) found.speaker = speaker;
  if (session !== undefined) found.session = session;
  if (supersededBy !== undefined) found.supersededBy = supersededBy;
  if (kind !== undefined) found.kind = kind;
  if (validFrom !== undefined) found.validFrom = validFrom;
  if (validUntil !== undefined) found.validUntil = validUntil;
  return found;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
