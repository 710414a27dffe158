import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractSentences, extractSummary } from './extract-summary.ts';

describe('a summary', () => {
  it('of a short text is the text', () => {
    expect(extractSummary('One. Two! Three?')).toBe('One. Two! Three?');
  });

  it('of a long text is the sentences whose words recur, in their order', () => {
    const text =
      'The bridge is old. I like tea. The bridge needs paint on its bridge towers. Cats sleep. The old bridge will be painted. Rain falls.';
    expect(extractSummary(text)).toBe(
      'The bridge is old. The bridge needs paint on its bridge towers. The old bridge will be painted.',
    );
  });

  it.each([
    ['zh', '长江大桥很长。我喜欢茶。大桥需要油漆，大桥很旧。猫在睡觉。工人给长江大桥刷漆。下雨了。', '大桥'],
    [
      'ru',
      'Старый мост закрыт. Люблю чай. Старый мост красят рабочие. Кот спит. Мост старый и длинный. Дождь.',
      'мост',
    ],
  ])('works in %s', (_language, text, word) => {
    const summary = extractSummary(text, 2);
    expect(summary).toContain(word);
    expect(summary.length).toBeLessThan(text.length);
  });

  it('leaves addresses, versions, numbers and titles of people whole', () => {
    const facts = ['The server is 10.0.0.5.', 'See https://example.com/a.html for v1.2.3.', 'Ask Dr. Lindqvist.'];
    expect(extractSentences(facts.join(' '), 5)).toEqual(facts);
  });

  it('says nothing twice, and scraps come last', () => {
    const facts = ['My sister lives in Kazan.', 'The cabin has a blue door.', 'The dentist is called Lindqvist.'];
    const text = facts.flatMap((fact, index) => [fact, `(turn ${index})`, fact, `(turn ${index + 3})`]).join('\n');
    expect(extractSentences(text, 3)).toEqual(facts);
  });

  it('of no words is empty', () => {
    for (const text of ['', '   ', '...!?', '\n\n', '—'.repeat(50)]) expect(extractSummary(text)).toBe('');
  });

  it('shortens a sentence that does not end', () => {
    expect(extractSummary('word '.repeat(10_000)).length).toBeLessThanOrEqual(400);
  });

  it('takes any amount of text in reasonable time', () => {
    const summary = extractSummary('The same sentence over and over. '.repeat(200_000));
    expect(summary.length).toBeGreaterThan(0);
    for (const part of ['.', '. ', '.a', 'A.', 'x', ' ']) extractSummary(part.repeat(200_000));
  });
});

describe('whatever the text', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom('. ', '。', '\n', '!', ' ', '😀', 'слово', '字词', 'word'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    maxLength: 300,
  });

  it('it is never empty when there are words', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), (text, wanted) => {
        expect(extractSummary(text, wanted) === '').toBe(!/[\p{L}\p{N}]/u.test(text));
      }),
    );
  });

  it('it is the same for the same text, and hardly longer', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const summary = extractSummary(text);
        expect(extractSummary(text)).toBe(summary);
        // Sentences that touched each other are set apart.
        expect(summary.length).toBeLessThanOrEqual(text.length + 2);
      }),
    );
  });

  it('it cuts no character in two', () => {
    for (const shift of ['', 'x', 'xx']) {
      expect(extractSummary(shift + '😀字'.repeat(1_000)).isWellFormed()).toBe(true);
      expect(extractSummary(`${shift}word. `.repeat(1_000) + '😀字'.repeat(70_000)).isWellFormed()).toBe(true);
    }
  });
});
