import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { toSystem, toText } from '../byte-path.ts';
import { type EntryState, type GitEntry, splitPath } from './git-entries.ts';
import { inDirectory } from './in-directory.ts';

export interface PutBack {
  root: string;
  entry: Pick<GitEntry, 'path' | 'state'>;
  earlier: EntryState;
  /** A new path outside the workspace. */
  keptPath(name: string): Promise<string>;
}

/** Makes an entry what it was before, and keeps elsewhere what a file has become. Says what was done. */
export async function putBack({ root, entry, earlier, keptPath }: PutBack): Promise<string> {
  const { path, state } = entry;
  const [parent, name] = splitPath(path);
  let kept = '';
  if (state.kind === 'file') {
    const copy = await keptPath(toText(name).replace(/[^\w.-]/g, '_'));
    writeFileSync(copy, state.bytes, { flag: 'wx', mode: 0o600 });
    kept = ` (what the command left is in ${copy})`;
  }
  const done = inDirectory(root, parent, (address) => {
    const mode = statSync(address).mode & 0o777;
    if ((mode & 0o300) !== 0o300) chmodSync(address, mode | 0o700);
    const place = toSystem(`${address}/${name}`);
    const temporary = `${address}/.lainclaw-${randomBytes(12).toString('hex')}.tmp`;
    if (earlier.kind === 'file') writeFileSync(temporary, earlier.bytes, { flag: 'wx', mode: earlier.mode });
    else if (earlier.kind === 'link') symlinkSync(toSystem(earlier.target), temporary);
    else {
      rmSync(place, { recursive: true, force: true });
      return 'was taken away';
    }
    if (state.kind === 'directory') rmSync(place, { recursive: true, force: true });
    renameSync(temporary, place);
    return 'was put back as it was';
  });
  return `${done ?? 'is gone'}${kept}`;
}
