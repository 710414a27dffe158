// apply_patch through the program: killed at its writes it leaves all files changed or none, and a person is asked once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { seededRandom } from '../support/random.ts';
import { testHome } from '../support/test-home.ts';
import { killCommand } from '../torture/kills.ts';
import { patching, patchOf, writeFiles } from '../torture/patching.ts';
import { tree } from '../torture/scenario.ts';

it('killed before any write, leaves every file changed or none', { timeout: 600_000 }, async () => {
  const random = seededRandom(18);
  const { kills, places, problems } = await killCommand({
    scenario: patching(12),
    method: 'writes',
    kills: 12,
    random,
  });
  expect(problems).toEqual([]);
  expect(kills).toBe(12);
  expect(places).toBeGreaterThan(60);
});

it('changes a hundred files, and undo takes them back as one', async () => {
  const home = testHome();
  writeFiles(home, 100);
  const before = tree(home);
  const call = { name: 'apply_patch', args: { patch: patchOf(100) } };
  const { toolResults } = await ask(home, `tool:${JSON.stringify([call])}`, '--approve=auto');
  expect(toolResults).toMatchObject([{ result: { ok: true, data: { files: { length: 110 } } } }]);
  expect(readFileSync(join(home.workspace, 'part-0/file-0.txt'), 'utf8')).toBe('first\nnew 0\n');
  expect((await lainclaw(['undo'], { home })).code).toBe(0);
  expect(tree(home)).toBe(before);
});

it.each([
  ['.git/hooks/pre-commit', /denied|never|git/],
  ['../outside.txt', /outside/],
])('refuses the whole patch because of %s', async (path, problem) => {
  const home = testHome();
  home.file('a.txt', 'one\n');
  const patch = `*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** Add File: ${path}\n+x\n*** End Patch`;
  const { toolResults } = await ask(
    home,
    `tool:${JSON.stringify([{ name: 'apply_patch', args: { patch } }])}`,
    '--approve=auto',
  );
  expect(JSON.stringify(toolResults)).toMatch(problem);
  expect(readFileSync(join(home.workspace, 'a.txt'), 'utf8')).toBe('one\n');
});
