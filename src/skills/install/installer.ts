// Installs skills into `<home>/skills` and removes them. Fetch → choose → check → write aside → record → rename: fetched
// files are only read and copied, never run, and not visible before the last step. A kill in between leaves hidden folders,
// which the next change removes; a skill that was being replaced is restored.
import { constants } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { givenNameProblem } from '../../lib/given-name.ts';
import type { Locks } from '../../storage/locks.ts';
import { ensureDirectory, openPrivate, storageError, syncDirectory } from '../../storage/private-files.ts';
import type { SkillFacts } from '../skill.ts';
import { SkillError } from '../skill-error.ts';
import { type Chosen, chooseSkills } from './choose.ts';
import { findFolder } from './find-folder.ts';
import { readFolderTree } from './folder-tree.ts';
import { cloneTree } from './git-tree.ts';
import { packageTree } from './npm-tree.ts';
import {
  changeRecord,
  type HashedFile,
  hashOf,
  hashOfFolder,
  type InstalledFrom,
  type InstalledSkill,
  readRecord,
} from './record.ts';
import { environmentFor } from './run-program.ts';
import { parseSource, type Source } from './source.ts';
import type { Tree } from './tree.ts';

const STAGING = '.staging-';
const REPLACED = '.replaced-';

export interface InstallerOptions {
  /** `<home>/skills`; made when it is missing. */
  directory: string;
  locks: Locks;
  /** Base of a relative folder. */
  cwd: string;
  /** Environment of the process; git and npm get the variables they need. */
  variables: Readonly<Record<string, string | undefined>>;
  now(): number;
  newId(prefix: string): string;
}

export interface InstallOptions {
  /** The skills to install, when the source has several. */
  names?: readonly string[];
  /** Replace skills of the same name. */
  force?: boolean;
  signal?: AbortSignal;
}

export interface InstallOutcome extends InstalledSkill {
  name: string;
  description: string;
  path: string;
  replaced: boolean;
  executables: string[];
  /** Links and special files that were left out. */
  skipped: string[];
}

export interface InstalledState extends InstalledSkill {
  changed: boolean;
}

export interface Installer {
  /** Installs all of the chosen skills or none: every check comes before the first write. */
  install(given: string, options?: InstallOptions): Promise<InstallOutcome[]>;
  /** `force`: also remove a skill that was not installed. */
  remove(name: string, options?: { force?: boolean; signal?: AbortSignal }): Promise<{ name: string; path: string }>;
  /** Installed skills that still exist, and whether each was changed since. */
  installed(signal?: AbortSignal): Promise<{ skills: Map<string, InstalledState>; damaged: boolean }>;
}

export function createInstaller(options: InstallerOptions): Installer {
  const { directory, locks, newId } = options;

  async function alone<T>(signal: AbortSignal | undefined, change: () => Promise<T>): Promise<T> {
    await ensureDirectory(directory);
    const lock = await locks.acquire('skills', { signal });
    try {
      await clearLeftovers(directory);
      return await change();
    } finally {
      await lock.release();
    }
  }

  return {
    async install(given, { names = [], force = false, signal } = {}) {
      const isFolder = async (path: string): Promise<boolean> =>
        (await stat(resolve(options.cwd, path)).catch(() => undefined))?.isDirectory() ?? false;
      const source = await parseSource(given, isFolder);
      return alone(signal, async () => {
        const staging = join(directory, newId(STAGING.slice(0, -1)));
        await mkdir(staging, { mode: 0o700 });
        try {
          const { tree, from } = await fetchTree(source, staging, options, signal);
          const chosen = await chooseSkills(tree, names, signal);
          for (const { facts } of chosen) await refuseExisting(directory, facts, force);
          const ready: Ready[] = [];
          for (const one of chosen) {
            const { folder } = await findFolder(directory, one.facts.name);
            ready.push(await writeAside(one, tree, { staging, folder }, signal));
          }
          return await putInPlace(ready, from, options);
        } finally {
          await rm(staging, { recursive: true, force: true, maxRetries: 3 });
        }
      });
    },

    remove: (given, { force = false, signal } = {}) =>
      alone(signal, async () => {
        const { skills } = await readRecord(directory);
        const isName = givenNameProblem(given) === undefined;
        const { name, folder } = isName ? await findFolder(directory, given) : { name: given, folder: '' };
        const path = join(directory, folder);
        const there = isName && (await lstat(path).catch(() => undefined));
        if (!there)
          throw new SkillError('SKILL_NOT_FOUND', `there is no skill "${name.slice(0, 100)}" in ${directory}`);
        if (!Object.hasOwn(skills, name) && !force)
          throw new SkillError(
            'SKILL_NOT_INSTALLED',
            `"${name}" was not installed from elsewhere and this may be its only copy: --force removes it`,
          );
        if (there.isDirectory()) {
          const aside = join(directory, newId(STAGING.slice(0, -1)));
          await rename(path, aside);
          await syncDirectory(directory);
          await rm(aside, { recursive: true, force: true });
        } else {
          await unlink(path);
        }
        await changeRecord(directory, ({ [name]: _, ...rest }) => rest);
        return { name, path };
      }),

    async installed(signal) {
      const { skills, damaged } = await readRecord(directory);
      const states = new Map<string, InstalledState>();
      for (const [name, skill] of Object.entries(skills)) {
        if (givenNameProblem(name) !== undefined) continue;
        const path = join(directory, (await findFolder(directory, name)).folder);
        if (!(await lstat(path).catch(() => undefined))) continue;
        states.set(name, { ...skill, changed: (await hashOfFolder(path, signal)) !== skill.hash });
      }
      return { skills: states, damaged };
    },
  };
}

