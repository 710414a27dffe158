// A reply as Anthropic's Messages API sends it.
import { EVENT_STREAM, fragments, jsonAnswer, namedEvent, type Rendered } from '../frames.ts';
import type { Ids } from '../ids.ts';
import { isRecord, type Json } from '../json-shape.ts';
import type { CompleteReply, ReplyFinish, ReplySearch } from '../reply.ts';
import { signThinking } from '../seal.ts';

interface Context {
  model: string;
  ids: Ids;
}

const STOP_REASON: Record<ReplyFinish, string> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  refused: 'refusal',
};

export function renderMessage(reply: CompleteReply, context: Context): Rendered {
  const content: Json[] = [];
  if (reply.reasoning !== '') {
    content.push({ type: 'thinking', thinking: reply.reasoning, signature: signThinking(reply.reasoning) });
  }
  if (reply.search) content.push(...searchBlocks(reply.search, context.ids));
  if (reply.text !== '') {
    const citations = citationsOf(reply);
    content.push({ type: 'text', text: reply.text, citations: citations.length > 0 ? citations : null });
  }
  for (const { id, name, args } of reply.toolCalls) {
    content.push({ type: 'tool_use', id, name, input: inputOf(args), caller: { type: 'direct' } });
  }
  return jsonAnswer({ ...shell(context), content, ...stopOf(reply), usage: usageOf(reply, reply.usage.output) });
}

export function renderMessageStream(reply: CompleteReply, context: Context): Rendered {
  const frames: string[] = [];
  const emit = (type: string, fields: Json) => frames.push(namedEvent(type, { type, ...fields }));
  let index = -1;
  const block = (start: Json, deltas: Json[]) => {
    index += 1;
    emit('content_block_start', { index, content_block: start });
    if (index === 0) emit('ping', {});
    for (const delta of deltas) emit('content_block_delta', { index, delta });
    emit('content_block_stop', { index });
  };

  emit('message_start', { message: { ...shell(context), usage: usageOf(reply, 1) } });
  if (reply.reasoning !== '') {
    block({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: reply.reasoning },
      { type: 'signature_delta', signature: signThinking(reply.reasoning) },
    ]);
  }
  if (reply.search) {
    const [used, found] = searchBlocks(reply.search, context.ids);
    const input = JSON.stringify({ query: reply.search.query });
    block({ ...used, input: {} }, [{ type: 'input_json_delta', partial_json: input }]);
    block({ ...found }, []);
  }
  if (reply.deltas.length > 0) {
    block({ type: 'text', text: '' }, [
      ...reply.deltas.map((text) => ({ type: 'text_delta', text })),
      ...citationsOf(reply).map((citation) => ({ type: 'citations_delta', citation })),
    ]);
  }
  for (const { id, name, args } of reply.toolCalls) {
    const pieces = ['', ...fragments(args)];
    block(
      { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } },
      pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    );
  }
  emit('message_delta', { delta: stopOf(reply), usage: finalUsageOf(reply) });
  emit('message_stop', {});
  return { contentType: EVENT_STREAM, frames };
}

function searchBlocks({ query, pages, error }: ReplySearch, ids: Ids): [Json, Json] {
  const id = ids('srvtoolu_');
  const caller = { type: 'direct' };
  const content = error
    ? { type: 'web_search_tool_result_error', error_code: error }
    : pages.map(({ url, title, age = null }) => ({
        type: 'web_search_result',
        url,
        title,
        encrypted_content: 'sealed',
        page_age: age,
      }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query }, caller },
    { type: 'web_search_tool_result', tool_use_id: id, content, caller },
  ];
}

function citationsOf({ search, text }: CompleteReply): Json[] {
  const [cited] = search?.error ? [] : (search?.pages ?? []);
  if (!cited) return [];
  const { url, title } = cited;
  return [
    { type: 'web_search_result_location', url, title, encrypted_index: 'sealed', cited_text: text.slice(0, 150) },
  ];
}

/** What the service sends when it fails after the stream has begun. */
export function messageFailureFrame(code?: string, message?: string): string {
  const error = { type: code ?? 'overloaded_error', message: message ?? 'Overloaded' };
  return namedEvent('error', { type: 'error', error, request_id: 'req_fake' });
}

/** The service only ever answers with an object outside a stream. */
function inputOf(args: string): Json {
  const input: unknown = JSON.parse(args);
  if (!isRecord(input)) throw new Error(`the Messages API cannot carry the arguments ${args} outside a stream`);
  return input;
}

function stopOf({ finish }: CompleteReply): Json {
  const refusal = { type: 'refusal', category: null, explanation: null };
  return {
    stop_reason: STOP_REASON[finish],
    stop_sequence: null,
    stop_details: finish === 'refused' ? refusal : null,
  };
}

function shell({ ids, model }: Context): Json {
  return {
    id: ids('msg_'),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
  };
}

function usageOf(reply: CompleteReply, written: number): Json {
  const counted = countedUsage(reply);
  return {
    ...counted,
    cache_creation: { ephemeral_5m_input_tokens: counted.cache_creation_input_tokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: written,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
}

function finalUsageOf(reply: CompleteReply): Json {
  return {
    ...countedUsage(reply),
    output_tokens: reply.usage.output,
    output_tokens_details: null,
    server_tool_use: reply.search ? { web_search_requests: 1, web_fetch_requests: 0 } : null,
  };
}

/** What was cached, or is now, is not counted among the input tokens. */
function countedUsage({ usage: { input, cacheRead = 0, cacheWrite = 0 } }: CompleteReply): Record<string, number> {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}
