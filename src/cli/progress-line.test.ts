import { expect, it } from 'vitest';
import { createProgressLine } from './progress-line.ts';

it('tells how far the work is and, once the rate is known, how long it will take', () => {
  let now = 1_000;
  const line = createProgressLine('embedded', () => now);
  const at = (seconds: number, done: number): string => {
    now = 1_000 + seconds * 1_000;
    return line({ done, total: 4_100 }).replace('\r\u001b[K', '');
  };
  expect(at(0, 100)).toBe('100/4100 embedded');
  expect(at(1, 110)).toBe('110/4100 embedded');
  // What was done before this run says nothing about its rate.
  expect(at(10, 200)).toBe('200/4100 embedded, about 7 min left');
  expect(at(100, 4_000)).toBe('4000/4100 embedded, about 3 s left');
  expect(at(300, 4_100)).toBe('4100/4100 embedded\n');
});

it('shows bytes in megabytes, and begins again with the next file', () => {
  let now = 0;
  const line = createProgressLine('embedded', () => now);
  const at = (seconds: number, done: number, total: number): string => {
    now = seconds * 1_000;
    return line({ done, total, of: 'bytes' }).replace('\r\u001b[K', '');
  };
  expect(at(0, 1_000_000, 54_400_000)).toBe('1.0/54.4 MB fetched');
  expect(at(5, 11_000_000, 54_400_000)).toBe('11.0/54.4 MB fetched, about 22 s left');
  expect(at(6, 54_400_000, 54_400_000)).toBe('54.4/54.4 MB fetched\n');
  expect(at(60, 200_000, 0)).toBe('0.2 MB fetched');
});

it('shows nothing of work that ends soon', () => {
  let now = 0;
  const line = createProgressLine('indexed', () => now, { afterMs: 1_000 });
  now = 900;
  expect(line({ done: 10, total: 10 })).toBe('');
  now = 1_100;
  expect(line({ done: 11, total: 20 })).toContain('11/20 indexed');
});
