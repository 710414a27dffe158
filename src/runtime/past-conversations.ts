// The index of past conversations for one process. It is loaded where it is used; the end of a turn only sets a timer, so that a command that
// ends with its answer never pays for it. Each further turn sets the timer again: turns come first, and what many of them said is
// indexed at once. A process that is never quiet indexes all the same, now and then.
import { lazily } from '../lib/lazily.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import type { PastConversations } from '../memory/past-conversations.ts';
import type { Base } from './base.ts';

/** After the end of a turn: by then a one-shot command has ended. */
const WAKE_AFTER_MS = 3_000;
/** How long turns that follow each other can put it off. A search brings the index up to date itself. */
const LONGEST_DELAY_MS = 60_000;

export interface OpenPastConversations {
  pastConversations(): Promise<PastConversations>;
  /** Something was said: the index is brought up to date in the background when this process is still there in a while. */
  wakePastConversations(): void;
  close(): Promise<void>;
}

export function openPastConversations({ storage, now, newId, systemTimezone }: Base): OpenPastConversations {
  let timer: NodeJS.Timeout | undefined;
  let firstWokenAt = 0;
  let isClosed = false;
  const pastConversations = lazily(async () => {
    const [{ createPastConversations }, { conversationIdentity, pastTurns }, index] = await Promise.all([
      import('../memory/past-conversations.ts'),
      import('../sessions/past-messages.ts'),
      storage.historyIndex(),
    ]);
    const { transcripts, locks } = storage;
    return createPastConversations({
      index,
      source: {
        list: transcripts.list,
        revision: transcripts.revision,
        isContinued: transcripts.isContinued,
        identity: (sessionId) => conversationIdentity(transcripts, sessionId),
        turns: (sessionId, after) => pastTurns(transcripts, sessionId, after),
      },
      locks,
      now,
      timezone: systemTimezone,
      newId,
    });
  });
  return {
    pastConversations,
    wakePastConversations() {
      if (isClosed) return;
      if (timer) {
        if (monotonicMs() - firstWokenAt < LONGEST_DELAY_MS) timer.refresh();
        return;
      }
      firstWokenAt = monotonicMs();
      timer = setTimeout(() => {
        timer = undefined;
        // What goes wrong here is said where somebody searches.
        void pastConversations().then(
          (past) => past.wake(),
          () => {},
        );
      }, WAKE_AFTER_MS).unref();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      (await pastConversations.made()?.catch(() => undefined))?.close();
    },
  };
}
