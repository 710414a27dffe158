import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findByName, slugOf } from '../../lib/given-name.ts';
import { readFrontMatter } from '../front-matter.ts';
import { MAX_SKILL_BYTES, SKILL_FILE } from '../skill.ts';

/**
 * The folder of the skill that has this name, and the name as it is spelled there; where there is none, the folder that it would
 * get. Only for names without a problem.
 */
export async function findFolder(directory: string, given: string): Promise<{ name: string; folder: string }> {
  const folder = slugOf(given);
  const named = await nameIn(join(directory, folder));
  if (named === given || (named === undefined && (await isThere(join(directory, folder)))))
    return { name: given, folder };
  const folders = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('.'));
  const skills: { name: string; folder: string }[] = [];
  for (const each of folders) {
    const name = await nameIn(join(directory, each));
    if (name !== undefined) skills.push({ name, folder: each });
  }
  return findByName(skills, given) ?? { name: given, folder };
}

/** Undefined where the folder holds no usable skill. */
async function nameIn(folder: string): Promise<string | undefined> {
  const path = join(folder, SKILL_FILE);
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > MAX_SKILL_BYTES) return undefined;
  const bytes = await readFile(path).catch(() => undefined);
  const read = bytes && (await readFrontMatter(bytes));
  return read?.ok ? read.facts.name : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
