import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXECUTED_PLANTS, plantScript } from '../../../test/corpora/executed-plants.ts';
import { createExecutedWatcher } from './watch-executed.ts';

/** The list of the tools is tested with them: here everything of the corpus and its names. */
const NAMES = new Set(EXECUTED_PLANTS.map(({ path }) => path.toLowerCase()));
const reasonFor = (path: string): string | undefined =>
  NAMES.has(path.toLowerCase()) || /(?:^|\/)(?:package\.json|makefile)$/i.test(path) ? 'others run it' : undefined;

let root: string;
let kept: number;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'executed-')));
  mkdirSync(join(root, 'workspace'));
  kept = 0;
});
afterEach(() => {
  execFileSync('chmod', ['-R', 'u+rwx', root]);
  rmSync(root, { recursive: true });
});
const at = (path: string): string => join(root, 'workspace', path);
const isThere = (path: string): boolean => lstatSync(at(path), { throwIfNoEntry: false }) !== undefined;

/** Runs a script as a command would, between the looks. */
async function during(script: string, approved: readonly string[] = []): Promise<string[]> {
  const watcher = createExecutedWatcher(reasonFor);
  const before = await watcher.look({ root: at(''), signal: new AbortController().signal, now: Date.now });
  execFileSync('/bin/bash', ['-c', script], { cwd: at('') });
  return watcher.putBack(before, {
    root: at(''),
    now: Date.now,
    keptPath: async (name) => join(root, `${++kept}-${name}`),
    isApproved: (path) => approved.includes(path),
  });
}

describe('what a command leaves for other programs', () => {
  it.each(EXECUTED_PLANTS)('is taken away: $name', async (plant) => {
    const notes = await during(plantScript(plant));
    expect(isThere(plant.path)).toBe(false);
    expect(notes).toEqual([expect.stringContaining(`${plant.path} was taken away`)]);
  });

  it.each([
    'echo evil > package.json',
    'echo evil > t; mv t package.json',
    'rm package.json; ln -s other package.json',
  ])('is put back as it was: %s', async (script) => {
    writeFileSync(at('package.json'), '{"mine":true}', { mode: 0o640 });
    writeFileSync(at('other'), '{}');
    const notes = await during(script);
    expect(notes).toEqual([expect.stringMatching(/^package\.json was put back as it was.*: others run it$/)]);
    expect(readFileSync(at('package.json'), 'utf8')).toBe('{"mine":true}');
    expect(lstatSync(at('package.json')).mode & 0o777).toBe(0o640);
  });

  it('is kept outside the workspace, and the note says where', async () => {
    const [note = ''] = await during('echo evil > Makefile');
    const [, copy = ''] = /left is in (\S+)\)/.exec(note) ?? [];
    expect(readFileSync(copy, 'utf8')).toBe('evil\n');
    expect(copy.startsWith(at(''))).toBe(false);
  });

  it('stays where a person approved it', async () => {
    expect(await during('echo x > Makefile; echo x > package.json', ['Makefile'])).toHaveLength(1);
    expect([existsSync(at('Makefile')), existsSync(at('package.json'))]).toEqual([true, false]);
  });

  it('stays where it is the file of the person, moved or copied; removing one is harmless', async () => {
    mkdirSync(at('app'));
    writeFileSync(at('app/package.json'), '{}');
    expect(await during('cp -r app copy; mv app web')).toEqual([]);
    expect([existsSync(at('web/package.json')), existsSync(at('copy/package.json'))]).toEqual([true, true]);
  });

  it('is not looked for in installed packages', async () => {
    expect(await during('mkdir -p node_modules/a; echo {} > node_modules/a/package.json')).toEqual([]);
  });

  it('is not an ordinary file', async () => {
    expect(await during('echo x > notes.md; mkdir src; echo x > src/a.ts')).toEqual([]);
  });
});
