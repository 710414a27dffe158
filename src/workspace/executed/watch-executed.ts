// Keeps a command of a tainted turn from leaving something that other programs run or follow. Such files of the workspace are read
// before the command and compared after it, before anybody sees its result: what is new is taken away, what has changed is put back as it
// was, and a copy of what the command left is kept outside the workspace. What a person approved for this command stays, and so does a
// file that the command only moved or copied. Removing one is harmless. Ends when a look finds nothing more.
import { toText } from '../byte-path.ts';
import { type EntryState, entryState, isSameState, splitPath } from '../repositories/git-entries.ts';
import { putBack } from '../repositories/put-back.ts';
import type { LookOptions, PutBackOptions } from '../repositories/watch-repositories.ts';
import { createExecutedFinder, type ExecutedReason } from './find-executed.ts';

const ABSENT: EntryState = { kind: 'absent' };
/** Each look can uncover what the entries put back before have hidden. */
const MOST_LOOKS = 10;

/** Files and links that other programs run or follow, as they were before a command: by byte path relative to the root. */
export type ExecutedStates = ReadonlyMap<string, EntryState>;

export interface ExecutedPutBack extends PutBackOptions {
  /** True for a path, relative to the root, that a person approved, or for what is there now. */
  isApproved(path: string, state: EntryState): boolean;
  /** True for a path that somebody has changed since the command: it is named and stays as it is. */
  isLater?(path: string): boolean;
}

/** Remembers the directories that it has read. */
export interface ExecutedWatcher {
  look(options: LookOptions): Promise<ExecutedStates>;
  /** Once the command has ended, however it ended, or while it runs. Tells what was put back, one line each. */
  putBack(before: ExecutedStates, options: ExecutedPutBack): Promise<string[]>;
}

export function createExecutedWatcher(reasonFor: ExecutedReason): ExecutedWatcher {
  const find = createExecutedFinder(reasonFor);
  return {
    async look({ root, signal, now }) {
      const found = await find(root, { signal, now });
      return new Map(found.map((path) => [path, entryState(root, path)]));
    },
    async putBack(before, { root, now, keptPath, isApproved, isLater = () => false }) {
      const notes = new Set<string>();
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        // A person who cancelled the command must be as safe as one who waited for it.
        const after = await find(root, { signal: new AbortController().signal, now });
        const planted = after.flatMap((path) => {
          const state = entryState(root, path);
          return isPlanted(path, state, before) && !isApproved(toText(path), state) ? [{ path, state }] : [];
        });
        const [later, own] = [
          planted.filter(({ path }) => isLater(path)),
          planted.filter(({ path }) => !isLater(path)),
        ];
        for (const { path, state } of later)
          notes.add(noteOn(path, state, 'may be of that command and was changed after it, so look at it yourself'));
        if (own.length === 0) break;
        for (const { path, state } of own) {
          const done = await putBack({
            root,
            entry: { path, state },
            earlier: before.get(path) ?? ABSENT,
            keptPath,
          }).catch(
            (error: unknown) => `could not be put back, so look at it before you use it (${(error as Error).message})`,
          );
          notes.add(noteOn(path, state, done));
        }
      }
      return [...notes];
    },
  };

  function noteOn(path: string, { kind }: EntryState, done: string): string {
    const text = toText(path);
    return `${text} ${done}: ${reasonFor(text, kind === 'link' ? 'link' : 'file') ?? ''}`;
  }
}

function isPlanted(path: string, state: EntryState, before: ExecutedStates): boolean {
  if (state.kind === 'absent' || state.kind === 'directory') return false;
  const earlier = before.get(path);
  if (earlier === undefined) return !isCopy(path, state, before);
  // What could not be read before cannot be put back.
  if (earlier.kind === 'too-large' || earlier.kind === 'other') return false;
  return !isSameState(earlier, state);
}

/** The person's own file under another directory. */
function isCopy(path: string, state: EntryState, before: ExecutedStates): boolean {
  const [, name] = splitPath(path);
  return [...before].some(([known, earlier]) => splitPath(known)[1] === name && isSameState(earlier, state));
}
