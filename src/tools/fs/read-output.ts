// A kept output, read by the path that a result named. Only the session's own are opened.
import { StorageError } from '../../storage/storage.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { type ToolContext, ToolFailure, type ToolOutput } from '../tool.ts';

/** Undefined for every other path. */
export async function openOutput(path: string, { openKept }: ToolContext): Promise<OpenedFile | undefined> {
  if (!path.startsWith('/')) return undefined;
  const handle = await openKept?.(path).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    throw new ToolFailure(error.message, { cause: error });
  });
  if (!handle) return undefined;
  const { size, mode, ctimeMs } = await handle.stat();
  return { handle, path, size, mode: mode & 0o777, changedAt: ctimeMs, fingerprint: '' };
}

/** Nobody knows any more whether the result was of content from outside. */
export function taintedOutput(output: ToolOutput, path: string): ToolOutput {
  return { ...output, meta: { ...output.meta, tainted: true, taintedBy: [taintSource('file', path)] } };
}
