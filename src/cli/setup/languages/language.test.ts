import { expect, it } from 'vitest';
import { LANGUAGES } from '../../../config/settings.ts';
import { loadSetupTexts, systemLanguage } from './language.ts';

/** Every text with its place; functions are called with their parameters' places. */
function textsIn(value: unknown, place = ''): [place: string, text: string][] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value === 'function') return [[place, String(value('‹1›', '‹2›'))]];
  return Object.entries(value as object).flatMap(([key, inner]) => textsIn(inner, `${place}.${key}`));
}

it.each(LANGUAGES)('in %s every text is there, and holds what it is given', async (language) => {
  const [english, texts] = [await loadSetupTexts('en'), await loadSetupTexts(language)];
  const own = new Map(textsIn(texts));
  for (const [place, text] of textsIn(english)) {
    const translated = own.get(place) ?? '';
    if (text !== '') expect(translated, place).not.toBe('');
    const given = (said: string): string[] =>
      said.match(/‹\d›|https:\S+\w|\/newbot|@BotFather|lainclaw [a-z ]+/g) ?? [];
    expect(given(translated).toSorted(), place).toEqual(given(text).toSorted());
  }
  expect([...own.keys()]).toEqual(textsIn(english).map(([place]) => place));
});

it.each([
  ['zh', /\p{Script=Han}/u],
  ['ru', /\p{Script=Cyrillic}/u],
] as const)('in %s nothing is left in English', async (language, script) => {
  const ownWords = textsIn(await loadSetupTexts(language)).filter(([, text]) => !script.test(text));
  expect(ownWords).toEqual([]);
});

it.each([
  [{ LANG: 'zh_CN.UTF-8' }, 'zh'],
  [{ LANG: 'ru_RU.UTF-8', LC_ALL: '' }, 'ru'],
  [{ LANG: 'ru_RU.UTF-8', LC_ALL: 'en_US.UTF-8' }, 'en'],
  [{ LANG: 'en_US', LC_MESSAGES: 'zh-TW' }, 'zh'],
  [{ LANG: 'run.UTF-8' }, undefined],
  [{ LANG: 'C.UTF-8' }, undefined],
  [{}, undefined],
])('%j speaks %s', (variables, language) => {
  expect(systemLanguage(variables)).toBe(language);
});
