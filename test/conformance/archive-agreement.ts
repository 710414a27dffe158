// An archive against a plain list: whatever is done in whatever order, through whichever door, both hold the same.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Archive, NewDocument, TermsOf } from '../../src/storage/archive.ts';
import type { SharedArchive } from '../../src/storage/shared-archive.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';

export interface ArchiveSubject {
  /** Opens a door to the archive; each is independent of the others. */
  open(): SharedArchive;
  remove(): void | Promise<void>;
}

export type CreateArchive = () => ArchiveSubject | Promise<ArchiveSubject>;

export const termsOf: TermsOf = ({ context, text }) => `${context} ${text}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];

export function documentOf(id: string, ...texts: string[]): NewDocument {
  return {
    id,
    source: 'test',
    date: '2026-01-01T00:00:00.000Z',
    hash: texts.join('\n'),
    chunks: texts.map((text) => ({ context: '', text })),
  };
}

export function vectorOf(seed: number, dimension = 40): Float32Array {
  return Float32Array.from({ length: dimension }, (_, index) => Math.sin((seed + 1) * 12.9898 + index * (seed + 3.7)));
}

export function agreesWithPlainList(create: CreateArchive, runs: number): void {
  it('whatever is done in whatever order, it holds what a plain list would', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), id: fc.nat(12), words: fc.array(fc.nat(5), { minLength: 1 }) }),
      fc.record({ do: fc.constant('remove' as const), id: fc.nat(12) }),
      fc.record({
        do: fc.constant('embed' as const),
        model: fc.constantFrom('m', 'n'),
        limit: fc.integer({ min: 1, max: 4 }),
      }),
      fc.record({ do: fc.constant('keep' as const), model: fc.constantFrom('m', 'n') }),
      fc.record({ do: fc.constant('rebuild' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const fresh = await create();
        const doors = [fresh.open().as(OWNER), fresh.open().as(OWNER)];
        const plain = new Map<string, { text: string; vectors: Set<string> }>();
        try {
          for (const [index, action] of steps.entries()) {
            const door = doors[index % 2] as Archive;
            if (action.do === 'add') {
              const id = `d${action.id}`;
              const text = `${id} ${action.words.map((word) => `w${word}`).join(' ')}`;
              if (plain.has(id)) continue;
              await door.add([documentOf(id, text)], termsOf);
              plain.set(id, { text, vectors: new Set() });
            } else if (action.do === 'remove') {
              const id = `d${action.id}`;
              expect(await door.remove([id], termsOf)).toBe(plain.delete(id) ? 1 : 0);
            } else if (action.do === 'embed') {
              const { chunks } = await door.pending(action.model, { after: 0, limit: action.limit });
              await embedAll(door, action.model, chunks);
              for (const { text } of chunks) plain.get(text.split(' ')[0] ?? '')?.vectors.add(action.model);
            } else if (action.do === 'keep') {
              await door.keepOnlyVectorsOf(action.model);
              for (const { vectors } of plain.values())
                for (const model of vectors) if (model !== action.model) vectors.delete(model);
            } else await door.rebuild(termsOf, { version: '1' });
            await agree(doors[(index + 1) % 2] as Archive, plain);
          }
        } finally {
          await fresh.remove();
        }
      }),
      { numRuns: runs },
    );

    async function embedAll(door: Archive, model: string, chunks: readonly { id: number }[]): Promise<void> {
      await door.putVectors(
        model,
        chunks.map(({ id }) => ({ id, vector: vectorOf(id) })),
      );
    }

    async function agree(
      door: Archive,
      plain: ReadonlyMap<string, { text: string; vectors: Set<string> }>,
    ): Promise<void> {
      expect((await door.list({ limit: 100 })).map(({ id }) => id).toSorted()).toEqual([...plain.keys()].toSorted());
      const words = Array.from({ length: 6 }, (_, word) => `w${word}`);
      const { chunks, frequencies } = await door.candidates(words, 100);
      expect(chunks).toBe(plain.size);
      for (const word of words) {
        const holding = [...plain.values()].filter(({ text }) => text.split(' ').includes(word));
        expect(frequencies.get(word)).toBe(holding.length);
      }
      for (const model of ['m', 'n']) {
        const done = [...plain.values()].filter(({ vectors }) => vectors.has(model)).length;
        expect(await door.embedded(model)).toEqual({ done, total: plain.size });
        expect(await door.nearest(model, vectorOf(1), 100)).toHaveLength(done);
      }
    }
  });
}
