// The record of installed skills, their sources and hashes: `<home>/skills/.installed.json`. A caller that writes holds the
// lock.
import { createHash } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newerVersionIn } from '../../lib/newer-version.ts';
import { writeAtomically } from '../../storage/private-files.ts';
import { newerVersion } from '../../storage/storage.ts';
import { readFolderTree } from './folder-tree.ts';
import { MAX_FILES, MAX_TOTAL_BYTES } from './tree.ts';

const RECORD = '.installed.json';
const VERSION = 1;

export interface InstalledFrom {
  kind: 'folder' | 'git' | 'npm';
  /** The folder, address or package. */
  from: string;
  /** The commit, for a git repository. */
  commit?: string;
}

export interface InstalledSkill {
  source: InstalledFrom;
  /** Hash of every path, executable bit and byte. */
  hash: string;
  installedAt: string;
  files: number;
  bytes: number;
}

export type InstalledSkills = Record<string, InstalledSkill>;

export interface HashedFile {
  path: string;
  executable: boolean;
  bytes: Buffer;
}

/** `damaged` distinguishes a damaged record from a missing one. */
export async function readRecord(directory: string): Promise<{ skills: InstalledSkills; damaged: boolean }> {
  const source = await readFile(join(directory, RECORD), 'utf8').catch(() => undefined);
  if (source === undefined) return { skills: {}, damaged: false };
  const newer = newerVersionIn(source, VERSION);
  if (newer !== undefined) throw newerVersion(join(directory, RECORD), newer, VERSION);
  try {
    const { skills } = JSON.parse(source) as { skills?: InstalledSkills };
    const isWhole =
      typeof skills === 'object' &&
      skills !== null &&
      Object.values(skills).every((skill) => typeof skill?.hash === 'string');
    return isWhole ? { skills, damaged: false } : { skills: {}, damaged: true };
  } catch {
    return { skills: {}, damaged: true };
  }
}

/** Renames a damaged record instead of overwriting it. */
export async function changeRecord(
  directory: string,
  change: (skills: InstalledSkills) => InstalledSkills,
): Promise<void> {
  const { skills, damaged } = await readRecord(directory);
  const path = join(directory, RECORD);
  if (damaged) await rename(path, `${path}.damaged`);
  await writeAtomically(path, `${JSON.stringify({ version: VERSION, skills: change(skills) }, undefined, 2)}\n`);
}

export function hashOf(files: readonly HashedFile[]): string {
  const hash = createHash('sha256');
  for (const { path, executable, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const content = createHash('sha256').update(bytes).digest('hex');
    hash.update(`${JSON.stringify(path)} ${executable ? 'x' : '-'} ${bytes.length} ${content}\n`);
  }
  return `sha256-${hash.digest('hex')}`;
}

/** Undefined when the folder cannot be an installed skill: it has links, special files, too much, or nothing. */
export async function hashOfFolder(folder: string, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const tree = await readFolderTree(folder, { signal });
    const total = tree.entries.reduce((sum, { size }) => sum + size, 0);
    if (tree.entries.some(({ kind }) => kind !== 'file') || tree.entries.length > MAX_FILES || total > MAX_TOTAL_BYTES)
      return undefined;
    const contents = await tree.read(tree.entries, signal);
    return hashOf(tree.entries.map((entry, index) => ({ ...entry, bytes: contents[index] ?? Buffer.alloc(0) })));
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}
