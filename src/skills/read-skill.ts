// Reads skills from one place (the workspace's `skills`, or the home's) through confined files. A skill has the name that its
// SKILL.md says; its folder may have another one. A folder without a usable skill becomes a problem with its reason; only
// cancellation is thrown.
import type { FileHandle } from 'node:fs/promises';
import { FRONT_MATTER_BYTES } from '../lib/front-matter.ts';
import { foldedName, slugOf } from '../lib/given-name.ts';
import { unlessRefused } from '../vocabulary/unless-refused.ts';
import { readFrontMatter } from './front-matter.ts';
import {
  type ConfinedFiles,
  MAX_SKILL_BYTES,
  SKILL_FILE,
  type Skill,
  type SkillProblem,
  type SkillSource,
} from './skill.ts';

const MAX_FOLDERS = 1_000;
const MAX_CACHED = 4_000;

export interface Place {
  source: SkillSource;
  files: ConfinedFiles;
  /** The folder of the skills, relative to the root of the files. */
  folder: string;
}

/** A skill with the name of its folder. */
export interface FoundSkill extends Skill {
  folder: string;
}

export type SkillFound = { ok: true; skill: Skill } | { ok: false; reason: string; absent?: true };

/** Earlier results, valid while the fingerprint (identity, size, times) of the file is the same. */
export type FrontMatterCache = Map<string, { fingerprint: string; found: SkillFound }>;

export async function scanPlace(
  place: Place,
  cache: FrontMatterCache,
  signal?: AbortSignal,
): Promise<{ skills: FoundSkill[]; problems: SkillProblem[] }> {
  const { source, files, folder } = place;
  const skills: FoundSkill[] = [];
  const problems: SkillProblem[] = [];
  const listing = await unlessRefused(
    files.list(folder, { recursive: false, maxDepth: 1, maxEntries: MAX_FOLDERS, signal }),
    signal,
  );
  if ('reason' in listing) {
    if (!listing.absent) problems.push({ source, folder: '', reason: listing.reason });
    return { skills, problems };
  }
  if (listing.path !== folder) {
    return { skills, problems: [{ source, folder: '', reason: 'the folder of skills is a symbolic link' }] };
  }
  if (listing.truncated)
    problems.push({ source, folder: '', reason: `more than ${MAX_FOLDERS} entries: the rest is left out` });
  for (const { path: name, type } of listing.entries) {
    if (name.startsWith('.') || type === 'file') continue;
    const found: SkillFound =
      type === 'directory'
        ? await readSkill(place, name, cache, signal)
        : {
            ok: false,
            reason: `it is ${type === 'symlink' ? 'a symbolic link' : 'not a folder'}: copy the folder here`,
          };
    if (found.ok) skills.push({ ...found.skill, folder: name });
    else problems.push({ source, folder: name, reason: found.reason });
  }
  const [firsts, seconds] = oneOfEachName(skills);
  const doubled = seconds.map(({ name, folder: own }) => ({
    source,
    folder: own,
    reason: `another folder here has a skill named "${name}" too: rename one`,
  }));
  return { skills: firsts, problems: [...problems, ...doubled] };
}

/** Of two with one name that counts whose folder is called so; otherwise the first. */
function oneOfEachName(skills: readonly FoundSkill[]): [firsts: FoundSkill[], seconds: FoundSkill[]] {
  const firsts = new Map<string, FoundSkill>();
  const seconds: FoundSkill[] = [];
  for (const skill of skills.toSorted((a, b) => Number(isNamedLikeFolder(b)) - Number(isNamedLikeFolder(a)))) {
    const name = foldedName(skill.name);
    if (firsts.has(name)) seconds.push(skill);
    else firsts.set(name, skill);
  }
  return [[...firsts.values()], seconds];
}

function isNamedLikeFolder({ name, folder }: FoundSkill): boolean {
  return folder === slugOf(name);
}

/** Reads only the front matter of one folder's skill. */
export async function readSkill(
  place: Place,
  own: string,
  cache: FrontMatterCache,
  signal?: AbortSignal,
): Promise<SkillFound> {
  const opened = await openSkillFile(place, own, signal);
  if (!opened.ok) return opened;
  const { handle, size, fingerprint } = opened.file;
  try {
    const key = `${place.files.root}\0${place.folder}\0${own}`;
    const cached = cache.get(key);
    if (cached?.fingerprint === fingerprint) return cached.found;
    const found = await factsOf(place, own, await readUpTo(handle, Math.min(size, FRONT_MATTER_BYTES)));
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, { fingerprint, found });
    return found;
  } finally {
    await handle.close();
  }
}

/** The whole SKILL.md; the checked bytes are the returned ones. */
export async function readWholeSkill(
  place: Place,
  own: string,
  signal?: AbortSignal,
): Promise<(SkillFound & { ok: false }) | { ok: true; skill: Skill; text: string }> {
  const opened = await openSkillFile(place, own, signal);
  if (!opened.ok) return opened;
  const { handle } = opened.file;
  try {
    const bytes = await readUpTo(handle, MAX_SKILL_BYTES + 1);
    if (bytes.length > MAX_SKILL_BYTES) return tooLarge(bytes.length);
    const found = await factsOf(place, own, bytes);
    return found.ok ? { ok: true, skill: found.skill, text: bytes.toString('utf8').replace(/^\uFEFF/, '') } : found;
  } finally {
    await handle.close();
  }
}

type Opened =
  | { ok: true; file: Awaited<ReturnType<ConfinedFiles['openFile']>> }
  | { ok: false; reason: string; absent?: true };

async function openSkillFile({ files, folder }: Place, own: string, signal?: AbortSignal): Promise<Opened> {
  const path = within(folder, `${own}/${SKILL_FILE}`);
  const file = await unlessRefused(files.openFile(path, signal), signal);
  if ('reason' in file) return { ok: false, ...file, reason: file.absent ? `it has no ${SKILL_FILE}` : file.reason };
  if (file.path === path && file.size <= MAX_SKILL_BYTES) return { ok: true, file };
  await file.handle.close();
  return file.path === path
    ? tooLarge(file.size)
    : { ok: false, reason: `its ${SKILL_FILE} is reached through a symbolic link` };
}

async function factsOf(place: Place, own: string, bytes: Buffer): Promise<SkillFound> {
  const read = await readFrontMatter(bytes);
  if (!read.ok) return read;
  const folder = within(place.folder, own);
  const path = place.source === 'home' ? `${place.files.root}/${folder}` : folder;
  return { ok: true, skill: { ...read.facts, source: place.source, path } };
}

function tooLarge(size: number): { ok: false; reason: string } {
  return { ok: false, reason: `its ${SKILL_FILE} has ${size} bytes, over the limit of ${MAX_SKILL_BYTES}` };
}

export function within(folder: string, path: string): string {
  return folder === '.' ? path : `${folder}/${path}`;
}

export async function readUpTo(handle: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
