// The clock of these tests: Tuesday, 1 December 2026, 10:00 in UTC.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testMemory } from '../../test/support/test-memory.ts';
import type { Memory } from './memory.ts';
import type { SearchOptions } from './search.ts';
import { DAY } from './time/calendar.ts';

async function found(memory: Memory, query: string, options?: SearchOptions): Promise<string[]> {
  return (await memory.search(query, options)).results.map(({ text }) => text);
}

describe('time in a search', () => {
  const plumber = [
    { content: 'The plumber repaired the boiler.', date: '2025-03-10' },
    { content: 'The plumber repaired the sink.', date: '2026-11-10' },
    { content: 'The plumber repaired the shower.', date: '2026-11-25' },
    { content: 'The plumber repaired the tap.', date: '2026-11-30' },
  ];

  it.each([
    ['what did the plumber repair last week', 'shower'],
    ['what did the plumber repair yesterday', 'tap'],
    ['what did the plumber repair on 10 November', 'sink'],
    ['what did the plumber repair in March last year', 'boiler'],
    ['上周 plumber', 'shower'],
    ['去年三月 plumber', 'boiler'],
    ['plumber на прошлой неделе', 'shower'],
    ['plumber вчера', 'tap'],
    ['plumber в марте прошлого года', 'boiler'],
  ])('what was said then is first, and the rest is found too: %s', async (query, first) => {
    const { memory } = testMemory();
    await memory.saveAll(plumber);
    const texts = await found(memory, query);
    expect(texts[0]).toBe(`The plumber repaired the ${first}.`);
    expect(texts).toHaveLength(plumber.length);
  });

  it('what a text is about counts like the day it was said', async () => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'The concert with Anna is on 12 December.', date: '2026-10-01' },
      { content: 'The concert with Anna was yesterday.', date: '2026-08-21' },
      { content: 'Anna likes every concert.', date: '2026-11-29' },
    ]);
    const { results } = await memory.search('which concert is there on 12 December');
    expect(results[0]).toMatchObject({ about: ['2026-12-12'], date: '2026-10-01T00:00:00.000Z' });
    expect((await found(memory, 'concert on 20 August'))[0]).toBe('The concert with Anna was yesterday.');
    expect(await found(memory, 'concert', { since: '2026-12-01' })).toEqual([
      'The concert with Anna is on 12 December.',
    ]);
  });

  it.each([
    ['who came on 10 November', 'The plumber repaired the sink.'],
    ['что было 10 ноября', 'Сосед принёс дрель.'],
    ['11月10日谁来了', '水管工修好了水槽'],
  ])(
    'a text with nothing but a word of the date, of another day, is behind what is of that day: %s',
    async (query, first) => {
      const { memory } = testMemory();
      await memory.saveAll([
        { content: first, date: '2026-11-10' },
        { content: 'The dentist has time on 24 November.', date: '2026-11-19' },
        { content: 'К врачу 24 ноября.', date: '2026-11-19' },
        { content: '11月24日看牙医', date: '2026-11-19' },
      ]);
      expect((await found(memory, query))[0]).toBe(first);
    },
  );

  it.each(['what is on 10 November', 'что будет 10 ноября', '11月10日有什么事'])(
    'a day that is named without a year is the same day of every year: %s',
    async (query) => {
      const { memory } = testMemory();
      const birthdays = [
        'Anna was born on 10 November 1985.',
        '10 ноября у Анны день рождения.',
        '11月10日是安娜的生日',
      ];
      await memory.saveAll([
        ...birthdays.map((content) => ({ content, date: '2024-02-01' })),
        { content: 'The plumber repaired the sink.', date: '2026-11-10' },
        { content: 'The dentist has time on 24 November.', date: '2026-11-19' },
      ]);
      expect(birthdays).toContain((await found(memory, query))[0]);
      expect((await found(memory, 'what was on 10 November 2026'))[0]).toBe('The plumber repaired the sink.');
    },
  );

  it.each([
    ['what was in 1754', 'Jumonville Glen (1754–1756) began it.'],
    ['что было в 1754 году', 'Jumonville Glen (1754–1756) began it.'],
    ['what was on 3 July 1863', 'The last day was July 3, 1863.'],
    ['what was in 2019', 'Lisbon since 2019.'],
  ])('a year that a text names by its number is found, also of another century: %s', async (query, first) => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'Jumonville Glen (1754–1756) began it.' },
      { content: 'The last day was July 3, 1863.' },
      { content: 'Lisbon since 2019.' },
      ...plumber,
    ]);
    expect((await found(memory, query))[0]).toBe(first);
  });

  it('a query that names nothing but a time finds what there is of it, the newest first', async () => {
    const { memory } = testMemory();
    await memory.saveAll(plumber);
    expect((await memory.search('last week')).note).toBe('full-text only: the query names nothing but a time');
    expect((await found(memory, 'what was there last week?')).slice(0, 1)).toEqual([
      'The plumber repaired the shower.',
    ]);
    expect((await found(memory, '昨天')).slice(0, 1)).toEqual(['The plumber repaired the tap.']);
  });

  it.each([
    [{ since: '2026-11-25' }, ['tap', 'shower']],
    [{ until: '2026-11-10' }, ['sink', 'boiler']],
    [{ since: '2026-11-10', until: '2026-11-25T12:00' }, ['shower', 'sink']],
    [{ since: 'last week' }, ['tap', 'shower']],
    [{ since: '去年', until: 'в марте прошлого года' }, ['boiler']],
    [{ since: '2026' }, ['tap', 'shower', 'sink']],
    [{ since: 'yesterday', until: 'today' }, ['tap']],
  ])('since and until leave the rest out: %o', async (options, things) => {
    const { memory } = testMemory();
    await memory.saveAll(plumber);
    expect(await found(memory, 'plumber', options)).toEqual(
      things.map((thing) => `The plumber repaired the ${thing}.`),
    );
  });

  it.each([{ since: 'some day' }, { until: '3.4.26' }, { since: '2026-12-31', until: '2026-01-01' }])(
    'refuses what is not a time: %o',
    async (options) => {
      const { memory } = testMemory();
      await expect(memory.search('plumber', options)).rejects.toMatchObject({ code: 'MEMORY_BAD_DATE' });
    },
  );

  it('of equally good results the newer is first, however they were saved', async () => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'Anna lives in Lisbon.', date: '2026-05-01' },
      { content: 'Anna lives in Berlin.', date: '2024-05-01' },
    ]);
    expect(await found(memory, 'where does Anna live')).toEqual(['Anna lives in Lisbon.', 'Anna lives in Berlin.']);
  });

  it('the name of who said it is found', async () => {
    const { memory } = testMemory();
    await memory.saveAll([
      { content: 'The mountains were lovely.', speaker: 'Melanie', session: 's' },
      { content: 'The mountains were cold.', speaker: 'Caroline', session: 's' },
      { content: 'And the mountains were high.', speaker: 'user', session: 't' },
    ]);
    expect((await found(memory, 'what did Caroline say about the mountains'))[0]).toBe('The mountains were cold.');
    expect((await memory.search('user')).results).toEqual([]);
  });

  it('since and until agree with a plain list, whatever the dates', async () => {
    const { memory } = testMemory();
    const day = (offset: number): string => new Date(Date.UTC(2023, 0, 1) + offset * DAY).toISOString().slice(0, 10);
    const days = Array.from({ length: 110 }, (_, index) => (index * 37) % 1_400);
    await memory.saveAll(days.map((offset) => ({ content: `apple ${offset}`, date: day(offset) })));
    const offset = fc.integer({ min: 0, max: 1_400 });
    await fc.assert(
      fc.asyncProperty(offset, offset, async (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const options = { since: day(from), until: day(to), topK: 200, budget: 100_000 };
        const expected = days.filter((each) => each >= from && each <= to);
        const texts = await found(memory, 'apple', options);
        expect(texts.length).toBe(expected.length);
        expect(texts.every((text) => expected.includes(Number(text.slice(6))))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});
