// A reply as the Chat Completions API sends it. Reasoning travels in `reasoning_content`, as the compatible servers
// that show it do; OpenAI itself never sends it.
import { dataEvent, EVENT_STREAM, fragments, jsonAnswer, type Rendered } from '../frames.ts';
import type { Ids } from '../ids.ts';
import type { Json } from '../json-shape.ts';
import type { CompleteReply, ReplyFinish } from '../reply.ts';

interface Context {
  model: string;
  ids: Ids;
  /** The client set `stream_options.include_usage`. */
  includeUsage: boolean;
  asMistral?: boolean;
}

const CREATED = 1_760_000_000;
const FINISH: Record<ReplyFinish, string> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  refused: 'content_filter',
};

export function renderChat(reply: CompleteReply, context: Context): Rendered {
  const toolCalls = reply.toolCalls.map(({ id, name, args, signature }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
    ...signed(signature),
  }));
  const message = {
    role: 'assistant',
    content: reply.deltas.length > 0 || toolCalls.length === 0 ? reply.text : null,
    ...(reply.reasoning === '' ? {} : { reasoning_content: reply.reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    refusal: null,
    annotations: [],
  };
  return jsonAnswer({
    ...shell('chat.completion', context),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reply.finish] }],
    usage: usageOf(reply),
  });
}

export function renderChatStream(reply: CompleteReply, context: Context): Rendered {
  const chunk = { ...shell('chat.completion.chunk', context) };
  const frames: string[] = [];
  const emit = (delta: Json, finish: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    frames.push(dataEvent({ ...chunk, choices, ...(context.includeUsage ? { usage: null } : {}) }));
  };

  emit({ role: 'assistant', content: reply.toolCalls.length > 0 && reply.text === '' ? null : '', refusal: null });
  if (reply.reasoning !== '' && context.asMistral)
    emit({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: reply.reasoning }] }] });
  else if (reply.reasoning !== '') emit({ reasoning_content: reply.reasoning });
  for (const content of reply.deltas) emit({ content });
  reply.toolCalls.forEach(({ id, name, args, signature }, index) => {
    emit({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' }, ...signed(signature) }] });
    for (const piece of fragments(args)) emit({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
  emit({}, FINISH[reply.finish]);
  if (context.includeUsage) frames.push(dataEvent({ ...chunk, choices: [], usage: usageOf(reply) }));
  frames.push('data: [DONE]\n\n');
  return { contentType: EVENT_STREAM, frames };
}

function signed(signature: string | undefined): Json {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** What the service sends when it fails after the stream has begun. */
export function chatFailureFrame(code?: string, message?: string): string {
  const standard = 'The server had an error while processing your request. Sorry about that!';
  return dataEvent({ error: { message: message ?? standard, type: 'server_error', param: null, code: code ?? null } });
}

function shell(object: string, { ids, model }: Context): Json {
  return {
    id: ids('chatcmpl-'),
    object,
    created: CREATED,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_fake',
  };
}

function usageOf({ usage }: CompleteReply): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
