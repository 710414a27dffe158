// docs/security.md names the test of each of its claims: the file must exist and have that test.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const claims = page
  .split('\n## Claims, each with its test\n')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| claim '));

it('has claims, and each names a test', () => {
  expect(claims?.length).toBeGreaterThan(15);
  for (const claim of claims ?? []) expect(claim).toMatch(/\| `\S+\.test\.ts` ".+" \|$/);
});

it.each(claims ?? [])('%s', (claim) => {
  const [, file = '', name = ''] = /`(\S+)` "(.+)" \|$/.exec(claim) ?? [];
  expect(existsSync(join(ROOT, file)), file).toBe(true);
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(name.replaceAll('\\"', '"'));
});
