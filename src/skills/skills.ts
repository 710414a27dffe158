// Skills: folders with a SKILL.md in `<workspace>/skills` and `<home>/skills`. Disclosed step by step: `list` reads front
// matter only, `load` one SKILL.md, `readFile` one file beside it. Every call reads the disk, so a new skill appears at once.
// A skill of the workspace wins over one of the same name in the home.
import { findByName, foldedName, givenNameProblem, slugOf } from '../lib/given-name.ts';
import { nearest } from '../lib/nearest.ts';
import { unlessRefused } from '../vocabulary/unless-refused.ts';
import {
  type FrontMatterCache,
  type Place,
  readSkill,
  readUpTo,
  readWholeSkill,
  scanPlace,
  within,
} from './read-skill.ts';
import {
  type ConfinedFiles,
  MAX_FILE_BYTES,
  SKILL_FILE,
  type Skill,
  type SkillProblem,
  type SkillSource,
} from './skill.ts';
import { SkillError } from './skill-error.ts';

const MAX_FILES_SHOWN = 200;
const FILES_DEPTH = 6;

export interface ListedSkill extends Skill {
  /** Set when the workspace's skill hides one of the same name in the home. */
  hidesHome?: true;
}

export interface SkillListing {
  /** Sorted by name. */
  skills: ListedSkill[];
  /** Folders without a usable skill, with the reason. */
  problems: SkillProblem[];
}

export interface LoadedSkill {
  skill: Skill;
  /** The whole SKILL.md. */
  text: string;
  /** Supporting files, relative to the folder. */
  files: { path: string; size: number }[];
  moreFiles: boolean;
}

export interface SkillsAt {
  /** The workspace whose skills are used. */
  workspace: ConfinedFiles;
  signal?: AbortSignal;
}

export interface Skills {
  /** Never rejects because of the content of a skill. */
  list(at: SkillsAt): Promise<SkillListing>;
  /** Rejects with SkillError: not found (suggests the nearest name) or invalid (says why). */
  load(name: string, at: SkillsAt): Promise<LoadedSkill>;
  /** A supporting file as text; never through a link, never outside the skill's folder. */
  readFile(name: string, file: string, at: SkillsAt): Promise<{ path: string; text: string; source: SkillSource }>;
}

