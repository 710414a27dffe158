import { expect, it } from 'vitest';
import { SETTING_KEYS, SETTINGS } from '../../src/config/settings.ts';
import { acceptedText, translated } from '../../web/src/language/settings/setting-texts.ts';
import { ru } from '../../web/src/language/settings/settings-ru.ts';
import { zh } from '../../web/src/language/settings/settings-zh.ts';

const settings = SETTING_KEYS.map((key) => ({
  key,
  about: SETTINGS[key].about,
  accepted: SETTINGS[key].kind.accepted,
}));
/** Choices are written as they are stored. */
const isChoice = (accepted: string): boolean => /^[\w-]+(, [\w-]+)+$|^true or false$/.test(accepted);

it.each([
  ['zh', zh, /\p{Script=Han}/u],
  ['ru', ru, /\p{Script=Cyrillic}/u],
] as const)('every setting is described in %s, and so is what it may be', async (language, texts, script) => {
  const words = await translated(settings, language);
  expect(words.filter(({ about }) => !script.test(about))).toEqual([]);
  expect(words.filter((each) => !isChoice(each.accepted) && each.acceptedText === each.accepted)).toEqual([]);
  expect(Object.keys(texts.about).toSorted()).toEqual(SETTING_KEYS.toSorted());
});

it('keeps the numbers of what is accepted', () => {
  expect(acceptedText('64 to 1048576', ru)).toBe('от 64 до 1048576');
  expect(acceptedText('a text of at most 20000 characters, or @file', zh)).toContain('20000');
  expect(acceptedText('something else', ru)).toBe('something else');
});
