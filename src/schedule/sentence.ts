// What the times of a job mean, as a sentence for people.
import type { Language } from '../config/settings.ts';
import type { Timetable } from '../storage/jobs.ts';

const LOCALES: Record<Language, string> = { en: 'en', zh: 'zh_CN', ru: 'ru' };
const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const UNITS = [
  { name: 'week', ms: 604_800_000 },
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1_000 },
] as const;
const EVERY: Record<Language, (interval: string) => string> = {
  en: (interval) => `Every ${interval}`,
  zh: (interval) => `每隔 ${interval}`,
  ru: (interval) => `С промежутком: ${interval}`,
};
const ONCE: Record<Language, (moment: string) => string> = {
  en: (moment) => `Once, at ${moment}`,
  zh: (moment) => `一次，在 ${moment}`,
  ru: (moment) => `Один раз, ${moment}`,
};

/** Undefined for a pattern that cannot be put into words. */
export async function sentenceOf(timetable: Timetable, language: Language): Promise<string | undefined> {
  switch (timetable.kind) {
    case 'every':
      return EVERY[language](intervalOf(timetable.everyMs, language));
    case 'at':
      return ONCE[language](momentIn(timetable.timezone, timetable.at));
    case 'cron': {
      const cronstrue = await loadCronstrue();
      const pattern = NICKNAMES[timetable.pattern.toLowerCase()] ?? timetable.pattern;
      try {
        return cronstrue.toString(pattern, { locale: LOCALES[language], use24HourTimeFormat: true });
      } catch {
        return undefined;
      }
    }
  }
}

/** A CommonJS package: some loaders give what it exports by default, others the module around it. */
async function loadCronstrue(): Promise<{ toString(pattern: string, options: object): string }> {
  const { default: loaded } = await import('cronstrue/i18n.js');
  return 'default' in loaded ? loaded.default : loaded;
}

/** `2026-11-17 08:00` in the job's own timezone. */
export function momentIn(timezone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' }).format(at);
}

function intervalOf(ms: number, language: Language): string {
  const parts: string[] = [];
  let left = ms;
  for (const { name, ms: size } of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0)
      parts.push(new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'long' }).format(count));
  }
  return parts.join(' ');
}
