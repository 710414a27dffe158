import { describe, expect, it } from 'vitest';
import { ROOT, SPECS } from '../../../test/support/decide-fixture.ts';
import { createCommandParser } from './parse-command.ts';
import { isTaintedFile, shownTaintedFile } from './tainted-files.ts';

const context = {
  workspaceRoot: ROOT,
  directory: ROOT,
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
  parseCommand: await createCommandParser(),
};
const bash = (command: string): boolean => shownTaintedFile(SPECS.bash, { command }, context) !== undefined;

describe('files that somebody else wrote', () => {
  it.each([
    'node_modules/a/README.md',
    'apps/web/node_modules/a.js',
    'vendor/x.go',
    'inbox/letter.txt',
    'Downloads/a.md',
  ])('%s is one', (path) => expect(isTaintedFile(path)).toBe(true));

  it.each(['README.md', 'src/vendors.ts', 'src/inbox/view.ts', 'docs/downloads.md', 'my_node_modules/a', '.'])(
    '%s is none',
    (path) => expect(isTaintedFile(path)).toBe(false),
  );

  it('are asked for by a path, through links too', () => {
    const read = (path: string, more = {}): boolean =>
      shownTaintedFile(SPECS.read, { path }, { ...context, ...more }) !== undefined;
    expect(read('./src/../node_modules/a/index.js')).toBe(true);
    expect(read(`${ROOT}/vendor/a`)).toBe(true);
    expect(read('link/a', { resolveLinks: (path: string) => path.replace('/link', '/node_modules') })).toBe(true);
    expect(read('src/a.ts')).toBe(false);
    expect(shownTaintedFile(SPECS.glob, { pattern: '*', path: 'node_modules' }, context)).toBeUndefined();
  });

  it.each([
    'cat node_modules/a/README.md',
    'ls && head -5 vendor/x.go | wc -l',
    'grep -rn x node_modules',
    'cd node_modules/a && cat README.md',
    'bash -c "cat inbox/letter.txt"',
    'while read l; do echo $l; done < inbox/letter.txt',
    '/bin/cat downloads/a.md',
  ])('are shown by: %s', (command) => expect(bash(command)).toBe(true));

  it.each([
    'node_modules/.bin/tsc --noEmit',
    'rm -rf node_modules && npm ci',
    "find . -not -path '*/node_modules/*' -name '*.ts'",
    'grep -r x --exclude-dir=node_modules .',
    "rg x -g '!node_modules'",
    'ls node_modules',
    'cat src/a.ts',
    'npm test',
  ])('are not shown by everyday: %s', (command) => expect(bash(command)).toBe(false));
});
