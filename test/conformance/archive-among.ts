// Candidates among the chunks that hold one of other terms, and marks, which are terms but not words.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Archive, MARK, type NewDocument, type TermsOf } from '../../src/storage/archive.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';
import { type ArchiveSubject, type CreateArchive, documentOf, termsOf } from './archive-agreement.ts';

export function findsAmong(create: CreateArchive): void {
  describe('candidates', () => {
    let subject: ArchiveSubject;
    let archive: Archive;
    beforeEach(async () => {
      subject = await create();
      archive = subject.open().as(OWNER);
    });
    afterEach(() => subject.remove());
    const add = (...documents: NewDocument[]) => archive.add(documents, termsOf);
    const textsOf = async (ids: readonly number[]): Promise<string[]> =>
      (await archive.read(ids)).map(({ text }) => text);

    it('among other terms hold one of those as well; without a term of their own they are the newest', async () => {
      await add(documentOf('one', 'plum red'), documentOf('two', 'plum green'), documentOf('three', 'pear green'));
      const among = ['green', 'absent'];
      expect(await textsOf((await archive.candidates(['plum'], 10, { among })).ids)).toEqual(['plum green']);
      expect(await textsOf((await archive.candidates([], 10, { among })).ids)).toEqual(['pear green', 'plum green']);
      expect(await textsOf((await archive.candidates([], 1, { among })).ids)).toEqual(['pear green']);
      expect((await archive.candidates(['plum'], 10, { among: [] })).ids).toEqual([]);
      const { frequencies } = await archive.candidates(['plum'], 10, { among });
      expect(frequencies.get('plum')).toBe(2);
    });

    it('are not longer for a mark', async () => {
      const marked: TermsOf = (chunk) => [...termsOf(chunk), `${MARK}2026`];
      await archive.add([documentOf('one', 'alpha beta')], marked);
      expect((await archive.get('one'))?.chunks[0]?.length).toBe(2);
      await archive.rebuild(marked, { version: '1' });
      expect(await archive.candidates([`${MARK}2026`], 10)).toMatchObject({ averageLength: 2, ids: [1] });
      await archive.remove(['one'], marked);
      expect((await archive.candidates([`${MARK}2026`], 10)).ids).toEqual([]);
    });
  });
}
