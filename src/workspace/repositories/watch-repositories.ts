// Keeps git from being a way out of the sandbox. Git runs what the files of a repository tell it to, and a command can make a
// repository of any directory. So the repositories of the workspace are looked at before a command and after it, before its
// result is reported: a new or changed setting, hook or link by which git would run something on the host is put back as it was, or
// taken away where it is new. A new repository is left alone as long as git runs nothing because of it, so that `git init`,
// `clone` and `worktree` work. Ends when a look finds nothing more to put back.
import { realpathSync } from 'node:fs';
import { toBytePath, toSystem, toText } from '../byte-path.ts';
import { createDirectoryWalker, type WalkedWorkspace, type WalkOptions } from '../walk-directories.ts';
import {
  type EntryState,
  entriesOfRepository,
  entryState,
  type GitEntry,
  isSameState,
  splitPath,
  textOf,
} from './git-entries.ts';
import { entriesOfNamed, type NamedFiles, namedFiles } from './named-files.ts';
import { putBack } from './put-back.ts';
import { riskySettings } from './risky-settings.ts';

const ABSENT: EntryState = { kind: 'absent' };
/** Each look can uncover what the entries put back before have hidden. */
const MOST_LOOKS = 10;

/** What git would obey in a workspace, as it was before a command. */
export interface RepositoryStates {
  /** By byte path relative to the root. */
  states: ReadonlyMap<string, EntryState>;
  /** The repositories that were there. */
  repositories: ReadonlySet<string>;
  named: NamedFiles;
}

export interface LookOptions extends WalkOptions {
  /** Absolute and without links. */
  root: string;
  /** Called with what each walk has found. */
  onWalked?(workspace: WalkedWorkspace): void;
}

export interface PutBackOptions extends Omit<LookOptions, 'signal'> {
  /** A new path outside the workspace, for a file that is taken away. */
  keptPath(name: string): Promise<string>;
}

export interface RepositoryWatcher {
  /** `userHome`: where the person's settings of git are. */
  look(options: LookOptions & { userHome: string }): Promise<RepositoryStates>;
  /** Once the command has ended, however it ended, or while it runs. Tells what was put back, one line each. */
  putBack(before: RepositoryStates, options: PutBackOptions): Promise<string[]>;
}

export function createRepositoryWatcher(walk = createDirectoryWalker()): RepositoryWatcher {
  return {
    async look({ root, userHome, onWalked, ...options }) {
      const places = await walk(root, options);
      onWalked?.(places);
      const { entries, repositories } = look(root, places);
      const named = namedFiles(root, entries, userHome);
      const known = [...entries, ...entriesOfNamed(root, named)];
      return { states: new Map(known.map(({ path, state }) => [path, state])), repositories, named };
    },
    async putBack(before, { root, keptPath, onWalked, ...options }) {
      const notes = new Set<string>();
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        // A person who cancelled the command must be as safe as one who waited for it.
        const places = await walk(root, { ...options, signal: new AbortController().signal });
        onWalked?.(places);
        const risks = findRisks({ root, places, before });
        if (risks.length === 0) break;
        const byPath = new Map(risks.map((risk) => [risk.entry.path, risk]));
        for (const { entry, reason } of byPath.values()) {
          const earlier = before.states.get(entry.path) ?? ABSENT;
          const done = await putBack({ root, entry, earlier, keptPath }).catch(
            (error: unknown) => `could not be put back, so run no git there (${(error as Error).message})`,
          );
          notes.add(`${toText(entry.path)} ${done}: ${reason}`);
        }
      }
      return [...notes];
    },
  };
}

interface Look {
  entries: GitEntry[];
  repositories: ReadonlySet<string>;
}

/** The entries of every repository that git would find, and of those that they lead to. */
function look(root: string, { repositories, links }: WalkedWorkspace): Look {
  const entries: GitEntry[] = links.map((path) => ({ role: 'git-link', path, state: entryState(root, path) }));
  const queue = new Set([...repositories, ...entries.flatMap((entry) => targetOf(root, entry) ?? [])]);
  // A set that grows while it is read is read to its end.
  for (const repository of queue) {
    for (const entry of entriesOfRepository(root, repository)) {
      entries.push(entry);
      const next = entry.role === 'commondir' ? targetOf(root, entry) : undefined;
      if (next !== undefined) queue.add(next);
    }
  }
  return { entries, repositories: queue };
}

