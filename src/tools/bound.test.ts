import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundText } from './bound.ts';

const keep = (kept: string[]) => async (text: string) => {
  kept.push(text);
  return '/kept.txt';
};

it('a text within the limit is left as it is, and nothing is kept', async () => {
  const kept: string[] = [];
  for (const text of ['', 'x', 'x'.repeat(40_000)]) expect(await boundText(text, keep(kept))).toEqual({ text });
  expect(kept).toEqual([]);
});

it('a longer one keeps its head and its tail, and says how much is cut and where the whole is', async () => {
  const kept: string[] = [];
  const whole = `head${'x'.repeat(50_000)}tail`;
  const { text, fullOutputPath } = await boundText(whole, keep(kept));
  expect(text).toMatch(/^head[\s\S]*tail$/);
  expect(text).toContain(`${whole.length - 40_000} characters cut; the whole is in /kept.txt`);
  expect({ fullOutputPath, kept }).toEqual({ fullOutputPath: '/kept.txt', kept: [whole] });
});

it('is bounded and cuts no character in two, whatever the text and the limit', async () => {
  const texts = fc.string({ unit: fc.constantFrom('😀', 'ж', 'x', '中', '👩‍👩‍👧'), maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 4, max: 150 }), async (whole, limit) => {
      const { text, fullOutputPath } = await boundText(whole, async () => '/kept.txt', limit);
      expect(text.isWellFormed()).toBe(true);
      expect(text.length).toBeLessThanOrEqual(limit + 80);
      expect(fullOutputPath === undefined).toBe(whole.length <= limit);
    }),
  );
});
