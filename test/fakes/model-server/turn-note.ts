// Lainclaw ends a request with a note that holds for this request only. The fake tells it apart from the messages, so that a
// test sees the conversation as it is kept.
import type { NeutralMessage, NeutralRequest } from './neutral-request.ts';

const NOTE = /(?:\n\n)?<turn-note>\n([\s\S]*)\n<\/turn-note>$/;

export function withNoteApart(request: NeutralRequest): NeutralRequest {
  const last = request.messages.at(-1);
  const [whole, note] = NOTE.exec(last?.text ?? '') ?? [];
  if (!last || whole === undefined || note === undefined) return request;
  const text = last.text.slice(0, -whole.length);
  const before = request.messages.slice(0, -1);
  // Beside results, or after the question, it was all of its message.
  const isAlone = text === '' && last.role === 'user' && before.length > 0;
  const messages: NeutralMessage[] = isAlone ? before : [...before, { ...last, text }];
  return { ...request, messages, note };
}
