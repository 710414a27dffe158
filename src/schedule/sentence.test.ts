import { describe, expect, it } from 'vitest';
import { momentIn, sentenceOf } from './sentence.ts';

const cron = (pattern: string) => ({ kind: 'cron' as const, pattern, timezone: 'UTC' });

describe('the times of a job as a sentence', () => {
  it.each([
    [
      cron('0 8 * * 1-5'),
      'At 08:00, Monday through Friday',
      '在08:00, 星期一至星期五',
      'В 08:00, с понедельника по пятницу',
    ],
    [cron('@hourly'), 'Every hour', '每小时', 'Каждый час'],
    [
      { kind: 'every' as const, everyMs: 5_400_000, anchor: 0 },
      'Every 1 hour 30 minutes',
      '每隔 1小时 30分钟',
      'С промежутком: 1 час 30 минут',
    ],
    [
      { kind: 'at' as const, at: Date.UTC(2026, 11, 1, 8), timezone: 'Europe/Berlin' },
      'Once, at 2026-12-01 09:00',
      '一次，在 2026-12-01 09:00',
      'Один раз, 2026-12-01 09:00',
    ],
  ])('%j', async (timetable, en, zh, ru) => {
    expect(await sentenceOf(timetable, 'en')).toBe(en);
    expect(await sentenceOf(timetable, 'zh')).toBe(zh);
    expect(await sentenceOf(timetable, 'ru')).toBe(ru);
  });

  it('is missing for a pattern that has no words', async () => {
    expect(await sentenceOf(cron('not a pattern'), 'en')).toBeUndefined();
  });
});

it('a moment is written in the timezone of the job', () => {
  expect(momentIn('Asia/Shanghai', Date.UTC(2026, 10, 17, 0, 0))).toBe('2026-11-17 08:00');
});
