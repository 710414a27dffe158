// Files that people sent with a message, for the gateways of other machines: each has a workspace of its own, in which a later turn of the conversation may run.
// The turn that got a file stores it under the conversation; a turn that calls tools elsewhere first puts it into that workspace, at the same path.
import type { Blobs } from '../storage/blobs.ts';
import { StorageError } from '../storage/storage.ts';
import { INBOX, INBOX_OF_OTHERS } from '../vocabulary/received-files.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { ABSENT, type Workspace } from '../workspace/workspace.ts';

export interface SentFiles {
  /** Stores these files of the workspace for turns of the session elsewhere; durable when it resolves. Does nothing where no other machine shares the storage. */
  share(sessionId: string, paths: readonly string[], signal: AbortSignal): Promise<void>;
  /** Puts what the session got on other machines into the workspace. A file that is there, or was brought by this process before, is left as it is. */
  bring(sessionId: string, signal: AbortSignal): Promise<void>;
  /** Why a file of the session could not be brought here; undefined for every other path. */
  problemOf(sessionId: string, path: string): string | undefined;
}

export interface SentFilesDependencies {
  blobs(): Promise<Blobs>;
  workspace: Pick<Workspace, 'openFile' | 'writeFile'>;
}

export function createSentFiles({ blobs, workspace }: SentFilesDependencies): SentFiles {
  const keyOf = (sessionId: string, path: string): string => `${sessionId}/${path}`;
  const brought = new Set<string>();
  const problems = new Map<string, string>();

  async function bringOne(from: Blobs, sessionId: string, path: string, signal: AbortSignal): Promise<void> {
    const key = keyOf(sessionId, path);
    try {
      const content = await from.get(sessionId, path);
      if (!content) return;
      const options = { mode: 'overwrite', createParents: true, expected: ABSENT, signal } as const;
      await workspace.writeFile(path, content, options).catch(orThere);
      problems.delete(key);
      brought.add(key);
    } catch (error) {
      // One that cannot be had must not keep the turn from its other tools: a tool that reads it gets the reason.
      if (!(error instanceof StorageError || error instanceof WorkspaceError)) throw error;
      problems.set(key, error.message);
    }
  }

  return {
    async share(sessionId, paths, signal) {
      const to = await blobs();
      if (!to.isShared) return;
      for (const path of paths) {
        const { handle } = await workspace.openFile(path, signal);
        try {
          await to.put(sessionId, path, await handle.readFile());
        } finally {
          await handle.close();
        }
      }
    },
    async bring(sessionId, signal) {
      const from = await blobs();
      if (!from.isShared) return;
      for (const { name, isOwn } of await from.list(sessionId))
        if (!isOwn && isSent(name) && !brought.has(keyOf(sessionId, name)))
          await bringOne(from, sessionId, name, signal);
    },
    problemOf: (sessionId, path) => problems.get(keyOf(sessionId, path)),
  };
}

function isSent(name: string): boolean {
  return name.startsWith(`${INBOX}/`) || name.startsWith(`${INBOX_OF_OTHERS}/`);
}

/** On a mount that the machines share it is there already. */
function orThere(error: unknown): void {
  if (!(error instanceof WorkspaceError) || error.code !== 'changed') throw error;
}
