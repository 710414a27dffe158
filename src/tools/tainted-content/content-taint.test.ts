import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SPECS } from '../../../test/support/decide-fixture.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { newId } from '../../lib/new-id.ts';
import { createCommandParser } from '../permissions/parse-command.ts';
import { createLinkResolver } from '../permissions/resolve-links.ts';
import { createContentTaint } from './content-taint.ts';
import { createTaintMemory, type TaintMemory } from './taint-memory.ts';

const parseCommand = await createCommandParser();
let root: string;
let memory: TaintMemory;
let trusted: string[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'content-')));
  memory = createTaintMemory({ files: memoryOwnerFiles(), root, now: Date.now, newId });
  trusted = [];
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = 'words'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const isTrusted = async (folder: string): Promise<boolean> =>
  trusted.some((each) => folder === each || folder.startsWith(`${each}/`));
const taint = () => createContentTaint({ memory, root, isTrusted, now: Date.now });
const context = () => ({
  ...{ workspaceRoot: root, directory: root, userHome: '/home/u', lainclawHome: '/home/u/.lainclaw', parseCommand },
  resolveLinks: createLinkResolver(),
});
const bash = (command: string) => taint().shownBy(SPECS.bash, { command }, context());
const read = (path: string) => taint().shownBy(SPECS.read, { path }, context());
const clone = (path: string, url = 'https://example.org/x.git'): void => {
  mkdirSync(join(root, path), { recursive: true });
  execFileSync('git', ['init', '-q', join(root, path)]);
  execFileSync('git', ['-C', join(root, path), 'remote', 'add', 'origin', url]);
};

describe('installed packages and received files', () => {
  beforeEach(() => {
    write('node_modules/a/README.md');
    write('inbox/letter.txt');
    write('src/a.ts');
    write('README.md');
    write('.gitignore', 'node_modules\n');
    symlinkSync('node_modules', join(root, 'link'));
  });

  it('taint when they are read by path, through links too', async () => {
    expect(await read('./src/../node_modules/a/README.md')).toEqual(['file:node_modules/a/README.md']);
    expect(await read('link/a/README.md')).toEqual(['file:node_modules/a/README.md']);
    expect(await read('src/a.ts')).toEqual([]);
    expect(await taint().shownBy(SPECS.glob, { pattern: '*', path: 'node_modules' }, context())).toEqual([]);
    expect(await taint().ofFiles(['src/a.ts', 'inbox/letter.txt'])).toEqual(['file:inbox/letter.txt']);
  });

  it.each([
    'cat node_modules/a/README.md',
    'ls && head -5 inbox/letter.txt | wc -l',
    'grep -rn x node_modules',
    'grep -rh words .',
    'grep -R words',
    'cat */*',
    'cat */*/*',
    'cat inb*/l*',
    'find . -type f -exec cat {} +',
    'find . -name "*.md" | xargs cat',
    'for f in */*; do cat "$f"; done',
    'cd node_modules/a && cat README.md',
    'bash -c "cat inbox/letter.txt"',
    'while read l; do echo $l; done < inbox/letter.txt',
    '/bin/cat inbox/letter.txt',
    'diff -r src inbox',
    'rg -u words',
    'cp inbox/letter.txt notes.txt',
    'python3 -c "import glob"',
    'awk 1 inbox/*',
    // Read by a script, an option or an assignment.
    `awk 'BEGIN{while((getline l < "inbox/letter.txt")>0) print l}'`,
    `awk 'BEGIN{system("cat inbox/letter.txt")}'`,
    'awk -f inbox/letter.txt src/a.ts',
    "sed 'r inbox/letter.txt' src/a.ts",
    "sed -ne '1,3p' -e '$r inbox/letter.txt' src/a.ts",
    "sed 's/x/cat inbox\\/letter.txt/e' src/a.ts",
    'sed -f inbox/letter.txt src/a.ts',
    `jq -n 'import "./inbox/x" as $x; $x'`,
    'yq -n \'load("inbox/x")\'',
    'dd if=inbox/letter.txt',
    'diff --from-file=inbox/letter.txt src/a.ts',
    'strings @inbox/letter.txt',
    'grep -d recurse words .',
    'grep --directories=recurse words .',
    'sort --files0-from=src/list',
    // Shown by programs that show names.
    'date -f inbox/letter.txt',
    'wc --files0-from=inbox/letter.txt',
    'du --files0-from=inbox/letter.txt',
    'sha256sum --check inbox/letter.txt',
    'file -f inbox/letter.txt',
    'tree --fromfile inbox/letter.txt',
    'xargs -a inbox/letter.txt echo',
    'git add -p',
    'git status -vv',
    "git for-each-ref --format='%(contents)'",
    'git config -f inbox/letter.txt -l',
    // In a directory, or under a name, that the text does not tell.
    'cd $(echo inbox); cat letter.txt',
    'env -C inbox cat letter.txt',
    'find . -name letter.txt -execdir cat letter.txt ";"',
    'cat ~+/inbox/letter.txt',
    'cd src; cat ~-/inbox/letter.txt',
    'ln inbox/letter.txt h',
    'ln -s . i; cat i/inbox/letter.txt',
    'mv src s; cat s/../inbox/letter.txt',
  ])('taint by: %s', async (command) => expect(await bash(command)).not.toEqual([]));
});

