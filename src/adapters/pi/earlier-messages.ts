// Every request sends the whole conversation. What an earlier request of this process sent is kept here as the bytes that went over the wire:
// the library is given only the messages after it, so a long conversation costs about as much as a short one. The bytes end before a
// question that follows an answer, or before an answer with calls, because there nothing that the library writes depends on both sides. They are
// used only for the same messages and the same model, and are freed with the last message that they contain.
import type { Api, Model } from '@earendil-works/pi-ai';
import type { ModelMessage, ModelRequest } from '../adapter.ts';

export interface EarlierMessages {
  /** Undefined where the protocol's requests are always written whole. */
  begin(request: Pick<ModelRequest, 'messages' | 'tools'>, model: Model<Api>): Continuation | undefined;
}

export interface Continuation {
  /** The messages that the library has to write. */
  rest: ModelMessage[];
  /** Takes the payload that the library made of `rest` and adds the bytes of the messages before it. */
  complete(payload: object): void;
}

/** Belongs into the payload's list of messages, before the message at `at`. */
export interface EarlierBytes {
  at: number;
  /** Together JSON values with commas between them. */
  parts: readonly Uint8Array[];
}

interface Kept {
  model: string;
  messages: readonly ModelMessage[];
  parts: readonly Uint8Array[];
  /** It ends within a turn. Later turns begin after the messages of the turns before, whose bytes are kept too: the first `shared` parts. */
  isWithinTurn: boolean;
  shared: number;
}

interface Settled {
  messages: readonly ModelMessage[];
  json: string;
  isWithinTurn: boolean;
}

interface WrittenMessage {
  role?: string;
  content?: unknown;
  tool_calls?: unknown;
}

const EARLIER = Symbol('the bytes of earlier messages');

export function earlierBytesOf(payload: object): EarlierBytes | undefined {
  return (payload as { [EARLIER]?: EarlierBytes })[EARLIER];
}

export function createEarlierMessages(): EarlierMessages {
  const keptByLast = new WeakMap<ModelMessage, Kept>();

  function find(messages: readonly ModelMessage[], model: string): Kept | undefined {
    for (let index = messages.length - 2; index >= 0; index -= 1) {
      const kept = keptByLast.get(messages[index] as ModelMessage);
      if (kept?.model === model && beginsWith(messages, kept.messages)) return kept;
    }
    return undefined;
  }

  return {
    begin({ messages, tools }, { api, provider, id, baseUrl, reasoning }) {
      // Without tools the library looks for calls in the whole conversation.
      if (api !== 'openai-completions' || tools.length === 0) return undefined;
      const model = JSON.stringify([provider, id, baseUrl, reasoning]);
      const before = find(messages, model);
      const rest = messages.slice(before?.messages.length ?? 0);
      return {
        rest,
        complete(payload) {
          const { messages: written } = payload as { messages: WrittenMessage[] };
          const conversation = written.filter(({ role }) => role !== 'system' && role !== 'developer');
          const at = written.length - conversation.length;
          if (before) Object.assign(payload, { [EARLIER]: { at, parts: before.parts } satisfies EarlierBytes });
          const settled = settledPart(rest, conversation);
          if (!settled) return;
          const isFirstOfTurn = settled.isWithinTurn && !before?.isWithinTurn;
          if (before && !isFirstOfTurn) keptByLast.delete(lastOf(before.messages));
          keptByLast.set(lastOf(settled.messages), extended(before, settled, model));
        },
      };
    },
  };
}

function extended(before: Kept | undefined, { messages, json, isWithinTurn }: Settled, model: string): Kept {
  const own = before?.isWithinTurn ? before.shared : (before?.parts.length ?? 0);
  const shared = isWithinTurn ? own : 0;
  return {
    model,
    messages: [...(before?.messages ?? []), ...messages],
    parts: withPart(before?.parts ?? [], bytesOf(before ? `,${json}` : json), shared),
    isWithinTurn,
    shared,
  };
}

/** Neighbours of about one size are joined, so that there are few parts and none is copied often. */
function withPart(parts: readonly Uint8Array[], added: Uint8Array, shared: number): Uint8Array[] {
  const joined = [...parts, added];
  for (;;) {
    const [previous, last] = joined.slice(-2);
    if (joined.length - 2 < shared || !previous || !last || last.length * 2 < previous.length) return joined;
    const both = Buffer.allocUnsafeSlow(previous.length + last.length);
    both.set(previous);
    both.set(last, previous.length);
    joined.splice(-2, 2, both);
  }
}

/** Memory of its own: a part of a shared pool would keep all of the pool. */
function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** The messages before the last boundary, and their text; undefined where there are none or where the text may not be the same next time. */
function settledPart(messages: readonly ModelMessage[], written: readonly WrittenMessage[]): Settled | undefined {
  const boundary = messages.findLastIndex((message, index) => isBoundary(message, messages[index - 1]));
  // The library writes pictures of tools as messages of the user.
  if (boundary < 0 || messages.some(hasImages)) return undefined;
  const isWithinTurn = messages[boundary]?.role === 'assistant';
  // Messages without content are not written; each question and each answer with calls is.
  const isCounted = isWithinTurn ? hasCalls : isFromUser;
  const places = written.flatMap((message, index) => (wasCounted(message, isWithinTurn) ? [index] : []));
  if (places.length !== messages.filter(isCounted).length) return undefined;
  const settled = messages.slice(0, boundary);
  const before = written.slice(0, places[settled.filter(isCounted).length]);
  // A list of parts may carry a cache mark, which is at another place in the next request.
  if (before.length === 0 || before.some(({ content }) => Array.isArray(content))) return undefined;
  return { messages: settled, json: before.map((message) => JSON.stringify(message)).join(','), isWithinTurn };
}

function isBoundary(message: ModelMessage, previous: ModelMessage | undefined): boolean {
  return previous !== undefined && (message.role === 'user' ? isAnswer(previous) : hasCalls(message));
}

function wasCounted({ role, tool_calls }: WrittenMessage, isWithinTurn: boolean): boolean {
  return isWithinTurn ? tool_calls !== undefined : role === 'user';
}

function beginsWith(messages: readonly ModelMessage[], beginning: readonly ModelMessage[]): boolean {
  return beginning.length < messages.length && beginning.every((message, index) => isSame(message, messages[index]));
}

/** The summary of a conversation is a new message in every request. */
function isSame(one: ModelMessage, other: ModelMessage | undefined): boolean {
  return one === other || (isPlain(one) && isPlain(other) && one.role === other.role && one.text === other.text);
}

function isPlain(message: ModelMessage | undefined): message is ModelMessage {
  if (message?.role === 'user') return !message.images;
  return isAnswer(message) && message.native === undefined;
}

function isAnswer(message: ModelMessage | undefined): message is Extract<ModelMessage, { role: 'assistant' }> {
  return message?.role === 'assistant' && message.toolCalls.length === 0;
}

function hasCalls(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.toolCalls.length > 0;
}

function isFromUser({ role }: ModelMessage): boolean {
  return role === 'user';
}

function hasImages(message: ModelMessage): boolean {
  return message.role !== 'assistant' && message.images !== undefined;
}

function lastOf(messages: readonly ModelMessage[]): ModelMessage {
  return messages.at(-1) as ModelMessage;
}
