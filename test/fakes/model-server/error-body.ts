// Every service's own error JSON: OpenAI's `{ error: { message, type, param, code } }`, the ChatGPT gateway's
// `{ detail }`, Anthropic's `{ type: 'error', error: { type, message } }`.
import type { Json } from './json-shape.ts';
import type { Dialect } from './neutral-request.ts';
import type { Violation } from './request-context.ts';

export interface ErrorAnswer {
  status: number;
  body: Json;
}

/** Without a problem, what the service would say for that status by itself. */
export function errorBody(dialect: Dialect, status: number, problem?: Violation): Json {
  if (dialect === 'messages') return anthropicError(status, problem?.message);
  if (problem?.gateway) return { detail: problem.message };
  if (dialect === 'codex' && !problem) return codexError(status);
  return openAiError(status, problem);
}

export function contextLengthError(dialect: Dialect): ErrorAnswer {
  if (dialect === 'messages') {
    return { status: 400, body: anthropicError(400, 'prompt is too long: 204242 tokens > 200000 maximum') };
  }
  const message =
    dialect === 'chat'
      ? "This model's maximum context length is 128000 tokens. However, your messages resulted in 130542 tokens. Please reduce the length of the messages."
      : 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  const param = dialect === 'chat' ? 'messages' : 'input';
  return { status: 400, body: openAiError(400, { message, param, code: 'context_length_exceeded' }) };
}

export function missingTokenError(dialect: Dialect): Json {
  const message = {
    responses: "You didn't provide an API key. You need to provide your API key in an Authorization header.",
    chat: "You didn't provide an API key. You need to provide your API key in an Authorization header.",
    codex: 'Could not parse your authentication token. Please try signing in again.',
    messages: 'x-api-key header is required',
  }[dialect];
  return errorBody(dialect, 401, dialect === 'codex' ? { message, gateway: true } : { message });
}

export function unknownModelError(dialect: Dialect, model: string): ErrorAnswer {
  if (dialect === 'messages') return { status: 404, body: anthropicError(404, `model: ${model}`) };
  if (dialect === 'codex') {
    return {
      status: 400,
      body: { detail: `The '${model}' model is not supported when using Codex with a ChatGPT account.` },
    };
  }
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, body: openAiError(404, { message, code: 'model_not_found' }) };
}

function openAiError(status: number, problem?: Violation): Json {
  const known = OPENAI_DEFAULTS[status] ?? OPENAI_DEFAULTS[status >= 500 ? 500 : 400];
  return {
    error: {
      message: problem?.message ?? known?.message,
      type: known?.type,
      param: problem?.param ?? null,
      code: problem ? (problem.code ?? null) : (known?.code ?? null),
    },
  };
}

const OPENAI_DEFAULTS: Record<number, { message: string; type: string; code?: string }> = {
  400: { message: 'Invalid request.', type: 'invalid_request_error' },
  401: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request. Sorry about that!', type: 'server_error' },
  503: { message: 'The engine is currently overloaded, please try again later.', type: 'server_error' },
};

function codexError(status: number): Json {
  if (status === 401) {
    const error = {
      message: 'Your authentication token has been invalidated. Please try signing in again.',
      type: 'invalid_request_error',
      code: 'token_invalidated',
      param: null,
    };
    return { error, status };
  }
  if (status === 429) {
    const message = 'The usage limit has been reached';
    return { error: { type: 'usage_limit_reached', message, plan_type: 'plus', resets_in_seconds: 3600 } };
  }
  return openAiError(status);
}

function anthropicError(status: number, message?: string): Json {
  const [type, standard] = ANTHROPIC_DEFAULTS[status] ?? ANTHROPIC_DEFAULTS[status >= 500 ? 500 : 400] ?? [];
  return { type: 'error', error: { type, message: message ?? standard }, request_id: 'req_fake' };
}

const ANTHROPIC_DEFAULTS: Record<number, [type: string, message: string]> = {
  400: ['invalid_request_error', 'Invalid request'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource'],
  404: ['not_found_error', 'Not found'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', 'Number of requests has exceeded your rate limit'],
  500: ['api_error', 'Internal server error'],
  529: ['overloaded_error', 'Overloaded'],
};
