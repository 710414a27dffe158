// Compaction: when a session that remembers has more than 24 messages beyond what is summarised, all but the last 12 are
// summarised into its memory file: by the model where there is one, by extracting sentences otherwise. The originals
// stay in the transcript. A summary carries the range it covers, so a crash in between never writes it twice.
import type { Adapter } from '../adapters/adapter.ts';
import { estimateTokens } from '../lib/estimate-tokens.ts';
import { extractSentences } from '../lib/extract-summary.ts';
import { localDay } from '../lib/local-day.ts';
import type { SessionMessage } from '../sessions/lines.ts';
import type { Turn } from '../sessions/turn.ts';
import type { SessionNotes } from '../storage/storage.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { askModel } from './ask-model.ts';
import { SUMMARY_END, SUMMARY_TAINTED } from './session-memory.ts';

const TRIGGER = 24;
const KEPT = 12;
/** More than this at once (memory switched on late) is summarised from its newest part. */
const MOST_MESSAGES = 400;
const MOST_CHARACTERS = 200_000;
const SENTENCES = 8;

const INSTRUCTION =
  'Summarise this part of a conversation for your own later use: facts, decisions, preferences, open questions. Short Markdown bullets, in the language of the conversation. Write nothing else.';

export interface CompactOptions {
  turn: Turn;
  notes: SessionNotes;
  adapter: Adapter;
  model?: string;
  /** Whether the caps leave room for a question of about this many tokens; the extract is free. */
  hasRoom(tokens: number): Promise<boolean>;
  /** Told as soon as a summary has cost something. */
  spent(usage: Usage): Promise<void>;
  /** Content from outside is in the conversation. */
  tainted: boolean;
  now(): number;
  signal: AbortSignal;
}

/** Returns the file that was written, or undefined when there was nothing to do. */
export async function compact(options: CompactOptions): Promise<string | undefined> {
  const { turn, notes, now } = options;
  const done = turn.entry.compactedMessageCount ?? 0;
  const total = turn.messageCount();
  if (total - done <= TRIGGER) return undefined;
  const newest = await turn.newestMessages(Math.min(total - done, MOST_MESSAGES + KEPT));
  const kept = keptCount(newest);
  const until = total - kept;
  const messages = newest.slice(0, -kept);
  // With the conversation: another one under the same name counts from one again.
  const marker = `<!-- messages ${done + 1}-${until} of ${turn.entry.sessionId} -->`;
  if (!(await notes.read(turn.entry.sessionKey))?.includes(marker)) {
    const date = localDay(now());
    const summary = await summarise(messages, options);
    // Read only now: a person may have edited the file while the model was thinking.
    const before = (await notes.read(turn.entry.sessionKey)) ?? `# Memory of session ${turn.entry.sessionKey}\n`;
    const source = options.tainted ? `${SUMMARY_TAINTED}\n${SUMMARY_END}\n` : `${SUMMARY_END}\n`;
    const after = `${before.trimEnd()}\n\n## ${date}\n${marker}\n\n${summary}\n${source}`;
    await notes.write(turn.entry.sessionKey, after, turn.lock);
  }
  await turn.recordCompaction(until);
  return notes.path(turn.entry.sessionKey);
}

/** At least 12, and as many more as it takes to begin with what a person said. */
function keptCount(newest: readonly SessionMessage[]): number {
  const first = newest.findLastIndex(({ role }, index) => role === 'user' && index <= newest.length - KEPT);
  return first > 0 ? newest.length - first : KEPT;
}

async function summarise(messages: readonly SessionMessage[], options: CompactOptions): Promise<string> {
  const conversation = messages
    .map(({ role, content }) => `${role}: ${content}`)
    .join('\n\n')
    .slice(-MOST_CHARACTERS);
  const byModel = options.adapter.callsTools ? await askForSummary(conversation, options) : '';
  if (byModel !== '') return byModel;
  const spoken = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const sentences = [spoken.join('\n'), conversation].map((text) => extractSentences(text, SENTENCES));
  const extracted = sentences.find(({ length }) => length > 0) ?? [`${messages.length} messages without words`];
  return extracted.map((sentence) => `- ${sentence}`).join('\n');
}

/** Empty when the model fails or the caps leave no room: the extract takes its place. */
async function askForSummary(conversation: string, options: CompactOptions): Promise<string> {
  const { turn, adapter, model, hasRoom, spent, signal } = options;
  if (!(await hasRoom(estimateTokens(conversation)))) return '';
  const { profileId, sessionId } = turn.entry;
  const request = {
    model,
    profileId,
    sessionId,
    system: [INSTRUCTION],
    messages: [{ role: 'user' as const, text: conversation }],
    tools: [],
  };
  const answering = askModel(adapter, request, signal);
  for (let step = await answering.next(); ; step = await answering.next()) {
    if (!step.done) continue;
    const { usage, failure, text } = step.value;
    if (usage) await spent(usage);
    return failure ? '' : text.trim();
  }
}
