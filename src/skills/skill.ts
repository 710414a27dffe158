// A skill is a folder with a SKILL.md, in the public Agent Skills format (agentskills.io/specification).
import type { FileHandle } from 'node:fs/promises';

export const SKILL_FILE = 'SKILL.md';
/** Limit of a whole SKILL.md. */
export const MAX_SKILL_BYTES = 262_144;
/** Limit of a supporting file, when it is read. */
export const MAX_FILE_BYTES = 262_144;

export type SkillSource = 'workspace' | 'home';

/** The front matter. Lainclaw acts on none of it: `allowedTools` grants nothing. */
export interface SkillFacts {
  name: string;
  description: string;
  license?: string;
  compatibility?: string;
  metadata?: Record<string, string>;
  allowedTools?: string[];
}

export interface Skill extends SkillFacts {
  source: SkillSource;
  /** Path of the folder: relative to the workspace, absolute for a skill of the home. */
  path: string;
}

export interface SkillProblem {
  source: SkillSource;
  /** Name of the folder; '' when the folder of all skills cannot be read. */
  folder: string;
  reason: string;
}

/** The part of a confined workspace that skills are read through; no path ever leads out of it. */
export interface ConfinedFiles {
  readonly root: string;
  /** `path` is the real place: relative to the root, links resolved. */
  openFile(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ handle: FileHandle; path: string; size: number; fingerprint: string }>;
  list(
    path: string,
    options: { recursive: boolean; maxDepth: number; maxEntries: number; signal?: AbortSignal },
  ): Promise<{
    path: string;
    entries: { path: string; type: 'file' | 'directory' | 'symlink' | 'other'; size: number }[];
    truncated: boolean;
  }>;
}
