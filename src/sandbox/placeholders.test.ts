import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HeldDirectory, holdDirectory, type Placeholder, placeholderIn } from './placeholders.ts';

const LEASE = '.lainclaw-1-1-mine';
let base: string;
let parent: HeldDirectory;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'placeholders-'));
  parent = holdDirectory(base);
});
afterEach(() => {
  parent.release();
  rmSync(base, { recursive: true });
});

const path = (...names: string[]): string => join(base, ...names);
const made = (name: string): Placeholder => placeholderIn(parent, name, LEASE) as Placeholder;
/** What is left when the process was killed and a shell does what it would have done. */
function leftBy({ releaseScript }: Placeholder): string[] {
  spawnSync('/bin/sh', ['-c', releaseScript(base)], { stdio: 'ignore' });
  return readdirSync(base);
}

describe('where this process is killed, a shell removes', () => {
  test.each(['.vscode', 'commondir'])('a placeholder %s of a run', (name) => {
    expect(leftBy(made(name))).toEqual([]);
  });

  test.each(['.vscode', 'commondir'])('one %s whose lease is gone already', (name) => {
    const placeholder = made(name);
    rmdirSync(path(placeholder.lease));
    expect(leftBy(placeholder)).toEqual([]);
  });

  test('the file of one whose leases are gone already', () => {
    const placeholder = made('commondir');
    rmSync(path('commondir.lainclaw'), { recursive: true });
    expect(leftBy(placeholder)).toEqual([]);
  });

  test('one that was about to be moved away', () => {
    const placeholder = made('.vscode');
    rmdirSync(path(placeholder.lease));
    mkdirSync(path(`${placeholder.lease}.leaving`));
    expect(leftBy(placeholder)).toEqual([]);
  });

  test('none that another run or a person uses', () => {
    const [shared, used, file] = ['.vscode', '.idea', 'commondir'].map(made) as [Placeholder, Placeholder, Placeholder];
    mkdirSync(path('.vscode/.lainclaw-1-1-theirs'));
    writeFileSync(path('.idea/settings.json'), '');
    writeFileSync(path('commondir'), 'elsewhere');
    for (const each of [shared, used, file]) leftBy(each);
    expect(readdirSync(base).sort()).toEqual(['.idea', '.vscode', 'commondir']);
    expect(readdirSync(path('.vscode'))).toEqual(['.lainclaw-1-1-theirs']);
  });
});
