// What every implementation of the contract in archive.ts must do. A suite is given a way to
// make an empty archive and to open it: two doors to one archive are like two processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive, NewDocument } from '../../src/storage/archive.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';
import {
  type ArchiveSubject,
  agreesWithPlainList,
  type CreateArchive,
  documentOf,
  termsOf,
  vectorOf,
} from './archive-agreement.ts';
import { findsAmong } from './archive-among.ts';
import { rebuildsIndex } from './archive-rebuild.ts';
import { keepsScopesApart } from './archive-scopes.ts';

/** `runs`: of each property. */
export function describeArchive(name: string, create: CreateArchive, { runs = 60 } = {}): void {
  describe(`${name} as an archive`, () => {
    let subject: ArchiveSubject;
    let archive: Archive;
    let other: Archive;
    beforeEach(async () => {
      subject = await create();
      archive = subject.open().as(OWNER);
      other = subject.open().as(OWNER);
    });
    afterEach(() => subject.remove());

    const add = (...documents: NewDocument[]) => archive.add(documents, termsOf);
    const textsOf = async (ids: readonly number[], door = archive): Promise<string[]> =>
      (await door.read(ids)).map(({ text }) => text);
    const find = async (terms: string[], door = archive, limit = 10): Promise<string[]> =>
      textsOf((await door.candidates(terms, limit)).ids, door);
    /** Every chunk without a vector, as the one who embeds walks over them. */
    async function pendingOf(model: string, limit = 3): Promise<number[]> {
      const ids: number[] = [];
      for (let after: number | undefined = 0; after !== undefined; ) {
        const { chunks, upTo } = await archive.pending(model, { after, limit });
        expect(chunks.length).toBeLessThanOrEqual(limit);
        if (upTo !== undefined) expect(upTo).toBeGreaterThan(after);
        ids.push(...chunks.map(({ id }) => id));
        after = upTo;
      }
      return ids;
    }

    describe('documents', () => {
      it('an empty archive holds nothing and says so', async () => {
        expect(await archive.get('none')).toBeUndefined();
        expect(await archive.list({ limit: 10 })).toEqual([]);
        expect(await archive.idsOf('test')).toEqual([]);
        expect(await archive.candidates(['word'], 10)).toMatchObject({ chunks: 0, ids: [] });
        expect(await archive.read([1, 2])).toEqual([]);
        expect(await archive.remove(['none'], termsOf)).toBe(0);
        expect(await archive.indexVersion()).toBeUndefined();
      });

      it('are seen through every door, with all that is known of them', async () => {
        const facts = { title: 'A title', speaker: 'Anna', session: 's1', date: '2026-02-03T00:00:00.000Z' };
        const chunks = [
          { context: 'Head', text: 'first words' },
          { context: '', text: 'second ones' },
        ];
        await add({ ...documentOf('one'), ...facts, hash: 'h', chunks });
        const found = await other.get('one');
        expect(found?.document).toEqual({ id: 'one', scope: 'owner', source: 'test', hash: 'h', ...facts });
        expect(found?.chunks.map(({ document: _, id: _id, ...rest }) => rest)).toEqual([
          { position: 0, context: 'Head', text: 'first words', length: 3, chunksOfDocument: 2 },
          { position: 1, context: '', text: 'second ones', length: 2, chunksOfDocument: 2 },
        ]);
      });

      it('of one source with the same text are kept once', async () => {
        expect(await add(documentOf('one', 'same'))).toEqual([{ id: 'one', added: true }]);
        expect(await add(documentOf('two', 'same'))).toEqual([{ id: 'one', added: false }]);
        expect(await add({ ...documentOf('three', 'same'), source: 'another' })).toEqual([
          { id: 'three', added: true },
        ]);
        expect(await archive.list({ limit: 10 })).toHaveLength(2);
      });

      it('are listed newest first, by source, with their number of chunks and their beginning', async () => {
        await add(documentOf('one', 'alpha', 'beta'), { ...documentOf('two', 'gamma'), source: 'files' });
        expect((await other.list({ limit: 10 })).map(({ id }) => id)).toEqual(['two', 'one']);
        expect(await other.list({ limit: 1 })).toHaveLength(1);
        expect(await other.list({ limit: 10, source: 'test' })).toMatchObject([
          { id: 'one', chunks: 2, head: 'alpha' },
        ]);
        expect(await other.idsOf('files')).toEqual(['two']);
        const { hash } = documentOf('two', 'gamma');
        expect(await other.documentsBeginning('fi')).toEqual([{ id: 'two', source: 'files', hash }]);
        expect(await other.documentsBeginning('files/')).toEqual([]);
      });

      it('of one call are all kept, or none', async () => {
        await expect(
          add(documentOf('one', 'alpha'), { ...documentOf('two', 'beta'), supersedes: 'none' }),
        ).rejects.toThrow('none');
        expect(await other.list({ limit: 10 })).toEqual([]);
        expect(await find(['alpha'], other)).toEqual([]);
      });

      it('that are replaced link to what replaced them, until that is gone', async () => {
        await add(documentOf('old', 'lives in paris'));
        await add({ ...documentOf('new', 'lives in lisbon'), supersedes: 'old' });
        expect((await other.get('old'))?.document.supersededBy).toBe('new');
        await archive.remove(['new'], termsOf);
        expect((await other.get('old'))?.document.supersededBy).toBeUndefined();
      });

      it('that many writers add at once are all there', async () => {
        const doors = [archive, other, subject.open().as(OWNER)];
        const ids = Array.from({ length: 60 }, (_, index) => `id-${index}`);
        await Promise.all(ids.map((id, index) => doors[index % 3]?.add([documentOf(id, `text ${id}`)], termsOf)));
        expect((await archive.list({ limit: 100 })).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
        expect((await other.candidates(['text'], 100)).ids).toHaveLength(60);
      });

      it('tell which terms begin alike, until they are gone', async () => {
        await add(documentOf('one', 'plumber plums apple'), documentOf('two', 'plumage'));
        expect((await other.termsBeginning('plum', 10)).toSorted()).toEqual(['plumage', 'plumber', 'plums']);
        expect(await other.termsBeginning('plum', 2)).toHaveLength(2);
        await archive.remove(['one'], termsOf);
        expect(await other.termsBeginning('plum', 10)).toEqual(['plumage']);
      });

      it('that are removed are found by nothing any more', async () => {
        await add(documentOf('one', 'alpha word', 'beta word'), documentOf('two', 'gamma word'));
        const { ids } = await archive.candidates(['alpha', 'beta'], 10);
        await archive.putVectors(
          'm',
          ids.map((id) => ({ id, vector: vectorOf(id) })),
        );
        expect(await archive.remove(['one', 'none', 'one'], termsOf)).toBe(1);
        expect(await other.get('one')).toBeUndefined();
        expect(await other.read(ids)).toEqual([]);
        expect(await other.candidates(['alpha', 'word'], 10)).toMatchObject({ chunks: 1, ids: [expect.any(Number)] });
        expect((await other.candidates(['alpha', 'word'], 10)).frequencies.get('alpha')).toBe(0);
        expect(await other.nearest('m', vectorOf(ids[0] ?? 0), 10)).toEqual([]);
        expect(await other.embedded('m')).toEqual({ done: 0, total: 1 });
      });
    });

    describe('candidates', () => {
      it('hold any of the terms; the rarest decide', async () => {
        await add(...Array.from({ length: 20 }, (_, index) => documentOf(`c${index}`, `common filler${index}`)));
        await add(documentOf('rare', 'rare thing'), documentOf('both', 'rare common'));
        const found = await archive.candidates(['common', 'rare', 'absent'], 3);
        expect((await textsOf(found.ids))[0]).toBe('rare common');
        expect((await textsOf(found.ids))[1]).toBe('rare thing');
        expect(found).toMatchObject({ chunks: 22, averageLength: 2 });
        expect([...found.frequencies]).toEqual([
          ['common', 21],
          ['rare', 2],
          ['absent', 0],
        ]);
        expect(found.ids).toHaveLength(3);
      });

      it('of no terms are none', async () => {
        await add(documentOf('one', 'alpha'));
        expect((await archive.candidates([], 10)).ids).toEqual([]);
      });

      it('are read in the order of their ids; one that is gone is left out', async () => {
        await add(documentOf('one', 'alpha', 'beta', 'gamma'));
        const [first = 0, second = 0, third = 0] = (await archive.get('one'))?.chunks.map(({ id }) => id) ?? [];
        expect(await textsOf([third, 999_999, first, second])).toEqual(['gamma', 'alpha', 'beta']);
      });

      it('of a session know those around them', async () => {
        const turn = (number: number, session: string): NewDocument => ({
          ...documentOf(`${session}-${number}`, `turn ${number} of ${session}`),
          session,
        });
        for (let number = 0; number < 4; number += 1) await add(turn(number, 'a'), turn(number, 'b'));
        const [{ id = 0 } = {}] = (await archive.get('a-1'))?.chunks ?? [];
        const [around] = await other.around([{ id, session: 'a' }], 2);
        expect(await textsOf(around?.before ?? [])).toEqual(['turn 0 of a']);
        expect(await textsOf(around?.after ?? [])).toEqual(['turn 2 of a', 'turn 3 of a']);
      });
    });

    describe('vectors', () => {
      const embed = (model: string, ids: readonly number[], dimension = 40, door = archive): Promise<void> =>
        door.putVectors(
          model,
          ids.map((id) => ({ id, vector: vectorOf(id, dimension) })),
        );

      it('are missing of every chunk at first; each is named once', async () => {
        await add(
          ...Array.from({ length: 10 }, (_, index) => documentOf(`d${index}`, `text ${index}`, `more ${index}`)),
        );
        const ids = await pendingOf('m');
        expect(new Set(ids).size).toBe(20);
        await embed('m', ids.slice(5, 12));
        expect(await pendingOf('m')).toEqual([...ids.slice(0, 5), ...ids.slice(12)]);
        expect(await pendingOf('another')).toHaveLength(20);
        expect(await other.embedded('m')).toEqual({ done: 7, total: 20 });
      });

      it('are found however far apart the missing ones are', async () => {
        await add(...Array.from({ length: 6_000 }, (_, index) => documentOf(`d${index}`, `text ${index}`)));
        const ids = await pendingOf('m', 7_000);
        await embed(
          'm',
          ids.filter((_, index) => index !== 0 && index !== 5_999),
          8,
        );
        expect(await pendingOf('m')).toEqual([ids[0], ids[5_999]]);
      });

      it('nearest comes first, of the same model only', async () => {
        await add(...Array.from({ length: 30 }, (_, index) => documentOf(`d${index}`, `text ${index}`)));
        const ids = await pendingOf('m');
        await embed('m', ids);
        await embed('another', ids.slice(0, 5), 64);
        for (const id of [ids[0] ?? 0, ids[17] ?? 0, ids[29] ?? 0]) {
          const hits = await other.nearest('m', vectorOf(id), 5);
          expect(hits).toHaveLength(5);
          expect(hits[0]?.id).toBe(id);
          expect(hits[0]?.similarity).toBeGreaterThan(0.99);
          expect(hits.map(({ similarity }) => similarity)).toEqual(
            hits.map(({ similarity }) => similarity).toSorted((a, b) => b - a),
          );
        }
        expect(await other.nearest('another', vectorOf(ids[2] ?? 0, 64), 10)).toHaveLength(5);
        expect(await other.nearest('absent', vectorOf(1), 5)).toEqual([]);
      });

      it('tell how near any chunks are, as the search for the nearest does', async () => {
        await add(...Array.from({ length: 30 }, (_, index) => documentOf(`d${index}`, `text ${index}`)));
        const ids = await pendingOf('m');
        await embed('m', ids.slice(0, 20));
        const nearest = await archive.nearest('m', vectorOf(5), 20);
        expect(await other.similar('m', vectorOf(5), ids)).toEqual(nearest);
        expect(await other.similar('m', vectorOf(5), [nearest[7]?.id ?? 0, 999_999])).toEqual([nearest[7]]);
        expect(await other.similar('m', vectorOf(5, 41), ids)).toEqual([]);
        expect(await other.similar('absent', vectorOf(5), ids)).toEqual([]);
      });

      it('that are gone do not keep those behind them from being found', async () => {
        await add(...Array.from({ length: 60 }, (_, index) => documentOf(`d${index}`, `text ${index}`)));
        const ids = await pendingOf('m');
        const near = ids.slice(0, 50).map((id) => ({ id, vector: vectorOf(1) }));
        const opposite = vectorOf(1).map((value) => -value);
        await archive.putVectors('m', [...near, ...ids.slice(50).map((id) => ({ id, vector: opposite }))]);
        await archive.remove(
          Array.from({ length: 50 }, (_, index) => `d${index}`),
          termsOf,
        );
        expect(await other.nearest('m', vectorOf(1), 2)).toHaveLength(2);
      });

      it('that come and go by the thousand are seen by those who have searched before', async () => {
        const count = async (door: Archive): Promise<number> =>
          (await door.nearest('m', vectorOf(1, 32), 9_999)).length;
        const expectBoth = async (vectors: number): Promise<void> => {
          expect([await count(archive), await count(other)]).toEqual([vectors, vectors]);
        };
        const names = Array.from({ length: 2_500 }, (_, index) => `d${index}`);
        await add(...names.map((id) => documentOf(id, `text ${id}`)));
        const vectors = (await pendingOf('m', 500)).map((id) => ({ id, vector: vectorOf(id, 32) }));
        const put = (from: number, to: number, door: Archive) => door.putVectors('m', vectors.slice(from, to));
        await put(0, 1_000, archive);
        await expectBoth(1_000);
        await put(1_000, 2_300, other);
        await expectBoth(2_300);
        await archive.remove(names.slice(0, 1_100), termsOf);
        await expectBoth(1_200);
        await put(2_300, 2_500, other);
        await expectBoth(1_400);
        await other.putVectors('n', [{ id: vectors[2_400]?.id ?? 0, vector: vectorOf(3) }]);
        await other.keepOnlyVectorsOf('n');
        await expectBoth(0);
        await put(2_000, 2_500, archive);
        await expectBoth(500);
      });

      it('of another length than the model has are refused whole, and find nothing', async () => {
        await add(documentOf('one', 'alpha', 'beta', 'gamma'));
        const [first = 0, second = 0, third = 0] = await pendingOf('m');
        await embed('m', [first]);
        const mixed = [
          { id: second, vector: vectorOf(2) },
          { id: third, vector: vectorOf(3, 41) },
        ];
        await expect(archive.putVectors('m', mixed)).rejects.toThrow('another model');
        expect(await archive.embedded('m')).toEqual({ done: 1, total: 3 });
        expect(await archive.nearest('m', vectorOf(first, 41), 5)).toEqual([]);
      });

      it('given twice, or of a chunk that is gone, count once or not at all', async () => {
        await add(documentOf('one', 'alpha'), documentOf('two', 'beta'));
        const ids = await pendingOf('m');
        await archive.remove(['two'], termsOf);
        await Promise.all([embed('m', ids), embed('m', ids, 40, other)]);
        expect(await archive.embedded('m')).toEqual({ done: 1, total: 1 });
        expect(await archive.nearest('m', vectorOf(ids[0] ?? 0), 5)).toHaveLength(1);
        await archive.putVectors('m', []);
      });

      it('the model that was wanted last is known through every door', async () => {
        expect(await archive.wantedModel()).toBeUndefined();
        await archive.wantModel('m');
        await other.wantModel('n');
        await other.wantModel('n');
        expect(await archive.wantedModel()).toBe('n');
      });

      it('of every other model go when one is kept', async () => {
        await add(...Array.from({ length: 20 }, (_, index) => documentOf(`d${index}`, `text ${index}`)));
        const ids = await pendingOf('m');
        await embed('old', ids, 64);
        await embed('older', ids.slice(3), 32);
        await embed('m', ids);
        await other.keepOnlyVectorsOf('m');
        expect(await archive.embedded('old')).toEqual({ done: 0, total: 20 });
        expect(await archive.nearest('older', vectorOf(3, 32), 5)).toEqual([]);
        expect(await archive.nearest('m', vectorOf(ids[4] ?? 0), 5)).toMatchObject([{ id: ids[4] }, {}, {}, {}, {}]);
        // The name is free again, also for another length.
        await embed('old', ids.slice(0, 1), 16);
        expect(await archive.embedded('old')).toEqual({ done: 1, total: 20 });
        await archive.keepOnlyVectorsOf(undefined);
        expect(await other.embedded('old')).toEqual({ done: 0, total: 20 });
      });
    });

    agreesWithPlainList(create, runs);
    findsAmong(create);
    rebuildsIndex(create);
    keepsScopesApart(create, runs);
  });
}
