// What is changed in a request after the library has built it. The turn's note goes behind the last message, in the form
// that the protocol takes anywhere: nothing before it depends on it, so the next request, which has no such note there,
// begins with the same bytes. Anthropic's cache marks stand right before it, where those bytes end.
import type { Api, Model } from '@earendil-works/pi-ai';

type Json = Record<string, unknown>;

/** Returns the payload, changed in place. */
export function finishPayload(payload: unknown, { api }: Pick<Model<Api>, 'api'>, note: string | undefined): unknown {
  const body = payload as Json;
  switch (api) {
    case 'anthropic-messages':
      finishMessages(body, note);
      break;
    case 'openai-completions':
    case 'mistral-conversations':
      if (note !== undefined) addToChat(body, note);
      break;
    default:
      if (note !== undefined) addToResponses(body, note);
  }
  return body;
}

const MARK = { type: 'ephemeral' };

function finishMessages(body: Json, note: string | undefined): void {
  for (const tool of listOf(body.tools)) {
    // Streams arguments faster by not checking that they are JSON. We only use them whole, so we would rather have them right.
    delete tool.eager_input_streaming;
  }
  const messages = listOf(body.messages);
  for (const message of messages) {
    // The library writes a last message as blocks and an earlier one as a text: always the same bytes are wanted.
    if (message.role === 'user' && typeof message.content === 'string')
      message.content = [{ type: 'text', text: message.content }];
    for (const block of listOf(message.content)) delete block.cache_control;
  }
  // The service looks for what it has cached at the marks and a few blocks before them. The second mark is where the last one of
  // the request before was, however many blocks have come since.
  for (const message of messages.filter(({ role }) => role === 'user').slice(-2)) {
    const last = listOf(message.content).at(-1);
    if (last) last.cache_control = MARK;
  }
  const last = messages.at(-1);
  if (note !== undefined && last?.role === 'user') listOf(last.content).push({ type: 'text', text: note });
}

/** Servers whose template wants roles to alternate accept no message after the question: the note ends the last one's text. */
function addToChat(body: Json, note: string): void {
  const last = listOf(body.messages).at(-1);
  if (!last) return;
  if (typeof last.content === 'string') last.content = `${last.content}\n\n${note}`;
  else listOf(last.content).push({ type: 'text', text: note });
}

function addToResponses(body: Json, note: string): void {
  listOf(body.input).push({ role: 'user', content: [{ type: 'input_text', text: note }] });
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}
