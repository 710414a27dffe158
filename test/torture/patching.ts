// A patch of many files, killed: afterwards all of them are changed or none is.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../support/home.ts';
import { run, type Scenario, tree } from './scenario.ts';

/** Changes, moves, deletes and adds files in turn. */
export function patchOf(files: number): string {
  const sections = Array.from({ length: files }, (_, index) => {
    const name = `part-${index % 7}/file-${index}.txt`;
    if (index % 10 === 7) return [`*** Delete File: ${name}`];
    if (index % 10 === 8) return [`*** Add File: new-${index % 3}/added-${index}.txt`, `+added ${index}`];
    const move = index % 10 === 9 ? [`*** Move to: moved/file-${index}.txt`] : [];
    return [`*** Update File: ${name}`, ...move, ' first', `-old ${index}`, `+new ${index}`];
  });
  return ['*** Begin Patch', ...sections.flat(), '*** End Patch'].join('\n');
}

export function writeFiles(home: Home, files: number): void {
  for (let index = 0; index < files; index += 1)
    home.file(`part-${index % 7}/file-${index}.txt`, `first\nold ${index}\n`);
}

export function patching(files = 100): Scenario {
  let before = '';
  let after = '';
  const call = JSON.stringify([{ name: 'apply_patch', args: { patch: patchOf(files) } }]);
  const args = ['ask', '--approve=auto', `tool:${call}`];
  return {
    name: `apply_patch of ${files} files`,
    args,
    async setUp(home) {
      writeFiles(home, files);
      before = tree(home);
      // In another session: what a session has seen of a file, it must not have seen changed.
      await run(home, ...args, '--session', 'trial');
      after = tree(home);
      await run(home, 'undo', '--session', 'trial');
      if (before === after || tree(home) !== before) throw new Error('undo did not take the patch back');
    },
    async problems(home, isShown) {
      await run(home, 'ask', '--session', 'other', 'hello');
      const now = tree(home);
      const problems: string[] = [];
      if (now !== before && now !== after) problems.push(`half patched: ${now.slice(0, 2_000)}`);
      if (isShown && now !== after) problems.push('shown, but not patched');
      if (existsSync(join(home.path, 'unfinished-undos.json'))) problems.push('still on record as unfinished');
      if (now === before) await run(home, ...args);
      else problems.push(...(await undoAndRedo(home, before)));
      if (tree(home) !== after) problems.push('the patch cannot be applied any more');
      return problems;
    },
  };
}

async function undoAndRedo(home: Home, before: string): Promise<string[]> {
  const { undoId } = JSON.parse(await run(home, 'undo')) as { undoId: string };
  const problems = tree(home) === before ? [] : ['undo does not take the patch back as one'];
  await run(home, 'undo', '--turn', undoId);
  return problems;
}
