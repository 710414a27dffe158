// Gemini 3 refuses a tool call that comes back without the signature it was made with. Chat Completions has no place for
// one: Google puts it beside the call, where the library does not look. Signatures are kept with the answer in the transcript; a
// call of another model, or one whose signature is not on record, carries the text with which Google says to skip the check.
import type { Echoes } from '../pi/echoes.ts';

const SKIP_THE_CHECK = 'skip_thought_signature_validator';
const MOST_KEPT = 5_000;
/** Of one signature in the transcript; they have some thousand characters. */
const LONGEST_STORED = 100_000;

interface WireCall {
  id?: string;
  extra_content?: { google?: { thought_signature?: unknown } };
}

export function createThoughtSignatures(): Echoes {
  const byCall = new Map<string, string>();

  function keep(id: string, signature: string): void {
    byCall.set(id, signature);
    const [oldest] = byCall.keys();
    if (byCall.size > MOST_KEPT && oldest !== undefined) byCall.delete(oldest);
  }

  return {
    note(event) {
      for (const { id, extra_content: extra } of callsIn(event, 'delta')) {
        const signature = extra?.google?.thought_signature;
        if (id !== undefined && typeof signature === 'string') keep(id, signature);
      }
    },
    kept(callIds) {
      const stored = callIds.flatMap((id) => {
        const signature = byCall.get(id);
        return signature !== undefined && signature.length <= LONGEST_STORED ? [[id, signature] as const] : [];
      });
      return stored.length === 0 ? undefined : Object.fromEntries(stored);
    },
    restore(kept) {
      if (typeof kept !== 'object' || kept === null) return;
      for (const [id, signature] of Object.entries(kept)) {
        if (typeof signature === 'string' && !byCall.has(id)) keep(id, signature);
      }
    },
    addTo(payload) {
      for (const call of callsIn(payload, 'messages')) {
        call.extra_content = { google: { thought_signature: byCall.get(call.id ?? '') ?? SKIP_THE_CHECK } };
      }
      return payload;
    },
  };
}

function callsIn(value: unknown, place: 'delta' | 'messages'): WireCall[] {
  const { choices, messages } = (value ?? {}) as { choices?: { delta?: unknown }[]; messages?: unknown[] };
  const holders = place === 'delta' ? (choices ?? []).map(({ delta }) => delta) : (messages ?? []);
  return holders.flatMap((holder) => (holder as { tool_calls?: WireCall[] } | undefined)?.tool_calls ?? []);
}
