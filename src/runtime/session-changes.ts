import { sessionKeyOf } from '../gateway/chats/session-key-of.ts';
import { jobSessionKey } from '../gateway/job-turn.ts';
import { createDeletions } from '../sessions/deletions.ts';
import { createSessionChanges, type SessionChanges } from '../sessions/session-changes.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import type { Base } from './base.ts';
import type { Services } from './services.ts';

export function openSessionChanges(
  { storage, sessions, mailbox, hub, now, newId }: Base,
  { memory }: Pick<Services, 'memory'>,
): SessionChanges {
  const changes = createSessionChanges({
    ...storage,
    async copyUndo(from, to, turnIds) {
      await (await storage.undoRecords()).copy(from, to, turnIds);
    },
    async forgetSession(sessionId) {
      sessions.forget(sessionId);
      await (await storage.undoRecords()).forgetSession(sessionId);
      await (await storage.agentRuns()).forgetSession(sessionId);
      await (await memory()).as(OWNER).forgetSession(sessionId);
    },
    async forgetKey(sessionKey) {
      const [box, jobs] = [await mailbox(), await storage.jobs()];
      for (const chat of await box.chats()) if (sessionKeyOf(chat) === sessionKey) await box.forgetChat(chat, now());
      for (const job of await jobs.list()) if (jobSessionKey(job) === sessionKey) await jobs.forgetAnswers(job.name);
    },
    deletions: createDeletions(storage.ownerFiles),
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
