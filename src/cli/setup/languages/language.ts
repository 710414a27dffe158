// In which language set-up speaks, and its texts.
import { LANGUAGES, type Language } from '../../../config/settings.ts';
import type { SetupTexts } from './setup-texts.ts';

/** Each in its own words. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', zh: '中文', ru: 'Русский' };

/** Loads one language only. */
export async function loadSetupTexts(language: Language): Promise<SetupTexts> {
  switch (language) {
    case 'en':
      return (await import('./en.ts')).en;
    case 'zh':
      return (await import('./zh.ts')).zh;
    case 'ru':
      return (await import('./ru.ts')).ru;
  }
}

/** The language of the system's messages, if it is one of ours. */
export function systemLanguage(variables: Readonly<Record<string, string | undefined>>): Language | undefined {
  const locale = (variables.LC_ALL || variables.LC_MESSAGES || variables.LANG || '').toLowerCase();
  return LANGUAGES.find((language) => locale === language || new RegExp(`^${language}[_.@-]`).test(locale));
}
