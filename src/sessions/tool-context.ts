import type { JournalledCall } from './lines.ts';

/** What a later turn sees of the tools of an earlier one: each call with its (bounded) result. */
export function toolContext(pairs: readonly { call: JournalledCall; text: string }[]): string {
  return pairs.map(({ call, text }) => `[tool ${call.name} ${JSON.stringify(call.args)}]\n${text}`).join('\n\n');
}

/** What is known of a call that ended while a person was still asked about it. */
export const NOT_STARTED = 'not started: it was still waiting for permission, and nothing was done';

/** What is known of a call that began and never reported back. */
export function unfinishedCall(effect: string): string {
  if (effect === 'read') return 'interrupted before it finished';
  return 'interrupted: outcome unknown; it may have taken effect, check before doing it again';
}
