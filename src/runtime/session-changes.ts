import { createSessionChanges, type SessionChanges } from '../sessions/session-changes.ts';
import type { Base } from './base.ts';

export function openSessionChanges({ storage, now, newId }: Base): SessionChanges {
  return createSessionChanges({
    ...storage,
    async copyUndo(from, to, turnIds) {
      await (await storage.undoRecords()).copy(from, to, turnIds);
    },
    now,
    newId,
  });
}
