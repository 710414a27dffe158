// Messages that show the progress of a turn which nobody will end: its messages were done with (somebody stopped it), and its process
// was killed before the message said so. They would show work going on for ever.
import type { Mailbox } from '../../storage/mailbox.ts';
import type { BotKey } from '../../vocabulary/chat-name.ts';
import type { FindChannel } from './chat.ts';
import { type ChoicesStore, readChoices } from './choices.ts';
import { draftsOf } from './outgoing.ts';

const STOPPED = '⏹ Stopped.';

export interface LeftProgressOptions {
  mailbox: Pick<Mailbox, 'allChoices' | 'unfinished' | 'enqueue'>;
  choices: Pick<ChoicesStore, 'change'>;
  channel: FindChannel;
  now(): number;
}

/** For the start of a gateway, before any turn runs. */
export async function endLeftProgress({ mailbox, choices, channel, now }: LeftProgressOptions): Promise<void> {
  const shown = (await mailbox.allChoices()).flatMap(({ chat, choices: text }) => {
    const { progress } = readChoices(text);
    return progress?.isOpen ? [{ chat, progress }] : [];
  });
  if (shown.length === 0) return;
  const unfinished = new Set((await mailbox.unfinished()).map(({ turnId }) => turnId));
  for (const { chat, progress } of shown) {
    const own = channel(chat satisfies BotKey);
    if (!own || unfinished.has(progress.turnId)) continue;
    // Under the key of the answer: where there is one, it is in the outbox already, and nothing is added.
    const { turnId: key, messageId: replaces } = progress;
    await mailbox.enqueue(draftsOf({ chat, channel: own, key, markdown: STOPPED, replaces }), now());
    await choices.change(chat, { progress: undefined });
  }
}
