import { afterEach, expect, it, vi } from 'vitest';
import { bytesText, dayText, durationText, relativeText, timeText, withLocalTimes } from './format.ts';
import { language } from './language.ts';

afterEach(() => {
  language.value = 'en';
  vi.unstubAllEnvs();
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

it('names the day that was meant, also west of Greenwich', () => {
  vi.stubEnv('TZ', 'America/New_York');
  expect([dayText('2026-11-19'), dayText('2026-11-20T02:00:00Z')]).toEqual(['Thu, Nov 19', 'Thu, Nov 19']);
});

it('writes the moments within a sentence', () => {
  const at = '2020-11-19T20:32:05.000Z';
  expect(withLocalTimes(`the newest is from ${at}, of Node 24`)).toBe(`the newest is from ${timeText(at)}, of Node 24`);
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
