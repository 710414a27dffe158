// What a turn gets from memory besides core memory: what bears on its question, when the session remembers. It is journalled before the
// model is asked, so that a person can see later what was recalled for an answer.
import { textTokens } from '../adapters/request-size.ts';
import { readerOf } from '../vocabulary/asker.ts';
import { taintSource } from '../vocabulary/taint-source.ts';
import type { RunEvent } from './events.ts';
import { readSessionMemory, type SeenMessages } from './session-memory.ts';
import type { TurnContext } from './turn-context.ts';

export type RecallContext = Pick<TurnContext, 'adapter' | 'request' | 'turn' | 'notes' | 'recall' | 'taint' | 'signal'>;

/** Returns the texts for the note of the turn; none when nothing bears on the question. */
export async function* recallFor(context: RecallContext, question: string): AsyncGenerator<RunEvent, string[]> {
  const { adapter, request, turn, notes, recall, taint, signal } = context;
  const { memoryEnabled, sessionKey, sessionId } = turn.entry;
  if (!memoryEnabled || !adapter.callsTools) return [];
  const { written, summaries } = await readSessionMemory(notes, sessionKey, seenBy(turn));
  const own = written === '' ? [] : [written];
  const recalled = await recall({
    question,
    reader: readerOf(request.asker),
    seen: { sessionId, since: firstSeen(turn) },
    notes: summaries.map((summary) => ({ ...summary, source: `memory of ${sessionKey}` })),
    signal,
  });
  if (!recalled) return own;
  const { items, text, tainted } = recalled;
  if (tainted) taint.add([taintSource('memory')]);
  const tokens = textTokens([text]);
  await turn.recalled({ items, tokens });
  yield { type: 'recalled', items, tokens };
  return [...own, text];
}

/** From the first message that is in the history, or in the summary before it. */
function seenBy({ entry, history, messageCount, ownMessages }: RecallContext['turn']): SeenMessages {
  const { summary, turns, hasOlder } = history;
  const before = messageCount() - ownMessages().length;
  const inHistory = turns.reduce((sum, { messages }) => sum + messages.length, 0);
  const fromMessage = hasOlder || !summary ? before - inHistory + 1 : summary.fromMessage;
  return { sessionId: entry.sessionId, fromMessage };
}

/** The moment of the first message that is sent as it was. */
function firstSeen({ history, ownMessages }: RecallContext['turn']): string {
  const first = history.turns.flatMap(({ messages }) => messages)[0] ?? ownMessages()[0];
  return first?.timestamp ?? '';
}
