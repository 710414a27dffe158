import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { en } from './en.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

const keys = Object.keys(en);
const namesIn = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

it.each([
  ['Chinese', zh],
  ['Russian', ru],
])('%s has the keys of English, in its order, and the same values to fill in', (_name, texts) => {
  expect(Object.keys(texts)).toEqual(keys);
  for (const [key, text] of Object.entries(en))
    expect([key, namesIn(texts[key as keyof typeof en])]).toEqual([key, namesIn(text)]);
});

it('every text is used', () => {
  const sources = globSync('web/src/**/*.{ts,tsx}').filter(
    (path) => !/language.(en|zh|ru)(-management|-words)?\.ts$/.test(path),
  );
  const code = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const isUsed = (key: string): boolean =>
    code.includes(`'${key}'`) || code.includes(`\`${key.replace(/\.[\w-]+$/, '')}.\${`);
  expect(keys.filter((key) => !isUsed(key))).toEqual([]);
});
