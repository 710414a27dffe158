// What the gateway refuses or fails at, by the code of the error, in the languages of the console. The English is what the gateway itself says: it
// names more than a code can, and follows the text in the other languages.
import { signal } from '@preact/signals';
import type { Language } from '../../../../src/config/settings.ts';
import type { zh } from './errors-zh.ts';

export type ErrorTexts = Readonly<Record<keyof typeof zh, string>>;

const LOAD: Record<Exclude<Language, 'en'>, () => Promise<ErrorTexts>> = {
  zh: async () => (await import('./errors-zh.ts')).zh,
  ru: async () => (await import('./errors-ru.ts')).ru,
};

const texts = signal<Readonly<Record<string, string>>>({});
/** What was asked for last: another one may still be on its way. */
let wanted: Language | undefined;

/** The page does not wait for it. Where it cannot be loaded, errors stay English. */
export async function loadErrorTexts(language: Language): Promise<void> {
  wanted = language;
  const loaded = language === 'en' ? {} : await LOAD[language]().catch(() => ({}));
  if (wanted === language) texts.value = loaded;
}

/** Undefined for English, and for a code that has no text. */
export function errorText(code: string): string | undefined {
  return Object.hasOwn(texts.value, code) ? texts.value[code] : undefined;
}
