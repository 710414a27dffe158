// What settings are about, in the languages of the console; the table of settings has the English. Loaded with the page of settings.
import type { Language, SettingKey } from '../../../../src/config/settings.ts';

export interface SettingTexts {
  about: Readonly<Record<SettingKey, string>>;
  /** Kinds of values, by their English; `#` is a number. */
  accepted: Readonly<Record<string, string>>;
}

const LOAD: Record<Exclude<Language, 'en'>, () => Promise<SettingTexts>> = {
  zh: async () => (await import('./settings-zh.ts')).zh,
  ru: async () => (await import('./settings-ru.ts')).ru,
};

interface Described {
  key: string;
  about: string;
  accepted: string;
}

/** The settings with their words in the language. */
export async function translated<Setting extends Described>(
  settings: readonly Setting[],
  language: Language,
): Promise<(Setting & { acceptedText: string })[]> {
  const texts = language === 'en' ? undefined : await LOAD[language]();
  return settings.map((setting) => ({
    ...setting,
    about: texts?.about[setting.key as SettingKey] ?? setting.about,
    acceptedText: texts ? acceptedText(setting.accepted, texts) : setting.accepted,
  }));
}

export function acceptedText(accepted: string, texts: SettingTexts): string {
  const numbers = accepted.match(/\d+/g) ?? [];
  const text = texts.accepted[accepted.replace(/\d+/g, '#')];
  return text === undefined ? accepted : text.replace(/#/g, () => numbers.shift() ?? '');
}
