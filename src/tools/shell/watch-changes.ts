// What a command changes in the workspace, for undo: small files are kept in memory before it runs, and afterwards those whose
// identity, size, mode or times are different are reported with both contents. All files but installed packages and caches are listed
// where they are few enough, otherwise those that ignore files do not name. Where also those are too many, nothing is kept and
// that is said. What was read for the command before is read again only where it has changed.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { FileChange } from '../../storage/undo-records.ts';
import { isSameMark, isSettled, type Mark, markOf, readSmall, type SmallFile } from '../../workspace/read-many.ts';
import { createDirectoryWalker, type WalkDirectories, type WalkedWorkspace } from '../../workspace/walk-directories.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { HidesPath } from '../permissions/hides-path.ts';
import { findRipgrep } from '../search/program.ts';
import { ripgrep, withoutRoot } from '../search/ripgrep.ts';
import { KEPT_FILES } from './kept-files.ts';

const MOST_FILES = KEPT_FILES.most;
const LARGEST_BYTES = 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
/** Between them others get their turn. */
const BATCH = 250;

/** So much of the contents stays in memory for the next command, which often follows soon. */
const KEPT_BYTES = 8 * 1024 * 1024;
const KEPT_FOR_MS = 30_000;

export interface CommandChanges {
  changes: FileChange[];
  /** Why undo cannot put back everything; undefined when it can. */
  notCovered?: string;
}

export interface ChangeWatch {
  /** Once the command has ended, however it ended. `walked`: what was found since then. */
  finish(walked?: WalkedWorkspace): Promise<CommandChanges>;
}

interface Kept {
  /** Absent: too large to be kept. */
  file?: SmallFile;
  mark: Mark;
  /** When it was read, its last change lay long enough back that a later one shows in its mark. */
  isSettled: boolean;
}

export interface WatchOptions {
  hides?: HidesPath;
  signal: AbortSignal;
  now(): number;
  /** See Sandbox. */
  isOwn?(path: string): boolean;
  /** What somebody else finds right now, with the files of `KEPT_FILES`. */
  walking?: Promise<WalkedWorkspace | undefined>;
}

export interface ChangeWatcher {
  watch(workspace: Workspace, options: WatchOptions): Promise<ChangeWatch>;
}

/**
 * What it has read before is read again only where a file's mark has changed, or had changed so shortly before that a later change
 * could have left the same mark.
 */
export function createChangeWatcher(): ChangeWatcher {
  const walk = createDirectoryWalker({ files: KEPT_FILES, onlyListed: true });
  let known: { root: string; files: ReadonlyMap<string, Kept> } | undefined;
  let forgetting: NodeJS.Timeout | undefined;

  function remember(root: string, files: ReadonlyMap<string, Kept>): void {
    clearTimeout(forgetting);
    const bytes = files.values().reduce((total, { file }) => total + (file?.bytes.length ?? 0), 0);
    known = bytes > KEPT_BYTES ? undefined : { root, files };
    forgetting = setTimeout(() => {
      known = undefined;
    }, KEPT_FOR_MS);
    forgetting.unref();
  }

  function read(root: string, path: string, maxBytes: number, now: number): Kept | undefined {
    const mark = markOf(root, path);
    const before = known?.root === root ? known.files.get(path) : undefined;
    if (before?.file && isSameMark(before.mark, mark) && before.isSettled && before.file.bytes.length <= maxBytes)
      return before;
    const file = mark === undefined ? undefined : readSmall(root, path, maxBytes);
    if (file) return { file, mark: file.mark, isSettled: isSettled(file.mark, now) };
    return mark === undefined ? undefined : { mark, isSettled: false };
  }

  return {
    async watch(workspace, { hides = () => false, signal, now, isOwn, walking }) {
      const { root } = workspace;
      if (workspace.guarantee !== 'descriptor-walk')
        return unwatched('this system gives no way to read many files safely at once');
      const listing = await listFiles(workspace, { hides, signal, now, isOwn, walk, walked: await walking });
      if (!listing) return unwatched(`the workspace has more than ${MOST_FILES} files`);
      const before = new Map<string, Kept>();
      let room = MOST_BYTES;
      for (const [index, path] of listing.paths.entries()) {
        if (index % BATCH === BATCH - 1) await nextRound(undefined, { signal });
        const kept = read(root, path, Math.min(room, LARGEST_BYTES), now());
        if (!kept) continue;
        room -= kept.file?.bytes.length ?? 0;
        before.set(path, kept);
      }
      return {
        async finish(walked) {
          // The person who cancelled the command still wants to know what it has done.
          const patience = AbortSignal.timeout(10_000);
          const looking = { hides, signal: patience, now, isOwn, walk, walked };
          const after = await listFiles(workspace, looking, listing.way);
          const changes: FileChange[] = [];
          const lost: string[] = [];
          const files = new Map(before);
          let left = MOST_BYTES;
          const added = after?.paths.filter((path) => !before.has(path)) ?? [];
          for (const path of [...before.keys(), ...added]) {
            const earlier = before.get(path);
            const mark = markOf(root, path);
            if (isSameMark(earlier?.mark, mark)) continue;
            files.delete(path);
            const made = mark === undefined ? undefined : readSmall(root, path, Math.min(left, LARGEST_BYTES));
            if ((earlier && !earlier.file) || (mark !== undefined && !made)) {
              lost.push(path);
              continue;
            }
            left -= made?.bytes.length ?? 0;
            if (made) files.set(path, { file: made, mark: made.mark, isSettled: isSettled(made.mark, now()) });
            // Only touched: nothing to put back.
            if (earlier?.file && made && earlier.file.mode === made.mode && earlier.file.bytes.equals(made.bytes))
              continue;
            changes.push({ tool: 'bash', path, before: earlier?.file, after: made, madeDirectories: [] });
          }
          remember(root, files);
          return { changes: withDirectories(changes, before), ...whyNot(lost, after === undefined) };
        },
      };
    },
  };
}