async function fetchTree(
  source: Source,
  temporary: string,
  { cwd, variables }: InstallerOptions,
  signal?: AbortSignal,
): Promise<{ tree: Tree; from: InstalledFrom }> {
  const env = environmentFor(variables);
  switch (source.kind) {
    case 'folder': {
      const root = await realpath(resolve(cwd, source.path));
      return { tree: await readFolderTree(root, { skip: ['.git'], signal }), from: { kind: 'folder', from: root } };
    }
    case 'git': {
      const { commit, ...tree } = await cloneTree({ url: source.url, temporary, env, signal });
      return { tree, from: { kind: 'git', from: source.url, commit } };
    }
    case 'npm':
      return {
        tree: await packageTree({ spec: source.spec, temporary, env, signal }),
        from: { kind: 'npm', from: source.spec },
      };
  }
}

async function refuseExisting(directory: string, facts: SkillFacts, force: boolean): Promise<void> {
  const { name, folder } = await findFolder(directory, facts.name);
  const path = join(directory, folder);
  const there = await lstat(path).catch(() => undefined);
  if (there && !force) throw new SkillError('SKILL_EXISTS', `there is a skill "${name}" already: --force replaces it`);
  if (there && !there.isDirectory())
    throw new SkillError('SKILL_EXISTS', `${path} is not a folder: move it away first`);
}

interface Ready {
  chosen: Chosen;
  /** Where it is written aside; its last part is the folder's name. */
  folder: string;
  files: HashedFile[];
}

async function writeAside(
  chosen: Chosen,
  tree: Tree,
  at: { staging: string; folder: string },
  signal?: AbortSignal,
): Promise<Ready> {
  const folder = join(at.staging, 'ready', at.folder);
  const contents = await tree.read(
    chosen.files.map(({ entry }) => entry),
    signal,
  );
  const files = chosen.files.map(({ entry, path }, index) => {
    return { path, executable: entry.executable, bytes: contents[index] ?? Buffer.alloc(0) };
  });
  const folders = new Set([folder]);
  for (const { path, executable, bytes } of files) {
    signal?.throwIfAborted();
    const target = join(folder, path);
    folders.add(dirname(target));
    await ensureDirectory(dirname(target));
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    try {
      const handle = await openPrivate(target, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW);
      try {
        await handle.writeFile(bytes);
        if (executable) await handle.chmod(0o700);
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw storageError(target, error);
    }
  }
  for (const written of folders) await syncDirectory(written);
  return { chosen, folder, files };
}

async function putInPlace(
  ready: readonly Ready[],
  from: InstalledFrom,
  { directory, now }: InstallerOptions,
): Promise<InstallOutcome[]> {
  const outcomes = ready.map(
    ({ chosen: { facts, skipped }, folder, files }): InstallOutcome => ({
      name: facts.name,
      description: facts.description,
      path: join(directory, basename(folder)),
      source: from,
      hash: hashOf(files),
      installedAt: new Date(now()).toISOString(),
      files: files.length,
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      replaced: false,
      executables: files.filter(({ executable }) => executable).map(({ path }) => path),
      skipped,
    }),
  );
  // Record first: after a kill before the rename the old folder counts as changed, but a new folder is never unrecorded.
  const entries = outcomes.map(({ name, source, hash, installedAt, files, bytes }) => [
    name,
    { source, hash, installedAt, files, bytes },
  ]);
  await changeRecord(directory, (skills) => ({ ...skills, ...Object.fromEntries(entries) }));
  for (const [index, outcome] of outcomes.entries()) {
    const aside = join(directory, `${REPLACED}${basename(outcome.path)}`);
    outcome.replaced = await rename(outcome.path, aside).then(
      () => true,
      () => false,
    );
    await rename(ready[index]?.folder ?? '', outcome.path);
    await syncDirectory(directory);
    await rm(aside, { recursive: true, force: true });
  }
  return outcomes;
}

async function clearLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.startsWith(REPLACED)) {
      const original = join(directory, name.slice(REPLACED.length));
      if (await lstat(original).catch(() => undefined)) await rm(path, { recursive: true, force: true });
      else await rename(path, original);
    } else if (name.startsWith(STAGING)) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
