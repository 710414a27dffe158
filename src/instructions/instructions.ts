// Instructions: what people wrote down for the assistant. AGENTS.md (else CLAUDE.md) of the workspace and of its parents up to the
// project's root, SOUL.md and USER.md of the home, the text of --system, and the names of skills. Those of a project are read
// only after a person has trusted it. Together they stay within a limit of tokens; what is cut is said.
import { dirname, join, relative } from 'node:path';
import { estimateTokens } from '../lib/estimate-tokens.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { Trust } from '../storage/storage.ts';
import { findProjectRoot, isWithin } from './project-root.ts';

export const INSTRUCTION_TOKENS = 8_000;
const SKILL_TOKENS = 1_500;
const LONGEST_DESCRIPTION = 200;
/** Of one file. Larger ones are read up to here and cut. */
const MOST_BYTES = 65_536;
/** The first that exists in a folder is read. */
const PROJECT_FILES = ['AGENTS.md', 'CLAUDE.md'];
const HOME_FILES = ['SOUL.md', 'USER.md'] as const;

export interface InstructionsRequest {
  /** Absolute, with links resolved. */
  workspaceRoot: string;
  /** The owner asks: what they wrote about themselves is for their own turns only. */
  isOwner: boolean;
  /** The text of --system. */
  system?: string;
  signal?: AbortSignal;
}

export interface ReadInstructions {
  /** For the system text; empty when there are none. */
  text: string;
  sources: { name: string; tokens: number }[];
  /** What was cut or could not be read, in words. */
  notices: string[];
}

/** A project with instructions that nobody has decided about. */
export interface UndecidedProject {
  folder: string;
  files: string[];
}

export interface Instructions {
  read(request: InstructionsRequest): Promise<ReadInstructions>;
  /** The project that a person should be asked about; undefined when there is nothing to ask. */
  undecided(workspaceRoot: string): Promise<UndecidedProject | undefined>;
}

/** Reads the beginning of a file below a folder; undefined when there is none. Rejects when it leads out of the folder. */
export type ReadBeneath = (
  folder: string,
  path: string,
  limit: number,
) => Promise<{ text: string; isCut: boolean } | undefined>;

export interface InstructionsDependencies {
  home: string;
  trust: Pick<Trust, 'list' | 'declined'>;
  readBeneath: ReadBeneath;
  exists(path: string): Promise<boolean>;
  /** The skills that a model may load, those of a project only when it is trusted. */
  skills(options: { isTrusted: boolean; signal?: AbortSignal }): Promise<{ name: string; description: string }[]>;
}

interface Part {
  name: string;
  text: string;
}

