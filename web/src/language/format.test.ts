import { afterEach, expect, it } from 'vitest';
import { bytesText, durationText, relativeText } from './format.ts';
import { language } from './language.ts';

afterEach(() => {
  language.value = 'en';
});

it.each([
  ['en', '52ms', '2.3s', '3m 20s', '31kB'],
  ['zh', '52ms', '2.3秒', '3分钟 20秒', '31 kB'],
  ['ru', '52 мс', '2,3 с', '3 мин 20 с', '31 кБ'],
] as const)('writes durations and sizes as %s does', (name, short, seconds, minutes, bytes) => {
  language.value = name;
  const plain = (text: string): string => text.replace(/\s/g, ' ');
  expect([durationText(52), durationText(2_310), durationText(200_400)].map(plain)).toEqual([short, seconds, minutes]);
  expect(plain(bytesText(31 * 1_024))).toBe(bytes);
});

it('says that a moment is past also where it is short', () => {
  const now = Date.parse('2026-11-18T12:00:00Z');
  const short = (): string => relativeText('2026-11-18T11:59:56Z', 'narrow', now);
  expect(short()).toBe('4s ago');
  language.value = 'ru';
  expect(short()).toMatch(/назад/);
  language.value = 'zh';
  expect(short()).toBe('4秒前');
});
