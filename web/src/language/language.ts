// The words of the console. One dictionary is loaded at a time; English decides which keys there are.
import { signal } from '@preact/signals';
import type { TextKey, Texts } from './en.ts';
import { loadErrorTexts } from './errors/error-texts.ts';
import { filled } from './filled.ts';

export type { TextKey } from './en.ts';

export const LANGUAGES = ['en', 'zh', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];

export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '简体中文', ru: 'Русский' };

const KEPT = 'lainclaw-language';
const LOAD: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
  ru: async () => (await import('./ru.ts')).ru,
};

export const language = signal<Language>('en');
const texts = signal<Texts>({} as Texts);
/** What was chosen last: its words may still be on their way. */
let wanted: Language | undefined;

/** The chosen language, else the browser's. Resolves when its words are there. */
export async function openLanguage(): Promise<void> {
  await useLanguage(keptLanguage() ?? preferred(navigator.languages));
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(KEPT, chosen);
  await useLanguage(chosen);
}

/** `{name}` in a text is replaced by the value of that name. */
export function t(key: TextKey, values?: Readonly<Record<string, string | number>>): string {
  const text = texts.value[key] ?? key;
  return values ? filled(text, values) : text;
}

/** A word of the API, such as a state or a kind, where the dictionary has it. */
export function wordText(word: string): string {
  const key = `word.${word}`;
  return key in texts.value ? t(key as TextKey) : word;
}

/** The name of a person, as the API has it. */
export function personText(name: string): string {
  return name === 'owner' || name === 'nobody' ? t(`word.${name}`) : name;
}

export function preferred(wanted: readonly string[]): Language {
  const codes = wanted.map((each) => each.toLowerCase().split('-')[0]);
  return LANGUAGES.find((each) => each === codes.find((code) => LANGUAGES.includes(code as Language))) ?? 'en';
}

async function useLanguage(chosen: Language): Promise<void> {
  wanted = chosen;
  const loaded = await LOAD[chosen]();
  // Another one was chosen meanwhile.
  if (wanted !== chosen) return;
  texts.value = loaded;
  void loadErrorTexts(chosen);
  language.value = chosen;
  document.documentElement.lang = chosen === 'zh' ? 'zh-Hans' : chosen;
}

function keptLanguage(): Language | undefined {
  const kept = localStorage.getItem(KEPT);
  return LANGUAGES.find((each) => each === kept);
}