export function unwatched(reason: string): ChangeWatch {
  return { finish: async () => ({ changes: [], notCovered: reason }) };
}

function whyNot(lost: readonly string[], tooMany: boolean): { notCovered?: string } {
  if (tooMany) return { notCovered: `the command left more than ${MOST_FILES} files` };
  if (lost.length === 0) return {};
  const shown = lost.slice(0, 5).join(', ') + (lost.length > 5 ? `, and ${lost.length - 5} more` : '');
  return { notCovered: `too large to be kept: ${shown}` };
}

/** A directory that had no file before is taken away with its files, when nothing else is in it. */
function withDirectories(changes: readonly FileChange[], before: ReadonlyMap<string, Kept>): FileChange[] {
  if (changes.length === 0) return [];
  const known = new Set([...before.keys()].flatMap(parentsOf));
  return changes.map((change) => {
    if (change.before) return change;
    const madeDirectories = parentsOf(change.path).filter((parent) => !known.has(parent));
    for (const parent of madeDirectories) known.add(parent);
    return { ...change, madeDirectories };
  });
}

/** Outermost first. */
function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** How files are listed, which must be the same before and after. */
type Way = 'everything' | 'not-ignored';

interface Listed {
  paths: string[];
  way: Way;
}

interface Looking extends Pick<WatchOptions, 'signal' | 'now' | 'isOwn'> {
  hides: HidesPath;
  walk: WalkDirectories;
  /** Without it the workspace is walked. */
  walked: WalkedWorkspace | undefined;
}

/** Undefined when there are too many. */
async function listFiles(
  workspace: Workspace,
  { hides, signal, now, isOwn, walk, walked }: Looking,
  chosen?: Way,
): Promise<Listed | undefined> {
  // A name that is not text cannot be shown to anybody; a hidden file cannot change.
  const isWatched = (path: string): boolean => !path.includes('\uFFFD') && !hides(path);
  for (const way of chosen ? [chosen] : (['everything', 'not-ignored'] as const)) {
    const paths =
      way === 'everything'
        ? (walked ?? (await walk(workspace.root, { signal, now, isOwn }))).files?.filter(isWatched)
        : await listNotIgnored(workspace, isWatched, signal);
    if (paths) return { paths, way };
  }
  return undefined;
}

/** Without what ignore files name, which only ripgrep can tell. */
async function listNotIgnored(
  workspace: Workspace,
  isWatched: (path: string) => boolean,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const paths: string[] = [];
  const held = await workspace.hold('.', signal);
  try {
    await ripgrep({
      held,
      flags: [
        '--files',
        '--null',
        '--hidden',
        '--no-require-git',
        ...[...KEPT_FILES.notBelow].map((name) => `--glob=!${name}`),
      ],
      signal,
      program: findRipgrep,
      separator: '\0',
      onRecord(record) {
        const path = withoutRoot(record);
        if (isWatched(path)) paths.push(path);
        return paths.length <= MOST_FILES;
      },
    });
  } finally {
    held.release();
  }
  return paths.length <= MOST_FILES ? paths : undefined;
}
