// A text that was replaced answers the same questions as the one that replaced it, often with more of their words. So what was found is followed: a
// question about now finds the replacement with the score of what it replaced, a question about the past finds what was replaced with the
// score of what is true now. Only the best candidates are followed.
import type { Archive, ArchiveChunk } from '../storage/archive.ts';
import type { Ranked } from './rank.ts';

const FOLLOWED = 40;
/** What a text gains from another one; a little less, so that one with the words itself comes first. */
const SHARE = 0.9;
/** Of facts and notes that were replaced, where a question names none. */
const LAST_REPLACED = 5;

export async function followReplacements(
  ranked: readonly Ranked[],
  { archive, isAboutPast }: { archive: Pick<Archive, 'replacementsOf' | 'replacedBy'>; isAboutPast: boolean },
): Promise<Ranked[]> {
  const best = ranked.slice(0, FOLLOWED);
  const links = isAboutPast ? await earlier(best, archive) : await later(best, archive);
  if (links.length === 0) return [...ranked];
  const byChunk = new Map(ranked.map((entry) => [entry.chunk.id, entry]));
  for (const { from, to } of links) {
    const own = byChunk.get(to.id);
    const score = Math.max(own?.score ?? 0, from.score * SHARE);
    byChunk.set(to.id, { ...(own ?? { chunk: to, matched: from.matched }), score });
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score);
}

/** With the facts and notes of the asker that were replaced last, before everything else. */
export async function withLastReplaced(
  ranked: readonly Ranked[],
  archive: Pick<Archive, 'lastReplaced'>,
): Promise<Ranked[]> {
  const last = await archive.lastReplaced(LAST_REPLACED);
  const byChunk = new Map(ranked.map((entry) => [entry.chunk.id, entry]));
  for (const chunk of last) byChunk.set(chunk.id, { ...(byChunk.get(chunk.id) ?? { chunk, matched: [] }), score: 1 });
  return [...byChunk.values()].sort((a, b) => b.score - a.score);
}

interface Link {
  from: Ranked;
  to: ArchiveChunk;
}

async function later(best: readonly Ranked[], archive: Pick<Archive, 'replacementsOf'>): Promise<Link[]> {
  const replaced = best.filter(({ chunk }) => chunk.document.supersededBy !== undefined);
  if (replaced.length === 0) return [];
  const found = await archive.replacementsOf(replaced.map(({ chunk }) => chunk.document.id));
  return replaced.flatMap((from) => {
    const to = found.get(from.chunk.document.id);
    return to ? [{ from, to }] : [];
  });
}

/** Only of facts: an archived message may have replaced nothing, and a note is looked for by its own words. */
async function earlier(best: readonly Ranked[], archive: Pick<Archive, 'replacedBy'>): Promise<Link[]> {
  const current = best.filter(({ chunk }) => chunk.document.kind !== undefined);
  if (current.length === 0) return [];
  const found = await archive.replacedBy(current.map(({ chunk }) => chunk.document.id));
  return current.flatMap((from) =>
    found.filter(({ document }) => document.supersededBy === from.chunk.document.id).map((to) => ({ from, to })),
  );
}
