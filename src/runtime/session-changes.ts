import { sessionKeyOf } from '../gateway/chats/session-key-of.ts';
import { createFolders } from '../gateway/console-access/folders.ts';
import { jobSessionKey } from '../gateway/job-turn.ts';
import { forgetKeptMessages } from '../gateway/turns/kept-messages.ts';
import { createDeletions } from '../sessions/deletions.ts';
import { createSessionChanges, type SessionChanges } from '../sessions/session-changes.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import type { Base } from './base.ts';
import type { Services } from './services.ts';

export function openSessionChanges(
  { storage, sessions, mailbox, hub, now, newId }: Base,
  { memory, pastConversations, processes }: Pick<Services, 'memory' | 'pastConversations' | 'processes'>,
): SessionChanges {
  const changes = createSessionChanges({
    ...storage,
    async copyUndo(from, to, turnIds) {
      await (await storage.undoRecords()).copy(from, to, turnIds);
    },
    async forgetSession(sessionId) {
      sessions.forget(sessionId);
      await (await processes()).endSession(sessionId);
      await (await storage.undoRecords()).forgetSession(sessionId);
      await (await storage.agentRuns()).forgetSession(sessionId);
      await (await memory()).as(OWNER).forgetSession(sessionId);
      await (await pastConversations()).forget(sessionId);
    },
    async forgetKey(sessionKey) {
      const [box, jobs] = [await mailbox(), await storage.jobs()];
      for (const chat of await box.chats()) if (sessionKeyOf(chat) === sessionKey) await box.forgetChat(chat, now());
      await (await storage.audit()).forgetSession(sessionKey);
      await createFolders(storage.ownerFiles).forgetSession(sessionKey);
      await forgetKeptMessages(storage.ownerFiles, sessionKey);
      for (const job of await jobs.list()) if (jobSessionKey(job) === sessionKey) await jobs.forgetAnswers(job.name);
    },
    deletions: createDeletions(storage.ownerFiles),
    now,
    newId,
  });

  /** What was said after the turn that a conversation went back to is not remembered; it stays in its transcript. */
  async function forgetRewound(sessionId: string, copyId: string): Promise<void> {
    const kept = new Set<string>();
    for await (const item of sessions.history(copyId))
      if (item.kind === 'turn') for (const { id } of item.turn.messages) kept.add(id);
    await (await memory()).as(OWNER).forgetTurns(sessionId, { except: kept });
    await (await pastConversations()).leaveOut(sessionId);
  }

  return {
    ...changes,
    async fork(request) {
      const forked = await changes.fork(request);
      const isRewound = request.as === request.from.sessionKey && request.source === undefined;
      if (isRewound) await forgetRewound(request.from.sessionId, forked.entry.sessionId);
      return forked;
    },
    async remove(session) {
      const removed = await changes.remove(session);
      // The background may have read the transcript once more before it was removed.
      for (const sessionId of removed) await (await pastConversations()).forget(sessionId);
      hub.forgetSession(session.sessionKey);
      return removed;
    },
  };
}
