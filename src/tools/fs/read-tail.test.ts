import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import { readText } from './read-text.ts';

const signal = new AbortController().signal;

async function tailOf(root: string, content: string, args: { tail: number; maxBytes?: number; startLine?: number }) {
  writeFileSync(join(root, 'log.txt'), content);
  const file = await (await createWorkspace({ root })).openFile('log.txt');
  try {
    return (await readText(file, { maxBytes: 10_000_000, ...args }, signal)).output.text;
  } finally {
    await file.handle.close();
  }
}

it('gives the last lines, whatever their length and wherever blocks begin', async () => {
  const { workspace } = testHome();
  const line = fc.oneof(
    fc.constantFrom('', 'a', 'line'),
    fc.integer({ min: 60_000, max: 70_000 }).map((n) => 'x'.repeat(n)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 14 }),
      async (lines, ends, tail) => {
        const content = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
        const pieces = content.split(/(?<=\n)/);
        expect(await tailOf(workspace, content, { tail })).toBe(pieces.slice(-tail).join(''));
      },
    ),
    { numRuns: 150 },
  );
});

it('refuses lines that are too long together, and tail beside a range', async () => {
  const { workspace } = testHome();
  await expect(tailOf(workspace, 'x'.repeat(3_000), { tail: 1, maxBytes: 100 })).rejects.toThrow(/fewer lines/);
  await expect(tailOf(workspace, 'x', { tail: 1, startLine: 1 })).rejects.toThrow(/either tail/);
});
