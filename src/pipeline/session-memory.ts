// The memory file of a session as a model gets it: what a person wrote there, always; the summaries, as far as they bear on the question.
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { SessionNotes } from '../storage/storage.ts';

/** Marks a summary of tainted content. */
export const SUMMARY_TAINTED = '<!-- outside -->';

/** Where a summary ends: what people write below it is theirs. */
export const SUMMARY_END = '<!-- end -->';

/** How much of what a person wrote there the model sees, from its end. */
const OWN_CHARACTERS = 2_000;

/** From its heading to its end, or to the next one: earlier versions wrote no end. */
const SUMMARY =
  /^## [^\n]*\n<!-- messages (\d+)-\d+ of ([\w-]+) -->\n(?:(?!^## [^\n]*\n<!-- messages )[\s\S])*?(?:^<!-- end -->\n?|(?=^## [^\n]*\n<!-- messages )|(?![\s\S]))/gm;

/** Which messages of which conversation a model is sent as they were, or in the summary that its history begins with. */
export interface SeenMessages {
  sessionId: string;
  fromMessage: number;
}

export interface SessionMemory {
  /** What a person wrote, as the model sees it; empty when there is nothing. */
  written: string;
  /** Without those of messages that the model sees anyway. */
  summaries: { text: string; tainted: boolean }[];
}

export async function readSessionMemory(
  notes: Pick<SessionNotes, 'read'>,
  sessionKey: string,
  seen?: SeenMessages,
): Promise<SessionMemory> {
  const whole = (await notes.read(sessionKey)) ?? '';
  const summaries = [...whole.matchAll(SUMMARY)]
    .filter(([, from, owner]) => seen === undefined || owner !== seen.sessionId || Number(from) < seen.fromMessage)
    .map(([text]) => ({ text: plain(text), tainted: text.includes(SUMMARY_TAINTED) }));
  const own = plain(whole.replace(SUMMARY, '')).replace(/^# Memory of session [^\n]*\n*/, '');
  if (own === '') return { written: '', summaries };
  const cut = own.length > OWN_CHARACTERS ? `…${wholeCharacters(own.slice(-OWN_CHARACTERS))}` : own;
  return { written: `Written by a person in the memory of this conversation:\n${cut}`, summaries };
}

function plain(text: string): string {
  return text.replace(/<!--.*?-->\n?/g, '').trim();
}