/** `home` opens `<home>/skills`; it may reject when that does not exist. */
export function createSkills({ home }: { home(): Promise<ConfinedFiles> }): Skills {
  const cache: FrontMatterCache = new Map();

  /** The workspace comes first. */
  async function placesOf({ workspace, signal }: SkillsAt): Promise<{ places: Place[]; problems: SkillProblem[] }> {
    const places: Place[] = [{ source: 'workspace', files: workspace, folder: 'skills' }];
    const files = await unlessRefused(home(), signal);
    if (!('reason' in files)) places.push({ source: 'home', files, folder: '.' });
    const refused = 'reason' in files && !files.absent ? files.reason : undefined;
    return { places, problems: refused === undefined ? [] : [{ source: 'home', folder: '', reason: refused }] };
  }

  async function list(at: SkillsAt): Promise<SkillListing> {
    const { places, problems } = await placesOf(at);
    const skills = new Map<string, ListedSkill>();
    for (const place of places) {
      const found = await scanPlace(place, cache, at.signal);
      problems.push(...found.problems);
      for (const { folder: _folder, ...skill } of found.skills) {
        const name = foldedName(skill.name);
        const ahead = skills.get(name);
        skills.set(name, ahead ? { ...ahead, hidesHome: true } : skill);
      }
    }
    return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
  }

  /** The first place that has a valid skill of this name, and the folder of the skill there. */
  async function find(name: string, at: SkillsAt): Promise<{ place: Place; folder: string }> {
    const { places } = await placesOf(at);
    let reason: string | undefined;
    if (givenNameProblem(name) === undefined) {
      for (const place of places) {
        const found = await folderOf(place, name, at.signal);
        if (found.ok) return { place, folder: found.folder };
        reason ??= found.reason;
      }
    }
    if (reason !== undefined) throw new SkillError('SKILL_INVALID', `the skill "${name}" cannot be used: ${reason}`);
    const { skills } = await list(at);
    const names = skills.map((skill) => skill.name);
    const near = nearest(name.slice(0, 100), names);
    const hint = near
      ? `(did you mean ${near}?)`
      : names.length > 0
        ? `; there is ${names.slice(0, 50).join(', ')}`
        : '; there is none';
    throw new SkillError('SKILL_NOT_FOUND', `there is no skill "${name.slice(0, 100)}" ${hint}`.replace(' ;', ';'));
  }

  /** Its folder mostly has its name; otherwise all are looked through. */
  async function folderOf(
    place: Place,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<{ ok: true; folder: string } | { ok: false; reason?: string }> {
    const likely = slugOf(name);
    const there = await readSkill(place, likely, cache, signal);
    if (there.ok && there.skill.name === name) return { ok: true, folder: likely };
    const { skills } = await scanPlace(place, cache, signal);
    const found = findByName(skills, name);
    if (found) return { ok: true, folder: found.folder };
    return { ok: false, ...(!there.ok && !there.absent && { reason: there.reason }) };
  }

  return {
    list,

    async load(name, at) {
      const { place, folder } = await find(name, at);
      const read = await readWholeSkill(place, folder, at.signal);
      if (!read.ok) throw new SkillError('SKILL_INVALID', `the skill "${name}" cannot be used: ${read.reason}`);
      return { skill: read.skill, text: read.text, ...(await supportingFiles(place, folder, at.signal)) };
    },

    async readFile(name, file, at) {
      const { place, folder } = await find(name, at);
      const parts = file.split('/').filter((part) => part !== '' && part !== '.');
      if (file.startsWith('/') || parts.includes('..') || parts.length === 0) {
        throw new SkillError(
          'SKILL_NOT_FOUND',
          `"${file.slice(0, 200)}" is not a file of the skill: give a path as skill_load lists it`,
        );
      }
      const path = within(place.folder, [folder, ...parts].join('/'));
      const opened = await unlessRefused(place.files.openFile(path, at.signal), at.signal);
      if ('reason' in opened)
        throw new SkillError('SKILL_NOT_FOUND', `cannot read ${parts.join('/')}: ${opened.reason}`);
      try {
        if (opened.path !== path)
          throw new SkillError(
            'SKILL_NOT_FOUND',
            `${parts.join('/')} is reached through a symbolic link and is not read`,
          );
        const bytes = await readUpTo(opened.handle, MAX_FILE_BYTES + 1);
        if (bytes.length > MAX_FILE_BYTES)
          throw new SkillError(
            'SKILL_LIMIT',
            `${parts.join('/')} has ${opened.size} bytes, over the limit of ${MAX_FILE_BYTES}`,
          );
        if (bytes.includes(0))
          throw new SkillError('SKILL_INVALID', `${parts.join('/')} is a binary file: it has no text to show`);
        return { path: parts.join('/'), text: bytes.toString('utf8'), source: place.source };
      } finally {
        await opened.handle.close();
      }
    },
  };
}

async function supportingFiles(
  { files, folder }: Place,
  own: string,
  signal?: AbortSignal,
): Promise<Pick<LoadedSkill, 'files' | 'moreFiles'>> {
  const options = { recursive: true, maxDepth: FILES_DEPTH, maxEntries: MAX_FILES_SHOWN, signal };
  const listing = await unlessRefused(files.list(within(folder, own), options), signal);
  if ('reason' in listing) return { files: [], moreFiles: false };
  const shown = listing.entries.filter(({ path, type }) => type === 'file' && path !== SKILL_FILE && !isHidden(path));
  return { files: shown.map(({ path, size }) => ({ path, size })), moreFiles: listing.truncated };
}

function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.'));
}
