import { expect, it } from 'vitest';
import { createWallTime, wallDay, wallText } from './wall-clock.ts';

it.each([
  ['2026-11-15T20:30:00.000Z', 'Asia/Shanghai', '2026-11-16 04:30'],
  ['2026-11-16T02:30:00.000Z', 'America/New_York', '2026-11-15 21:30'],
  ['2026-11-16T02:30:00.000Z', 'Nowhere/At_All', '2026-11-16 02:30'],
  // A day that was given without a time.
  ['2026-11-01T00:00:00.000Z', 'America/New_York', '2026-11-01 00:00'],
  ['', 'UTC', ''],
])('"%s" in %s is %s', (moment, zone, text) => {
  const time = createWallTime(() => zone);
  expect(wallText(moment, time)).toBe(text);
  expect(wallDay(moment, time)).toBe(text.slice(0, 10));
});