interface Risk {
  entry: GitEntry;
  reason: string;
}

interface FindRisks {
  root: string;
  places: WalkedWorkspace;
  before: RepositoryStates;
}

/** What must be put back now: links first, because without them a directory may not be a repository at all. */
function findRisks({ root, places, before: { states, repositories, named } }: FindRisks): Risk[] {
  const entries = [...look(root, places).entries, ...entriesOfNamed(root, named)];
  const risks = entries.flatMap((entry): Risk[] => {
    const earlier = states.get(entry.path) ?? ABSENT;
    if (isSameState(earlier, entry.state)) return [];
    const reason = isLink(entry) ? linkRisk(root, entry, places) : changeRisk(entry, earlier);
    return reason === undefined ? [] : [{ entry, reason }];
  });
  const links = risks.filter(({ entry }) => isLink(entry));
  return links.length > 0 ? links : risks.map((risk) => atHead(risk, entries, repositories));
}

/** A directory that was made to look like a repository may hold files of the person's: its HEAD is what makes it one. */
function atHead({ entry, reason }: Risk, entries: readonly GitEntry[], known: ReadonlySet<string>): Risk {
  const repository = splitPath(entry.path.replace(/\/hooks\/[^/]*$|^hooks\/[^/]*$/, '/hooks'))[0];
  const head = entries.find(({ role, path }) => role === 'head' && splitPath(path)[0] === repository);
  const isBare = splitPath(repository)[1].toLowerCase() !== '.git';
  if (!head || head.state.kind === 'absent' || !isBare || known.has(repository)) return { entry, reason };
  return { entry: head, reason: `with ${toText(entry.path)}, ${reason}` };
}

function isLink({ role }: GitEntry): boolean {
  return role === 'git-link' || role === 'commondir';
}

function linkRisk(root: string, entry: GitEntry, { repositories }: WalkedWorkspace): string | undefined {
  if (entry.state.kind === 'absent' || entry.state.kind === 'directory') return undefined;
  const target = targetOf(root, entry);
  if (target !== undefined && repositories.includes(target)) return undefined;
  return 'it leads git to something that is not a repository of the workspace';
}

/** The byte path of the directory that a `.git` entry or a commondir leads to; undefined outside the workspace, or when there is none. */
function targetOf(root: string, { role, path, state }: GitEntry): string | undefined {
  const text = state.kind === 'file' ? state.bytes.toString('latin1').replace(/[\r\n]+$/, '') : undefined;
  const named = role === 'commondir' ? text : text?.replace(/^gitdir:\s*/, '');
  // A link in the place of a commondir leads to a file, which another write can change.
  const target = role === 'git-link' && state.kind === 'link' ? state.target : named;
  if (target === undefined || target === '') return undefined;
  const base = toBytePath(root);
  const [parent] = splitPath(path);
  try {
    const real = realpathSync(toSystem(target.startsWith('/') ? target : `${base}/${parent}/${target}`), 'latin1');
    if (real === base) return '';
    return real.startsWith(`${base}/`) ? real.slice(base.length + 1) : undefined;
  } catch {
    return undefined;
  }
}

/** Why git would run something because of the change; undefined when it would not. */
function changeRisk({ role, state }: GitEntry, earlier: EntryState): string | undefined {
  if (role === 'head') {
    const isGone = state.kind === 'absent' && earlier.kind !== 'absent';
    return isGone ? 'without it git takes another directory for the repository' : undefined;
  }
  if (state.kind === 'absent' || state.kind === 'directory') return undefined;
  if (role === 'hook') return 'git on the host would run this hook';
  if (role === 'program') return 'git on the host would run it, because its settings name it';
  if (role === 'hooks') return 'git on the host would run hooks from elsewhere';
  if (state.kind !== 'file') return 'git on the host would take its settings from elsewhere';
  const known = new Set(riskySettings(textOf(earlier)));
  const added = riskySettings(textOf(state)).filter((setting) => !known.has(setting));
  return added.length > 0 ? `git on the host could run a program because of ${nameSettings(added)}` : undefined;
}

function nameSettings(settings: readonly string[]): string {
  const names = settings.map((setting) => setting.replace(/=.*$/s, ''));
  return names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
}
