import { createSessionChanges, type SessionChanges } from '../sessions/session-changes.ts';
import type { Base } from './base.ts';
import type { Services } from './services.ts';

export function openSessionChanges(
  { storage, hub, now, newId }: Base,
  { memory }: Pick<Services, 'memory'>,
): SessionChanges {
  const changes = createSessionChanges({
    ...storage,
    async copyUndo(from, to, turnIds) {
      await (await storage.undoRecords()).copy(from, to, turnIds);
    },
    async forgetSession(sessionId) {
      await (await storage.undoRecords()).forgetSession(sessionId);
      await (await storage.agentRuns()).forgetSession(sessionId);
      await (await memory()).forgetSession(sessionId);
    },
    now,
    newId,
  });
  return {
    ...changes,
    async remove(session) {
      const removed = await changes.remove(session);
      hub.forgetSession(session.sessionKey);
      return removed;
    },
  };
}
