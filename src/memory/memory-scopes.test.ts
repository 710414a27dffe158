// Whose memory, through the search that tools and commands use.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testMemory } from '../../test/support/test-memory.ts';
import { type MemoryReader, type MemoryScope, maySee, OWNER, readerWithin } from '../vocabulary/memory-scope.ts';

const SCOPES = ['owner', 'person:t:1', 'person:t:2', 'chat:t:-5', 'project:/w'] as const satisfies MemoryScope[];
const WORDS = ['gate', 'code', 'kettle', 'Murka', 'Ворота', '大门', 'Tuesday', 'getUserName', '4711', 'wi-fi'];

const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((some) => some.join(' '));
/** Some of them misspelt. */
const question = fc.oneof(
  words,
  words.map((text) => text.replace('tt', 't').replace('day', 'dya')),
  fc.string(),
);
const reader: fc.Arbitrary<MemoryReader> = fc.oneof(fc.constant(OWNER), fc.constantFrom(...SCOPES).map(readerWithin));
const note = fc.record({
  scope: fc.constantFrom(...SCOPES),
  content: words,
  session: fc.constantFrom('s1', 's2', undefined),
});

it('of 1,000 questions by anybody none finds anything outside the scopes of who asks', async () => {
  const { shared } = testMemory();
  let asked = 0;
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(note, { minLength: 1, maxLength: 4 }),
      fc.array(fc.tuple(reader, question), { minLength: 20, maxLength: 20 }),
      async (notes, questions) => {
        for (const { scope, ...each } of notes) await shared.memory.as(readerWithin(scope)).save(each);
        for (const [by, query] of questions) {
          const { results } = await shared.memory.as(by).search(query, { topK: 50, budget: 100_000 });
          expect(results.filter(({ scope }) => !maySee(by, scope))).toEqual([]);
          asked += 1;
          found += results.length;
        }
      },
    ),
    { numRuns: 50, endOnFailure: true },
  );
  expect(asked).toBeGreaterThanOrEqual(1_000);
  // A search that finds nothing at all would pass otherwise.
  expect(found).toBeGreaterThan(1_000);
});

it('what somebody else has written changes neither the results of a reader nor their scores', async () => {
  const { shared } = testMemory();
  const anna = shared.memory.as(readerWithin('person:t:1'));
  await anna.saveAll([{ content: 'the gate is green' }, { content: 'a kettle and a gate' }, { content: 'tea' }]);
  const ask = () => Promise.all(['gate', 'kettle gate', 'gtae', 'code'].map((query) => anna.search(query)));
  const before = await ask();
  await shared.memory
    .as(OWNER)
    .saveAll(Array.from({ length: 50 }, (_, index) => ({ content: `gate code ${index} gtae kettle` })));
  expect(await ask()).toEqual(before);
});
