// What `doctor` says, in the languages of the console; the program has the English. Loaded with the page of the doctor.
import type { Language } from '../../../../src/config/settings.ts';
import type { FindingCode, FixCode } from '../../../../src/operations/doctor-texts.ts';

export interface DoctorTexts {
  findings: Readonly<Record<FindingCode, string>>;
  fixes: Readonly<Record<FixCode, string>>;
}

const LOAD: Record<Exclude<Language, 'en'>, () => Promise<DoctorTexts>> = {
  zh: async () => (await import('./doctor-zh.ts')).zh,
  ru: async () => (await import('./doctor-ru.ts')).ru,
};

/** Undefined for English: the program says it. */
export async function doctorTexts(language: Language): Promise<DoctorTexts | undefined> {
  return language === 'en' ? undefined : LOAD[language]();
}
