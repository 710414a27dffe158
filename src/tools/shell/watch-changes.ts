// What a command changes in the workspace, for undo: small files are kept in memory before it runs, and afterwards those whose
// identity, size, mode or times are different are told with both contents. Ripgrep lists the files: all but installed packages and
// caches where they are few enough, otherwise without what ignore files name. Where also those are too many, nothing is kept
// and that is said. The bounds keep it to some 30 µs of processor time a file, before and after together.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { FileChange } from '../../storage/undo-records.ts';
import { markOf, readSmall, type SmallFile } from '../../workspace/read-many.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { HidesPath } from '../permissions/hidden-paths.ts';
import { findRipgrep } from '../search/program.ts';
import { ripgrep, withoutRoot } from '../search/ripgrep.ts';

const MOST_FILES = 4_000;
const LARGEST_BYTES = 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
/** Between them others get their turn. */
const BATCH = 250;

/** Made by tools, from what is kept elsewhere. */
const NEVER_KEPT = ['.git', 'node_modules', 'bower_components', '.venv', 'venv', '__pycache__', '.cache', '.tox'];

export interface CommandChanges {
  changes: FileChange[];
  /** Why undo cannot put back everything; undefined when it can. */
  notCovered?: string;
}

export interface ChangeWatch {
  /** Once the command has ended, however it ended. */
  finish(): Promise<CommandChanges>;
}

interface Kept {
  /** Absent: too large to be kept. */
  file?: SmallFile;
  mark: string;
}

export async function watchChanges(
  workspace: Workspace,
  { hides = () => false, signal }: { hides?: HidesPath; signal: AbortSignal },
): Promise<ChangeWatch> {
  const { root } = workspace;
  if (workspace.guarantee !== 'descriptor-walk')
    return unwatched('this system gives no way to read many files safely at once');
  const listing = await listFiles(workspace, hides, signal);
  if (!listing) return unwatched(`the workspace has more than ${MOST_FILES} files`);
  const before = new Map<string, Kept>();
  let room = MOST_BYTES;
  for (const [index, path] of listing.paths.entries()) {
    if (index % BATCH === BATCH - 1) await nextRound(undefined, { signal });
    const file = readSmall(root, path, Math.min(room, LARGEST_BYTES));
    const mark = file?.mark ?? markOf(root, path)?.mark;
    if (mark === undefined) continue;
    room -= file?.bytes.length ?? 0;
    before.set(path, { mark, ...(file && { file }) });
  }

  return {
    async finish() {
      // Whoever cancelled the command still wants to know what it has done.
      const after = await listFiles(workspace, hides, AbortSignal.timeout(10_000), listing.flags);
      const changes: FileChange[] = [];
      const lost: string[] = [];
      let left = MOST_BYTES;
      const paths = new Set([...before.keys(), ...(after?.paths ?? [])]);
      for (const path of paths) {
        const known = before.get(path);
        const now = markOf(root, path);
        if (known?.mark === now?.mark) continue;
        const made = now && readSmall(root, path, Math.min(left, LARGEST_BYTES));
        if ((known && !known.file) || (now && !made)) {
          lost.push(path);
          continue;
        }
        left -= made?.bytes.length ?? 0;
        // Only touched: nothing to put back.
        if (known?.file && made && known.file.mode === made.mode && known.file.bytes.equals(made.bytes)) continue;
        changes.push({ tool: 'bash', path, before: known?.file, after: made, madeDirectories: [] });
      }
      return { changes: withDirectories(changes, before), ...whyNot(lost, after === undefined) };
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

interface Listed {
  paths: string[];
  flags: readonly string[];
}

const EVERYTHING = ['--no-ignore', ...NEVER_KEPT.map((name) => `--glob=!${name}`)];
const NOT_IGNORED = ['--no-require-git', ...NEVER_KEPT.map((name) => `--glob=!${name}`)];

/** Undefined when there are too many. */
async function listFiles(
  workspace: Workspace,
  hides: HidesPath,
  signal: AbortSignal,
  chosen?: readonly string[],
): Promise<Listed | undefined> {
  for (const flags of chosen ? [chosen] : [EVERYTHING, NOT_IGNORED]) {
    const paths: string[] = [];
    const held = await workspace.hold('.', signal);
    try {
      await ripgrep({
        held,
        flags: ['--files', '--null', '--hidden', ...flags],
        signal,
        program: findRipgrep,
        separator: '\0',
        onRecord(record) {
          const path = withoutRoot(record);
          // A name that is no text cannot be told to anyone; one that is hidden cannot change.
          if (!path.includes('\uFFFD') && !hides(path)) paths.push(path);
          return paths.length <= MOST_FILES;
        },
      });
    } finally {
      held.release();
    }
    if (paths.length <= MOST_FILES) return { paths, flags };
  }
  return undefined;
}
