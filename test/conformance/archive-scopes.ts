// Whatever is kept in whatever scopes, a reader meets nothing of a scope that it does not see: through no query, and not in the
// numbers that a rank is made of.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Archive, ArchiveChunk } from '../../src/storage/archive.ts';
import { type MemoryReader, type MemoryScope, maySee, OWNER, readerWithin } from '../../src/vocabulary/memory-scope.ts';
import { type CreateArchive, documentOf, termsOf, vectorOf } from './archive-agreement.ts';

const SCOPES = ['owner', 'person:t:1', 'person:t:2', 'chat:t:-5', 'project:/w'] as const satisfies MemoryScope[];
const WORDS = ['alpha', 'beta', 'gamma', 'delta'];
const SESSIONS = ['s1', 's2', undefined];

const note = fc.record({
  scope: fc.constantFrom(...SCOPES),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }),
  session: fc.constantFrom(...SESSIONS),
});
const reader: fc.Arbitrary<MemoryReader> = fc.oneof(
  fc.constant(OWNER),
  fc.constantFrom(...SCOPES).map(readerWithin),
  fc.subarray([...SCOPES]).map((sees): MemoryReader => ({ scope: 'person:t:1', sees })),
);

export function keepsScopesApart(create: CreateArchive, runs: number): void {
  it('whatever is kept in whatever scopes, a reader sees its own and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(note, { maxLength: 20 }), fc.array(reader, { minLength: 1, maxLength: 4 }), check),
      { numRuns: runs },
    );
  });

  async function check(notes: readonly Kept[], readers: readonly MemoryReader[]): Promise<void> {
    const subject = await create();
    try {
      const shared = subject.open();
      const added = new Map<string, MemoryScope>();
      for (const [index, { scope, words, session }] of notes.entries()) {
        const archive = shared.as({ scope, sees: [scope] });
        const document = { ...documentOf(`n${index}`, words.join(' ')), ...(session && { session }) };
        const [answer] = await archive.add([document], termsOf);
        // The same text of the same source, in this scope alone.
        const isRepeated = notes
          .slice(0, index)
          .some((other) => other.scope === scope && other.words.join(' ') === words.join(' '));
        expect(answer?.added).toBe(!isRepeated);
        if (answer?.added) added.set(answer.id, scope);
      }
      const all = shared.as(OWNER);
      const ids = (await all.candidates(WORDS, 1_000)).ids;
      const chunks = await all.read(ids);
      await all.putVectors(
        'm',
        ids.map((id) => ({ id, vector: vectorOf(id) })),
      );
      for (const each of readers) await seesOnlyItsOwn(shared.as(each), each, chunks, added);
    } finally {
      await subject.remove();
    }
  }

  it('what a reader does not see it can neither replace nor remove', async () => {
    const subject = await create();
    try {
      const shared = subject.open();
      const stranger = shared.as(readerWithin('person:t:1'));
      await shared.as(OWNER).add([documentOf('mine', 'a secret')], termsOf);
      await expect(stranger.add([{ ...documentOf('new', 'a lie'), supersedes: 'mine' }], termsOf)).rejects.toThrow(
        'there is no memory "mine"',
      );
      expect(await stranger.remove(['mine'], termsOf)).toBe(0);
      expect((await shared.as(OWNER).get('mine'))?.document).toMatchObject({ id: 'mine', scope: 'owner' });
      expect(await stranger.list({ limit: 10 })).toEqual([]);
    } finally {
      await subject.remove();
    }
  });
}

interface Kept {
  scope: MemoryScope;
  words: readonly string[];
  session: string | undefined;
}

async function seesOnlyItsOwn(
  archive: Archive,
  reader: MemoryReader,
  chunks: readonly ArchiveChunk[],
  added: ReadonlyMap<string, MemoryScope>,
): Promise<void> {
  const mine = chunks.filter(({ document }) => maySee(reader, document.scope));
  const own = new Set(mine.map(({ id }) => id));
  const names = mine.map(({ document }) => document.id).toSorted();
  const ids = chunks.map(({ id }) => id);
  const sorted = (found: readonly number[]): number[] => found.toSorted((a, b) => a - b);
  const everyOwn = sorted([...own]);

  expect(names).toEqual([...added].flatMap(([id, scope]) => (maySee(reader, scope) ? [id] : [])).toSorted());
  expect((await archive.list({ limit: 1_000 })).map(({ id }) => id).toSorted()).toEqual(names);
  expect((await archive.idsOf('test')).toSorted()).toEqual(names);
  expect((await archive.documentsBeginning('te')).map(({ id }) => id).toSorted()).toEqual(names);
  expect(sorted((await archive.read(ids)).map(({ id }) => id))).toEqual(everyOwn);

  const candidates = await archive.candidates(WORDS, 1_000);
  expect(sorted(candidates.ids)).toEqual(everyOwn);
  expect(candidates.chunks).toBe(own.size);
  for (const word of WORDS)
    expect(candidates.frequencies.get(word) ?? 0).toBe(
      mine.filter(({ text }) => text.split(' ').includes(word)).length,
    );

  const counted = await archive.frequencies([...WORDS, 'absent'], { upTo: 3 });
  for (const word of WORDS) expect(counted.get(word)).toBe(Math.min(3, candidates.frequencies.get(word) ?? 0));
  expect(counted.get('absent') ?? 0).toBe(0);
  const summary = await archive.summary();
  const turns = mine.filter(({ document }) => document.session !== undefined);
  expect(summary).toMatchObject({ documents: names.length, chunks: own.size });
  expect(summary.kinds.conversations ?? 0).toBe(turns.length);
  expect(summary.scopes.map(({ scope }) => scope).toSorted()).toEqual(
    [...new Set(mine.map(({ document }) => document.scope))].toSorted(),
  );
  const latest = (await archive.latest(1_000)).map(({ id }) => id);
  expect(latest.toSorted()).toEqual(
    mine.flatMap(({ document: { id, session } }) => (session === undefined ? [id] : [])).toSorted(),
  );

  const [first = ''] = WORDS;
  const holding = sorted(mine.filter(({ text }) => text.split(' ').includes(first)).map(({ id }) => id));
  for (const terms of [[], WORDS])
    expect(sorted((await archive.candidates(terms, 1_000, { among: [first] })).ids)).toEqual(holding);

  expect(sorted((await archive.nearest('m', vectorOf(3), 1_000)).map(({ id }) => id))).toEqual(everyOwn);
  expect(sorted((await archive.similar('m', vectorOf(3), ids)).map(({ id }) => id))).toEqual(everyOwn);
  expect(await archive.embedded('m')).toEqual({ done: own.size, total: own.size });

  for (const session of SESSIONS) {
    if (session === undefined) continue;
    const said = mine.filter(({ document }) => document.session === session);
    expect((await archive.idsOfSession(session)).toSorted()).toEqual(
      said.map(({ document }) => document.id).toSorted(),
    );
    const around = await archive.around(
      chunks.map(({ id }) => ({ id, session })),
      2,
    );
    for (const { before, after } of around)
      expect([...before, ...after].filter((id) => !said.some((chunk) => chunk.id === id))).toEqual([]);
  }

  for (const [id, scope] of added) expect((await archive.get(id)) !== undefined).toBe(maySee(reader, scope));
  const beginning = await archive.termsBeginning('a', 10);
  if (reader.sees !== 'everything') expect(beginning).toEqual([]);
}
