import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChatCommand } from './commands.ts';
import { createCompletion } from './completion.ts';

const command = (name: string, more: Partial<ChatCommand> = {}): ChatCommand => ({
  name,
  usage: `/${name}`,
  about: `about ${name}`,
  isImmediate: false,
  run: async () => undefined,
  ...more,
});

function setUp(files: readonly string[] = [], root = '/does/not/exist') {
  const provider = createCompletion({
    commands: [
      command('memory', { complete: async () => ['on', 'off'] }),
      command('session', { complete: async () => ['main', 'work'] }),
      command('listing', { complete: async () => ['m-good', 'm-\x1b[2J'] }),
      command('broken', { complete: () => Promise.reject(new Error('no network')) }),
    ],
    root,
    findFiles: async (letters, most) => files.filter((path) => path.includes(letters)).slice(0, most),
  });
  const offered = async (line: string, force = false): Promise<string[] | undefined> => {
    const { signal } = new AbortController();
    const found = await provider.getSuggestions([line], 0, line.length, { signal, force });
    return found?.items.map(({ value }) => value);
  };
  const takenAfter = async (line: string, typed: string): Promise<string | undefined> => {
    const found = await provider.getSuggestions([line], 0, line.length, { signal: new AbortController().signal });
    const [item] = found?.items ?? [];
    return item && provider.applyCompletion([typed], 0, typed.length, item, found?.prefix ?? '').lines[0];
  };
  const taken = (line: string): Promise<string | undefined> => takenAfter(line, line);
  return {
    isWhole: provider.isWhole,
    offered,
    taken,
    takenAfter,
  };
}

describe('what the input offers', () => {
  it('never a name that would do something to the terminal', async () => {
    const root = mkdtempSync(join(tmpdir(), 'lainclaw-completion-'));
    for (const name of ['x-good', 'x-\x1b]0;owned\x07', 'x-\u202egood']) writeFileSync(join(root, name), '');
    const { offered } = setUp(['src/good', 'src/\u202egood', 'src/\x9b2J'], root);
    expect(await offered('./x', true)).toEqual(['./x-good']);
    expect(await offered('@src')).toEqual(['@src/good']);
    expect(await offered('/listing m')).toEqual(['m-good']);
    rmSync(root, { recursive: true });
  });

  it('behind / are the commands, and then their arguments', async () => {
    const { offered, taken } = setUp();
    expect(await offered('/me')).toEqual(['memory']);
    expect(await offered('/memory o')).toEqual(['on', 'off']);
    expect(await taken('/mem')).toBe('/memory ');
  });

  it('what was offered for an earlier text changes nothing any more', async () => {
    const { takenAfter } = setUp(['README.md']);
    expect(await takenAfter('/me', '/memory')).toBe('/memory');
    expect(await takenAfter('/memory o', '/memory oo')).toBe('/memory oo');
    expect(await takenAfter('@READ', '@README')).toBe('@README');
  });

  it('the argument of a command can be sent as it is typed, and Tab takes what is there', async () => {
    const { offered, taken, isWhole } = setUp();
    expect(await offered('/session wo')).toEqual(['work']);
    expect(await taken('/session wo')).toBe('/session work');
    expect(isWhole('/session wo')).toBe(true);
    expect(isWhole('/sess')).toBe(false);
  });

  it('a file named to its end can be sent, the beginning of a name is completed first', async () => {
    const { offered, isWhole } = setUp(['notes.txt', 'a plan.md']);
    await offered('look at @notes.txt');
    expect(isWhole('look at @notes.txt')).toBe(true);
    await offered('look at @not');
    expect(isWhole('look at @not')).toBe(false);
    await offered('look at @nowhere');
    expect(isWhole('look at @nowhere')).toBe(false);
  });

  it('a list that cannot be had offers nothing', async () => {
    expect(await setUp().offered('/broken x')).toBeUndefined();
  });

  it('behind @ are files, in quotes where their names need them', async () => {
    const { offered, taken } = setUp(['src/app.ts', 'docs/a plan.md', 'README.md']);
    expect(await offered('look at @app')).toEqual(['@src/app.ts']);
    expect(await taken('look at @plan')).toBe('look at @"docs/a plan.md" ');
    expect(await taken('look at @"a pl')).toBe('look at @"docs/a plan.md" ');
    expect(await offered('me@app')).toBeUndefined();
  });
});
