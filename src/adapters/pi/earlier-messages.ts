// Every request sends the whole conversation. What an earlier request of this process sent is kept here as the text that went over the wire:
// the library is given only the messages after it, so a long conversation costs about as much as a short one. A text ends before a
// question that follows an answer without calls, because there nothing that the library writes depends on both sides. A text is used only for the same
// messages and the same model, and is freed with the last message that it contains.
import type { Api, Model } from '@earendil-works/pi-ai';
import type { ModelMessage, ModelRequest } from '../adapter.ts';

export interface EarlierMessages {
  /** Undefined where the protocol's requests are always written whole. */
  begin(request: Pick<ModelRequest, 'messages' | 'tools'>, model: Model<Api>): Continuation | undefined;
}

export interface Continuation {
  /** The messages that the library has to write. */
  rest: ModelMessage[];
  /** Takes the payload that the library made of `rest` and adds the text of the messages before it. */
  complete(payload: object): void;
}

/** Belongs into the payload's list of messages, before the message at `at`. */
export interface EarlierText {
  at: number;
  /** JSON values with commas between them. */
  json: string;
}

interface Kept {
  model: string;
  messages: readonly ModelMessage[];
  json: string;
}

interface WrittenMessage {
  role?: string;
  content?: unknown;
}

const EARLIER = Symbol('the text of earlier messages');

export function earlierTextOf(payload: object): EarlierText | undefined {
  return (payload as { [EARLIER]?: EarlierText })[EARLIER];
}

export function createEarlierMessages(): EarlierMessages {
  const keptByLast = new WeakMap<ModelMessage, Kept>();

  function keep(kept: Kept): void {
    const last = kept.messages.at(-1);
    if (last) keptByLast.set(last, kept);
  }

  function forget({ messages }: Kept): void {
    const last = messages.at(-1);
    if (last) keptByLast.delete(last);
  }

  function find(messages: readonly ModelMessage[], model: string): Kept | undefined {
    for (let index = messages.length - 1; index >= 0; index -= 1) {
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
          const at = written.findIndex(({ role }) => role !== 'system' && role !== 'developer');
          if (before) Object.assign(payload, { [EARLIER]: { at, json: before.json } satisfies EarlierText });
          const settled = settledPart(rest, written.slice(at));
          if (!settled) return;
          if (before) forget(before);
          keep({
            model,
            messages: [...(before?.messages ?? []), ...settled.messages],
            json: [...(before ? [before.json] : []), settled.json].join(','),
          });
        },
      };
    },
  };
}

/** The messages before the last question, and their text; undefined where there are none or where the text may not be the same next time. */
function settledPart(
  messages: readonly ModelMessage[],
  written: readonly WrittenMessage[],
): Pick<Kept, 'messages' | 'json'> | undefined {
  const question = messages.findLastIndex((message, index) => message.role === 'user' && isAnswer(messages[index - 1]));
  // The library writes pictures of tools as messages of the user.
  if (question < 0 || messages.some(hasImages)) return undefined;
  const settled = messages.slice(0, question);
  const users = written.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  if (users.length !== messages.filter(isFromUser).length) return undefined;
  const before = written.slice(0, users[settled.filter(isFromUser).length]);
  // A list of parts may carry a cache mark, which is at another place in the next request.
  if (before.some(({ content }) => Array.isArray(content))) return undefined;
  return { messages: settled, json: before.map((message) => JSON.stringify(message)).join(',') };
}

function beginsWith(messages: readonly ModelMessage[], beginning: readonly ModelMessage[]): boolean {
  return beginning.length <= messages.length && beginning.every((message, index) => isSame(message, messages[index]));
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

function isFromUser({ role }: ModelMessage): boolean {
  return role === 'user';
}

function hasImages(message: ModelMessage): boolean {
  return message.role !== 'assistant' && message.images !== undefined;
}