export function createInstructions(dependencies: InstructionsDependencies): Instructions {
  const { home, trust, readBeneath, exists, skills } = dependencies;

  async function trustedFolders(): Promise<(folder: string) => boolean> {
    const trusted = await trust.list();
    return (path) => trusted.some(({ folder }) => isWithin(path, folder));
  }

  async function projectParts(
    folders: readonly string[],
    isTrusted: (folder: string) => boolean,
    notices: string[],
  ): Promise<Part[]> {
    const parts: Part[] = [];
    for (const folder of folders.filter(isTrusted)) {
      const path = await firstFile(folder);
      // A link that leads out of the project is refused by the reader.
      if (path !== undefined) parts.push(...(await readPart(folders[0] as string, path, notices)));
    }
    return parts;
  }

  async function firstFile(folder: string): Promise<string | undefined> {
    for (const name of PROJECT_FILES) if (await exists(join(folder, name))) return join(folder, name);
    return undefined;
  }

  async function readPart(root: string, path: string, notices: string[]): Promise<Part[]> {
    const name = root === home ? relative(root, path) : path;
    try {
      const found = await readBeneath(root, relative(root, path), MOST_BYTES);
      if (found?.isCut) notices.push(`${name} is larger than ${MOST_BYTES / 1_024} KiB: only its beginning is read`);
      return found && found.text.trim() !== '' ? [{ name, text: found.text.trim() }] : [];
    } catch (error) {
      notices.push(`${name} is not read: ${(error as Error).message}`);
      return [];
    }
  }

  async function skillPart(isTrusted: boolean, notices: string[], signal: AbortSignal | undefined): Promise<Part[]> {
    const found = await skills({ isTrusted, signal });
    if (found.length === 0) return [];
    const lines = found.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`);
    const { text } = cutTo(lines.join('\n'), SKILL_TOKENS);
    const unnamed = found.length - text.split('\n').length;
    if (unnamed > 0)
      notices.push(
        `${unnamed} of ${found.length} skills are not named to the model: their names and descriptions may have ${SKILL_TOKENS} tokens`,
      );
    const rest = unnamed > 0 ? [`(${unnamed} more: skill_list lists them.)`] : [];
    return [{ name: 'skills', text: ['Skills you can load with skill_load:', text, ...rest].join('\n') }];
  }

  return {
    async read({ workspaceRoot, isOwner, system, signal }) {
      const notices: string[] = [];
      const folders = foldersBetween(await findProjectRoot(workspaceRoot, exists), workspaceRoot);
      const isTrusted = await trustedFolders();
      const own = HOME_FILES.filter((file) => isOwner || file !== 'USER.md').map((file) => join(home, file));
      const homeParts = (await Promise.all(own.map((path) => readPart(home, path, notices)))).flat();
      const project = await projectParts(folders, isTrusted, notices);
      const named = await skillPart(isTrusted(workspaceRoot), notices, signal);
      const given = system === undefined || system.trim() === '' ? [] : [{ name: '--system', text: system.trim() }];
      // The nearest instructions count most, so they are the last to be cut.
      const kept = withinLimit([...given, ...homeParts, ...project.toReversed(), ...named], notices);
      const parts = [...homeParts, ...project, ...named, ...given].flatMap((part) => kept.get(part) ?? []);
      return {
        text: parts.map(({ name, text }) => `<instructions from="${name}">\n${text}\n</instructions>`).join('\n'),
        sources: parts.map(({ name, text }) => ({ name, tokens: estimateTokens(text) })),
        notices,
      };
    },

    async undecided(workspaceRoot) {
      const root = await findProjectRoot(workspaceRoot, exists);
      const isTrusted = await trustedFolders();
      if (isTrusted(root) || (await trust.declined()).includes(root)) return undefined;
      const undecided = foldersBetween(root, workspaceRoot).filter((folder) => !isTrusted(folder));
      const files = (await Promise.all(undecided.map(firstFile))).flatMap((path) => path ?? []);
      return files.length === 0 ? undefined : { folder: root, files: files.map((path) => relative(root, path)) };
    },
  };
}

/** From the project's root down to the workspace, both included. */
function foldersBetween(root: string, workspaceRoot: string): string[] {
  const folders = [workspaceRoot];
  while (folders[0] !== root) folders.unshift(dirname(folders[0] as string));
  return folders;
}

function withinLimit(parts: readonly Part[], notices: string[]): Map<Part, Part> {
  const kept = new Map<Part, Part>();
  let left = INSTRUCTION_TOKENS;
  for (const part of parts) {
    const { text, isCut } = cutTo(part.text, left);
    if (isCut) {
      notices.push(
        text === ''
          ? `${part.name} is left out: instructions may have ${INSTRUCTION_TOKENS} tokens together`
          : `${part.name} is cut: instructions may have ${INSTRUCTION_TOKENS} tokens together`,
      );
    }
    if (text === '') continue;
    left -= estimateTokens(text);
    kept.set(part, { name: part.name, text });
  }
  return kept;
}

/** Whole lines, as many as fit; of one long line its beginning. */
function cutTo(text: string, tokens: number): { text: string; isCut: boolean } {
  if (estimateTokens(text) <= tokens) return { text, isCut: false };
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const newline = text.lastIndexOf('\n', low);
  return { text: wholeCharacters(text.slice(0, newline > low / 2 ? newline : low)).trimEnd(), isCut: true };
}

function firstSentence(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_DESCRIPTION ? `${wholeCharacters(line.slice(0, LONGEST_DESCRIPTION))}…` : line;
}
