import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFifoStock } from './pipes.ts';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'pipes-test-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

const descriptors = (): number => readdirSync('/proc/self/fd').length;

it('a pipe that cannot be opened leaves no descriptor open, and no file', async () => {
  const before = descriptors();
  const stock = createFifoStock(temporary);
  const makeFirst = async (paths: readonly string[]) => void execFileSync('mkfifo', [paths[0] as string]);
  for (let index = 0; index < 5; index += 1) await expect(stock.take(3, makeFirst)).rejects.toThrow('ENOENT');
  expect(descriptors()).toBe(before);
  expect(readdirSync(temporary)).toEqual([]);
});
