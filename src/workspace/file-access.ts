import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkspaceError, type WorkspaceErrorCode } from '../vocabulary/workspace-error.ts';
import { leadsElsewhere, tooLarge } from './refusal.ts';
import { ABSENT, type Workspace } from './workspace.ts';

/** A larger file cannot be kept for undo, so it is not changed. */
export const LARGEST_KEPT_BYTES = 64 * 1024 * 1024;

export interface WholeFile {
  /** Relative to the root, links resolved. */
  path: string;
  bytes: Buffer;
  mode: number;
  fingerprint: string;
}

/** Reads and restores whole files of a workspace for undo. */
export function createFileAccess(workspace: Workspace, maxBytes: number) {
  return {
    temporaryName,

    async read(path: string): Promise<WholeFile | undefined> {
      const file = await readWholeFile(workspace, path, { maxBytes });
      if (file && file.path !== path) throw leadsElsewhere(path);
      return file;
    },

    async write(
      path: string,
      { bytes, mode }: { bytes: Uint8Array; mode: number },
      expected: { fingerprint: string } | undefined,
      undoId: string,
    ): Promise<void> {
      await workspace.writeFile(path, bytes, {
        mode: 'overwrite',
        createParents: true,
        permissions: mode,
        expected: expected?.fingerprint ?? ABSENT,
        temporaryName: temporaryName(undoId),
      });
    },

    async removeTemporary(path: string, undoId: string): Promise<void> {
      const temporary = join(dirname(path), temporaryName(undoId));
      await workspace.remove(temporary, { kind: 'file' }).catch((error: unknown) => {
        if (!(error instanceof WorkspaceError) || MUST_BE_GONE.has(error.code)) throw error;
      });
    },

    async remove(path: string, expected: { fingerprint: string }): Promise<void> {
      await workspace.remove(path, { kind: 'file', expected: expected.fingerprint });
    },

    async removeEmptyDirectory(path: string): Promise<void> {
      await workspace.remove(path, { kind: 'empty-directory' });
    },
  };
}

/** Failures after which a temporary file may still be there. */
const MUST_BE_GONE: ReadonlySet<WorkspaceErrorCode> = new Set(['no_permission', 'no_space', 'io']);

function temporaryName(undoId: string): string {
  return `.lainclaw-${undoId}.tmp`;
}

/** Undefined when the path does not exist. The fingerprint belongs to the returned bytes. */
export async function readWholeFile(
  workspace: Pick<Workspace, 'openFile'>,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<WholeFile | undefined> {
  const file = await workspace.openFile(path, signal).catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === 'not_found') return undefined;
    throw error;
  });
  if (!file) return undefined;
  try {
    if (file.size > maxBytes) throw tooLarge(file.path, file.size, maxBytes);
    const bytes = await readAll(file.handle, file.size);
    return { path: file.path, bytes, mode: file.mode, fingerprint: file.fingerprint };
  } finally {
    await file.handle.close();
  }
}

/** Allocates once. A file that grew meanwhile has another fingerprint, which is checked when it is used. */
async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, size - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}
