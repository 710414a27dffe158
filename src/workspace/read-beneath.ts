import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { createWorkspace } from './confined.ts';

/**
 * Reads the beginning of a text file below a folder, as much as `limit` bytes. Undefined when there is none. Rejects with
 * WorkspaceError when the path leads out of the folder or is not a regular file.
 */
export async function readBeneath(
  folder: string,
  path: string,
  limit: number,
): Promise<{ text: string; isCut: boolean } | undefined> {
  try {
    const { handle, size } = await (await createWorkspace({ root: folder })).openFile(path);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, limit)), 0, Math.min(size, limit), 0);
      return { text: buffer.subarray(0, bytesRead).toString('utf8').toWellFormed(), isCut: size > limit };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
