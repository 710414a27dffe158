import { expect, test } from 'vitest';
import { selectText } from './select-text.ts';

test('a part of very many lines is taken whole', async () => {
  const count = 640_000;
  const document = {
    label: 'text',
    count: 1,
    read: async () => ({ heading: 'part 1', text: 'a\n'.repeat(count) }),
  };
  const { text, next } = await selectText(document, {
    kind: 'csv',
    source: { bytes: new Uint8Array() },
    maxCharacters: 10 * count,
    pictures: 'none',
  });
  expect(text).toBe(`part 1\n${'a\n'.repeat(count)}`);
  expect(next).toBeUndefined();
});
