// How a tool changes a file: on record for undo first, then written, then remembered as seen.
import { counted } from '../../lib/counted.ts';
import { StorageError } from '../../storage/storage.ts';
import { unifiedDiff } from '../../undo/unified-diff.ts';
import type { WholeFile } from '../../workspace/file-access.ts';
import { ABSENT, type Written } from '../../workspace/workspace.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { seenNow } from './seen.ts';

const DIFF_CHARS = 12_000;

export interface PlannedChange {
  tool: string;
  /** As it was given. */
  path: string;
  /** Relative to the workspace, links resolved. */
  resolved: string;
  before: WholeFile | undefined;
  after: Buffer;
  /** What is given to the workspace: the whole, or what is added to its end. */
  write: { mode: 'overwrite' | 'append'; bytes: Uint8Array };
  maxBytes: number;
}

export async function changeFile(change: PlannedChange, context: ToolContext): Promise<Written> {
  const { tool, path, before, after, write, maxBytes } = change;
  const { workspace, changes, seen, now, signal } = context;
  const written = await workspace
    .writeFile(path, write.bytes, {
      mode: write.mode,
      createParents: true,
      expected: before?.fingerprint ?? ABSENT,
      maxBytes,
      signal,
      // The mode of a new file is the umask's to decide; undoing it needs none.
      beforeReplacing: ({ path: resolved, madeDirectories }) =>
        changes
          .record({
            tool,
            path: resolved,
            before,
            after: { bytes: after, mode: before?.mode ?? 0o644 },
            madeDirectories,
          })
          .catch(orUnrecorded),
    })
    .catch(orToolFailure);
  // The change is made: a note that is lost only asks for another look before the next one.
  const shown = await seenNow(written.fingerprint, after.length, now(), after);
  await seen.note(written.path, shown).catch(() => {});
  return written;
}

/** What a person is shown is what they permit: a file that changes before the answer is then refused as stale. */
export async function notePreviewed({ resolved, before }: PlannedChange, { seen, now }: ToolContext): Promise<void> {
  const { fingerprint, bytes } = before ?? { fingerprint: ABSENT, bytes: Buffer.alloc(0) };
  await seen.note(resolved, await seenNow(fingerprint, bytes.length, now(), bytes)).catch(() => {});
}

/** Without `after`, the file is deleted. */
export function diffOf({
  resolved,
  before,
  after,
}: Pick<PlannedChange, 'resolved' | 'before'> & { after: Buffer | undefined }): ReturnType<typeof unifiedDiff> {
  return unifiedDiff({ path: resolved, before: before?.bytes, after, maxChars: DIFF_CHARS });
}

/** Other names of the same file are outside the workspace's promise: they are reported, not followed. */
export function linkNote({ previous }: Written): string {
  const others = (previous?.links ?? 1) - 1;
  return others > 0 ? `\nIt had ${counted(others, 'other name')} (hard links): the old content stays there.` : '';
}

export function checkText(text: string, parameter: string): void {
  if (text.isWellFormed()) return;
  throw new ToolFailure(`"${parameter}" holds half of a surrogate pair, which is not text`, { code: 'invalid_args' });
}

export function orUnrecorded(error: unknown): never {
  if (!(error instanceof StorageError)) throw error;
  throw new ToolFailure(`nothing was changed, because it could not be recorded for undo: ${error.message}`, {
    cause: error,
  });
}
