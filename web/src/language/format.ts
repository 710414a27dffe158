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
  return new Intl.DateTimeFormat(language.value, { weekday: 'short', day: 'numeric', month: 'short' }).format(
    Date.parse(iso),
  );
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** "in 5 minutes", "2 days ago"; `narrow` is as short as the language allows. */
export function relativeText(iso: string, style: 'long' | 'narrow' = 'long', now = Date.now()): string {
  const away = Date.parse(iso) - now;
  if (Number.isNaN(away)) return '';
  const [unit, size] = STEPS.find(([, length]) => Math.abs(away) >= length) ?? ['second', 1_000];
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style }).format(Math.round(away / size), unit);
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
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(0)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
