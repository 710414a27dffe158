import { WorkspaceError } from '../../vocabulary/workspace-error.ts';
import { LARGEST_KEPT_BYTES, readWholeFile, type WholeFile } from '../../workspace/file-access.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** A file that is about to be taken away: whole, and small enough for undo to keep. */
export async function readKept(path: string, { workspace, signal }: ToolContext): Promise<WholeFile> {
  await workspace.locate(path, signal).catch(orToolFailure);
  const file = await readWholeFile(workspace, path, { maxBytes: LARGEST_KEPT_BYTES, signal }).catch(orTooLargeForUndo);
  if (!file) throw new ToolFailure(`No such file: ${path}`);
  return file;
}

export function orTooLargeForUndo(error: unknown): never {
  if (!(error instanceof WorkspaceError) || error.code !== 'too_large') return orToolFailure(error);
  const message = `${error.message}: it could not be kept for undo, so it is not changed; move it away first`;
  throw new ToolFailure(message, { reason: 'limit', cause: error });
}
