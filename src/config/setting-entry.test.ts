import { expect, it } from 'vitest';
import { settingsIn } from './config.ts';
import { configProblems, notAccepted } from './config-file.ts';
import { settingEntry } from './setting-entry.ts';

const WORD = 's3cret-word';

const problemOf = (store: string): string => {
  try {
    settingsIn({ LAINCLAW_STORE: store });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

it.each([
  `postgres://u:${WORD}@h/d`,
  `postgres://u@h/d?password=${WORD}`,
  `postgres://h/d?password=${WORD}`,
  `postgres://u:${WORD} x@h/d`,
  `postgre://u:${WORD}@h/d`,
  `postgres:u:${WORD}@h/d`,
  `postgres://u:${WORD}@h:99999/d`,
  `postgres://u:a@b/${WORD}@h:99999/d`,
])('the password of %s is never shown', (store) => {
  const shown = [
    settingEntry('store', {}, { LAINCLAW_STORE: store }),
    settingEntry('store', { store }, {}),
    configProblems({ store }),
    notAccepted('store', store),
    problemOf(store),
  ];
  expect(JSON.stringify(shown)).not.toContain(WORD);
});

it('an address that can be used is shown without what may be secret', () => {
  const value = (store: string): unknown => settingEntry('store', { store }, {}).value;
  expect(value(`postgres://u:${WORD}@h:5433/d?sslmode=verify-full`)).toBe('postgres://***@h:5433/d');
  expect(value('postgres://h/d')).toBe('postgres://h/d');
});

it('a password in the address of another setting is masked when the value is quoted', () => {
  expect(notAccepted('language', `https://u:${WORD}@h/`)).toBe('"language" is "https://***@h/"; accepted: en, zh, ru');
});
