import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createOutputLog, removeOutputLog } from './output-log.ts';

it('reads what was printed since a place, and stays within its size on disk', () => {
  const { base } = testHome();
  let files = 0;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 30 }), fc.nat(4_000), (sizes, since) => {
      files += 1;
      const path = join(base, `log-${files}`);
      const log = createOutputLog(path, 1_000);
      let whole = '';
      for (const size of sizes) {
        const piece = Array.from({ length: size }, (_, index) => 'abcdefghij'[(whole.length + index) % 10]).join('');
        log.append(Buffer.from(piece));
        whole += piece;
      }
      const { text, skipped } = log.read(since, 2_000);
      expect(log.total).toBe(whole.length);
      expect(whole.slice(Math.min(since, whole.length) + skipped)).toBe(text);
      // At least half of what may be kept is there.
      if (since <= whole.length) expect(text.length).toBeGreaterThanOrEqual(Math.min(whole.length - since, 500));
      for (const each of [path, `${path}.1`])
        if (existsSync(each)) expect(statSync(each).size).toBeLessThanOrEqual(500);
      log.close();
      removeOutputLog(path);
      expect(existsSync(path) || existsSync(`${path}.1`)).toBe(false);
    }),
    { numRuns: 100 },
  );
});

it('reads the newest bytes where there are more than are asked for', () => {
  const log = createOutputLog(join(testHome().base, 'log'), 1_000);
  log.append(Buffer.from('ünïcode '.repeat(20)));
  const { text, skipped } = log.read(0, 21);
  expect(skipped).toBe(log.total - 21);
  expect(text).not.toContain('\ufffd');
  log.close();
});
