// Keeps a command of a tainted turn from leaving something that other programs run or follow. Such files of the workspace are read
// before the command and compared after it, before anybody sees its result: what is new is taken away, what has changed is put back as it
// was, and a copy of what the command left is kept outside the workspace. What a person approved for this command stays, and so does a
// file that the command only moved or copied. Removing one is harmless. Ends when a look finds nothing more.
import { toText } from '../byte-path.ts';
import { type EntryState, entryState, isSameState, splitPath } from '../repositories/git-entries.ts';
import { putBack } from '../repositories/put-back.ts';
import { createExecutedFinder, type ExecutedReason } from './find-executed.ts';

const ABSENT: EntryState = { kind: 'absent' };
/** Each look can uncover what the entries put back before have hidden. */
const MOST_LOOKS = 10;

export interface ExecutedWatch {
  /** Once the command has ended, however it ended. Tells what was put back, one line each. */
  finish(): Promise<string[]>;
}

export interface ExecutedWatchOptions {
  /** Absolute and without links. */
  root: string;
  signal: AbortSignal;
  now(): number;
  /** A new path outside the workspace, for a file that is taken away. */
  keptPath(name: string): Promise<string>;
  /** True for a path, relative to the root, that a person approved. */
  isApproved(path: string): boolean;
}

export type WatchExecuted = (options: ExecutedWatchOptions) => Promise<ExecutedWatch>;

/** Remembers the directories that it has read. */
export function createExecutedWatcher(reasonFor: ExecutedReason): WatchExecuted {
  const find = createExecutedFinder(reasonFor);
  return async ({ root, signal, now, keptPath, isApproved }) => {
    const found = await find(root, { signal, now });
    const before = new Map(found.map((path) => [path, entryState(root, path)]));

    async function undo(path: string, state: EntryState): Promise<string> {
      const earlier = before.get(path) ?? ABSENT;
      const done = await putBack({ root, entry: { path, state }, earlier, keptPath }).catch(
        (error: unknown) => `could not be put back, so look at it before you use it (${(error as Error).message})`,
      );
      const text = toText(path);
      return `${text} ${done}: ${reasonFor(text, state.kind === 'link' ? 'link' : 'file') ?? ''}`;
    }

    return {
      async finish() {
        const notes = new Set<string>();
        for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
          // A person who cancelled the command must be as safe as one who waited for it.
          const after = await find(root, { signal: new AbortController().signal, now });
          const planted = after.flatMap((path) => {
            const state = entryState(root, path);
            return isPlanted(path, state, before) && !isApproved(toText(path)) ? [{ path, state }] : [];
          });
          if (planted.length === 0) break;
          for (const { path, state } of planted) notes.add(await undo(path, state));
        }
        return [...notes];
      },
    };
  };
}

function isPlanted(path: string, state: EntryState, before: ReadonlyMap<string, EntryState>): boolean {
  if (state.kind === 'absent' || state.kind === 'directory') return false;
  const earlier = before.get(path);
  if (earlier === undefined) return !isCopy(path, state, before);
  // What could not be read before cannot be put back.
  if (earlier.kind === 'too-large' || earlier.kind === 'other') return false;
  return !isSameState(earlier, state);
}

/** The person's own file under another directory. */
function isCopy(path: string, state: EntryState, before: ReadonlyMap<string, EntryState>): boolean {
  const [, name] = splitPath(path);
  return [...before].some(([known, earlier]) => splitPath(known)[1] === name && isSameState(earlier, state));
}
