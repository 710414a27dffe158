import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../lib/new-id.ts';
import { openOutputFile } from './output-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lainclaw-output-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (name: string): string => join(directory, name);
const opened = (name: string, force = false) => openOutputFile(at(name), { force, newId });

describe('a file that is written', () => {
  it('is not there before it is whole, then private, and nothing else is left', async () => {
    const file = await opened('a.md');
    for (let piece = 0; piece < 100; piece += 1) await file.write('x'.repeat(10_000));
    expect(existsSync(at('a.md'))).toBe(false);
    await file.finish();
    await file.discard();
    expect(readFileSync(at('a.md'), 'utf8')).toHaveLength(1_000_000);
    expect(statSync(at('a.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a.md']);
  });

  it('that is given up leaves nothing', async () => {
    const file = await opened('a.md');
    await file.write('half');
    await file.discard();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('never takes the place of another, also of one that came meanwhile', async () => {
    writeFileSync(at('a.md'), 'mine');
    await expect(opened('a.md')).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    const file = await opened('b.md');
    writeFileSync(at('b.md'), 'came meanwhile');
    await file.write('new');
    await expect(file.finish()).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await file.discard();
    expect(readFileSync(at('b.md'), 'utf8')).toBe('came meanwhile');
    expect(readdirSync(directory).sort()).toEqual(['a.md', 'b.md']);
  });

  it('with force takes the place of a file, or of a link and not of what it leads to', async () => {
    writeFileSync(at('a.md'), 'mine');
    symlinkSync('a.md', at('link.md'));
    const file = await opened('link.md', true);
    expect(readlinkSync(at('link.md'))).toBe('a.md');
    await file.write('new');
    await file.finish();
    expect(readFileSync(at('a.md'), 'utf8')).toBe('mine');
    expect(readFileSync(at('link.md'), 'utf8')).toBe('new');
  });

  it('is refused where it cannot be, with the reason', async () => {
    mkdirSync(at('folder'));
    await expect(opened('folder', true)).rejects.toMatchObject({ message: expect.stringContaining('not a file') });
    await expect(opened('missing/a.md')).rejects.toMatchObject({
      message: expect.stringContaining('missing does not exist'),
    });
  });
});
