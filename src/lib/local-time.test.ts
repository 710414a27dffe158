import { expect, it } from 'vitest';
import { localTime } from './local-time.ts';

it('is the time on the wall, whatever the zone', () => {
  const moment = new Date(2026, 0, 2, 3, 4, 5);
  expect(localTime(moment.getTime())).toBe('2026-01-02 03:04:05');
  expect(localTime(moment.toISOString())).toBe('2026-01-02 03:04:05');
});