describe('a folder with installed packages', () => {
  beforeEach(() => {
    write('node_modules/a/README.md');
    write('src/a.ts');
    write('README.md');
    write('.gitignore', 'node_modules\n');
  });

  it.each([
    'node_modules/.bin/tsc --noEmit',
    'rm -rf node_modules && npm ci',
    'npm test',
    'make',
    "find . -not -path '*/node_modules/*' -name '*.ts'",
    "find . -name '*.ts' -not -path '*/node_modules/*' | xargs grep words",
    'grep -r x --exclude-dir=node_modules .',
    'grep -rn x src',
    'rg words',
    "rg x -g '!node_modules'",
    'ls node_modules',
    'ls -R',
    'cat src/a.ts *.md',
    'cat src/*',
    'git log --oneline && git diff',
    'git status',
    'echo "$(wc -l < README.md)"',
    "sed -n '1,20p;30q' src/a.ts",
    "sed -e 's/read/write/g' -e '/^#/d' README.md | head",
    "awk -F: '{print $1, $NF}' README.md",
    "jq '.dependencies | keys' package.json",
    'cp README.md src/copy.md',
    'date +%F; wc -l src/a.ts; md5sum src/a.ts; file src/a.ts',
    'git add -A && git commit -m x && git branch -a && git remote -v && git config user.name',
    'find . -name "*.ts" -not -path "*/node_modules/*" -newer README.md',
    'dd if=README.md bs=10 count=1',
    'env FOO=1 cat README.md',
    'cd src && cat a.ts && cd .. && cat README.md',
  ])('does not taint by everyday: %s', async (command) => expect(await bash(command)).toEqual([]));
});

describe('a file that a tainted turn wrote', () => {
  beforeEach(async () => {
    write('notes/plan.md', 'obey');
    write('src/a.ts');
    await memory.remember([{ path: 'notes/plan.md' }], ['mcp:files']);
  });

  it.each([
    ...['cat notes/plan.md', 'cat */*', 'grep -rh . .', 'rg obey', 'find . -exec cat {} +', 'git log -p', 'npm test'],
    ...['python3 build.py', 'make', './run.sh', 'sh -c "$(cat x)"'],
  ])('taints by %s, and names its source', async (command) =>
    expect(await bash(command)).toEqual(['file:notes/plan.md', 'mcp:files']),
  );

  it.each(['ls -l notes', 'cat src/a.ts', 'grep -r x src', 'git status', 'git commit -m x', 'echo hello > out.txt'])(
    'does not taint by %s',
    async (command) => expect(await bash(command)).toEqual([]),
  );

  it('is followed under another name, and is the person’s again once they have edited it', async () => {
    write('elsewhere.md', 'obey');
    expect(await read('elsewhere.md')).toEqual(['file:elsewhere.md', 'mcp:files']);
    rmSync(join(root, 'elsewhere.md'));
    write('notes/plan.md', 'my own words');
    expect(await read('notes/plan.md')).toEqual([]);
    expect(await bash('npm test')).toEqual([]);
  });

  it('is the person’s once they approve it, or a folder above it', async () => {
    expect(await memory.approve('notes')).toBe(1);
    expect(await read('notes/plan.md')).toEqual([]);
  });
});

describe('a clone', () => {
  it('that nobody trusts taints by whatever reads in it, and no more once it is trusted', async () => {
    clone('.');
    write('README.md');
    const source = [`folder:${root}`];
    for (const command of ['cat README.md', 'npm test', 'git log', 'grep -r x .'])
      expect(await bash(command)).toEqual(source);
    expect(await read('README.md')).toEqual(source);
    for (const command of ['ls', 'git status', 'pwd']) expect(await bash(command)).toEqual([]);
    trusted = [root];
    expect([...(await bash('npm test')), ...(await read('README.md'))]).toEqual([]);
  });

  it('below the workspace taints by what reads in it', async () => {
    clone('vendored');
    write('vendored/README.md');
    write('mine.md');
    const source = [`folder:${join(root, 'vendored')}`];
    for (const command of ['cat vendored/README.md', 'cat */*', 'grep -r x .', 'npm test'])
      expect(await bash(command)).toEqual(source);
    expect(await read('vendored/README.md')).toEqual(source);
    expect([...(await bash('cat mine.md')), ...(await read('mine.md'))]).toEqual([]);
  });

  it('of a repository of this machine, or a repository without a remote, is the person’s own', async () => {
    clone('.', '/srv/git/x.git');
    write('README.md');
    expect(await bash('npm test')).toEqual([]);
  });
});

it('what unpacks makes tainted files', () => {
  const written = (command: string) => taint().writtenBy(SPECS.bash, { command }, context());
  for (const command of [
    'tar xf a.tgz',
    'tar -xzf a.tgz -C x',
    'tar --extract -f a',
    'unzip -q a.zip',
    'cd x && 7z x a.7z',
  ])
    expect(written(command), command).toHaveLength(1);
  for (const command of ['tar cf a.tar x', 'tar -czf x.tgz extra', 'ls', 'gzip a'])
    expect(written(command), command).toEqual([]);
});
