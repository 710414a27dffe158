// What the console keeps: who may use it, files that were uploaded, folders of conversations, and messages to turns. Each is loaded when it is first used.
import { join } from 'node:path';
import type { ConsoleAccess } from '../gateway/console-access/console-access.ts';
import type { Folders } from '../gateway/console-access/folders.ts';
import type { OpenKeptMessages } from '../gateway/turns/kept-messages.ts';
import type { Uploads } from '../gateway/uploads/uploads.ts';
import { lazily } from '../lib/lazily.ts';
import type { Base } from './base.ts';

export interface ConsoleStores {
  /** Who may use the console. */
  consoleAccess(): Promise<ConsoleAccess>;
  /** Files that were uploaded for a turn. */
  uploads(): Promise<Uploads>;
  /** Folders of conversations. */
  folders(): Promise<Folders>;
  /** Keeps messages to turns until they are part of the conversation. */
  keptMessages: OpenKeptMessages;
}

export function createConsoleStores({ storage, sessions, hub, environment, now, newId }: Base): ConsoleStores {
  const { ownerFiles: files, locks } = storage;
  return {
    consoleAccess: lazily(async () => {
      const { createConsoleAccess } = await import('../gateway/console-access/console-access.ts');
      return createConsoleAccess({ files, now });
    }),
    uploads: lazily(async () => {
      const { createUploads } = await import('../gateway/uploads/uploads.ts');
      return createUploads({ folder: join(environment.home, 'service', 'uploads'), now, blobs: await storage.blobs() });
    }),
    folders: async () => (await import('../gateway/console-access/folders.ts')).createFolders(files),
    async keptMessages(asking) {
      const { createKeptMessages } = await import('../gateway/turns/kept-messages.ts');
      return createKeptMessages({ ...asking, hub, files, locks, isInConversation: sessions.isInConversation, newId });
    },
  };
}
