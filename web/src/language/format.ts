// Times, amounts and sizes as the chosen language writes them.
import { language } from './language.ts';

export function timeText(iso: string | undefined): string {
  const at = Date.parse(iso ?? '');
  if (Number.isNaN(at)) return '';
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(
    language.value,
    isToday ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
  ).format(at);
}

export function dayText(iso: string): string {
  // A day alone is a day everywhere.
  const timeZone = /^\d{4}-\d\d-\d\d$/.test(iso) ? 'UTC' : undefined;
  const parts = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  return new Intl.DateTimeFormat(language.value, { ...parts, timeZone }).format(Date.parse(iso));
}

/** A sentence of the program with its moments as the person reads them. */
export function withLocalTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, timeText);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** "in 5 minutes", "2 days ago"; `narrow` is as short as the language allows. The narrow form of Russian is a bare "-5". */
export function relativeText(iso: string, style: 'long' | 'narrow' = 'long', now = Date.now()): string {
  const away = Date.parse(iso) - now;
  if (Number.isNaN(away)) return '';
  const [unit, size] = STEPS.find(([, length]) => Math.abs(away) >= length) ?? ['second', 1_000];
  const shown = style === 'narrow' && language.value === 'ru' ? 'short' : style;
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: shown }).format(
    Math.round(away / size),
    unit,
  );
}

export function numberText(value: number): string {
  return new Intl.NumberFormat(language.value, { notation: value >= 10_000 ? 'compact' : 'standard' }).format(value);
}

export function costText(usd: number): string {
  const digits = usd !== 0 && usd < 0.1 ? 4 : 2;
  return new Intl.NumberFormat(language.value, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return unitText(Math.round(milliseconds), 'millisecond');
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return unitText(seconds, 'second', seconds < 10 ? 1 : 0);
  return `${unitText(Math.floor(seconds / 60), 'minute')} ${unitText(Math.floor(seconds % 60), 'second')}`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return unitText(bytes, 'byte');
  if (bytes < 1_048_576) return unitText(bytes / 1_024, 'kilobyte');
  return unitText(bytes / 1_048_576, 'megabyte', 1);
}

function unitText(value: number, unit: string, maximumFractionDigits = 0): string {
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits,
  }).format(value);
}
