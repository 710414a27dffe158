// A reply as the Responses API sends it. The instructions and tools of the request are not echoed as the service
// does: no client reads them, and a rendered stream keeps its length whatever was asked.
import { EVENT_STREAM, fragments, jsonAnswer, namedEvent, type Rendered } from '../frames.ts';
import type { Ids } from '../ids.ts';
import type { Json } from '../json-shape.ts';
import type { CompleteReply } from '../reply.ts';
import { sealReasoning } from '../seal.ts';

interface Context {
  model: string;
  ids: Ids;
}

const CREATED = 1_760_000_000;

export function renderResponse(reply: CompleteReply, context: Context): Rendered {
  const id = context.ids('resp_');
  return jsonAnswer(finished(reply, shell(id, context.model), outputItems(reply, context.ids)));
}

export function renderResponseStream(reply: CompleteReply, context: Context): Rendered {
  const response = shell(context.ids('resp_'), context.model);
  const items = outputItems(reply, context.ids);
  const frames: string[] = [];
  const emit = (type: string, fields: Json) => {
    frames.push(namedEvent(type, { type, sequence_number: frames.length, ...fields }));
  };

  emit('response.created', { response });
  emit('response.in_progress', { response });
  items.forEach((item, index) => {
    emit('response.output_item.added', { output_index: index, item: opened(item) });
    const at = { item_id: item.id, output_index: index };
    if (item.type === 'reasoning') emitReasoning(emit, at, reply.reasoning);
    if (item.type === 'web_search_call')
      for (const step of ['in_progress', 'searching', 'completed']) emit(`response.web_search_call.${step}`, at);
    if (item.type === 'message') emitText(emit, at, reply);
    if (item.type === 'function_call') emitArguments(emit, at, item);
    emit('response.output_item.done', { output_index: index, item });
  });
  const last = finished(reply, response, items);
  emit(`response.${last.status}`, { response: last });
  return { contentType: EVENT_STREAM, frames };
}

/** What the service sends when it fails after the stream has begun. */
export function responseFailureFrame(at: number, context: Context, code?: string, message?: string): string {
  const error = {
    code: code ?? 'server_error',
    message: message ?? 'An error occurred while processing your request. You can retry your request.',
  };
  const response = { ...shell(context.ids('resp_'), context.model), status: 'failed', error };
  return namedEvent('response.failed', { type: 'response.failed', sequence_number: at, response });
}

type Emit = (type: string, fields: Json) => void;
type Item = Json & { id: string; type: string };

function emitReasoning(emit: Emit, at: Json, text: string): void {
  const place = { ...at, summary_index: 0 };
  emit('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } });
  emit('response.reasoning_summary_text.delta', { ...place, delta: text });
  emit('response.reasoning_summary_text.done', { ...place, text });
  emit('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } });
}

function emitText(emit: Emit, at: Json, reply: CompleteReply): void {
  const place = { ...at, content_index: 0 };
  emit('response.content_part.added', { ...place, part: textPart('') });
  for (const delta of reply.deltas) emit('response.output_text.delta', { ...place, delta, logprobs: [] });
  citationsOf(reply).forEach((annotation, index) => {
    emit('response.output_text.annotation.added', { ...place, annotation_index: index, annotation });
  });
  emit('response.output_text.done', { ...place, text: reply.text, logprobs: [] });
  emit('response.content_part.done', { ...place, part: textPart(reply.text) });
}

function emitArguments(emit: Emit, at: Json, item: Item): void {
  const text = String(item.arguments);
  for (const delta of fragments(text)) emit('response.function_call_arguments.delta', { ...at, delta });
  emit('response.function_call_arguments.done', { ...at, name: item.name, arguments: text });
}

/** Reasoning, then text, then calls. Only the item the model was writing when it was stopped is incomplete. */
function outputItems(reply: CompleteReply, ids: Ids): Item[] {
  const items: Item[] = [];
  if (reply.reasoning !== '') {
    const summary = [{ type: 'summary_text', text: reply.reasoning }];
    items.push({ id: ids('rs_'), type: 'reasoning', summary, encrypted_content: sealReasoning(reply.reasoning) });
  }
  if (reply.search) {
    const sources = reply.search.pages.map(({ url }) => ({ type: 'url', url }));
    const action = { type: 'search', query: reply.search.query, queries: [reply.search.query], sources };
    items.push({ id: ids('ws_'), type: 'web_search_call', status: 'completed', action });
  }
  if (reply.deltas.length > 0) {
    const content = [{ ...textPart(reply.text), annotations: citationsOf(reply) }];
    items.push({ id: ids('msg_'), type: 'message', status: 'completed', role: 'assistant', content });
  }
  for (const call of reply.toolCalls) {
    items.push({
      id: ids('fc_'),
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: call.args,
    });
  }
  const last = items.at(-1);
  if (last?.status && isIncomplete(reply)) last.status = 'incomplete';
  return items;
}

/** As the service marks them: for its own statistics. */
function citationsOf({ search, text }: CompleteReply): Json[] {
  const [cited] = search?.pages ?? [];
  if (!cited) return [];
  const { url, title } = cited;
  const marked = `${url}${url.includes('?') ? '&' : '?'}utm_source=openai`;
  return [{ type: 'url_citation', start_index: 0, end_index: text.length, url: marked, title }];
}

function opened(item: Item): Item {
  if (item.type === 'web_search_call') return { ...item, status: 'in_progress' };
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] };
  if (item.type === 'function_call') return { ...item, status: 'in_progress', arguments: '' };
  return { ...item, summary: [] };
}

function textPart(text: string): Json {
  return { type: 'output_text', annotations: [], logprobs: [], text };
}

function isIncomplete(reply: CompleteReply): boolean {
  return reply.finish === 'length' || reply.finish === 'refused';
}

function finished(reply: CompleteReply, response: Json, output: Item[]): Json {
  const { input, output: written, cacheRead = 0 } = reply.usage;
  return {
    ...response,
    status: isIncomplete(reply) ? 'incomplete' : 'completed',
    completed_at: isIncomplete(reply) ? null : CREATED,
    incomplete_details: isIncomplete(reply)
      ? { reason: reply.finish === 'length' ? 'max_output_tokens' : 'content_filter' }
      : null,
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + written,
    },
  };
}

function shell(id: string, model: string): Json {
  return {
    id,
    object: 'response',
    created_at: CREATED,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
  };
}
