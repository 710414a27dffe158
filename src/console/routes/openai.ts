// The OpenAI-compatible API: each request is a turn. It exists only where the owner has turned it on.
import type { ConsoleContext } from '../context.ts';
import { callerOf, type Exchange, jsonBody, type Route } from '../exchange.ts';
import { ApiError, invalid } from '../openai/api-error.ts';
import type { ApiRequest } from '../openai/api-request.ts';
import { type ApiTurn, OWN_MODEL, startApiTurn } from '../openai/api-turn.ts';
import { answerChat, streamChat } from '../openai/chat-answer.ts';
import { parseChatRequest } from '../openai/chat-request.ts';
import { answerResponses, streamResponses } from '../openai/responses-answer.ts';
import { parseResponsesRequest } from '../openai/responses-request.ts';
import { sendWhole } from '../openai/send.ts';

/** Conversations with pictures in them are sent whole. */
const LARGEST_REQUEST = 32 * 1024 * 1024;
const SESSION_HEADER = 'x-lainclaw-session';

export function openAiRoutes(context: ConsoleContext): Route[] {
  const { runtime, hasOpenAiApi, workspaceFor, log } = context;
  const seconds = (): number => Math.floor(runtime.environment.now() / 1_000);
  const onDefect = (error: unknown): void =>
    log({
      level: 'error',
      event: 'api-failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });

  /** Nothing is there while it is off. */
  const offered =
    (handle: (exchange: Exchange) => Promise<void>): Route['handle'] =>
    async (exchange) => {
      if (!hasOpenAiApi())
        throw new ApiError(404, 'not_enabled', 'this API is off: lainclaw gateway config set openaiApi=true');
      await handle(exchange);
    };

  async function start(exchange: Exchange, request: ApiRequest): Promise<ApiTurn> {
    if (context.isDraining()) throw new ApiError(503, 'stopping', 'the gateway is stopping: try again in a moment');
    const key = callerOf(exchange).key?.name ?? '';
    return startApiTurn(context, request, { session: sessionOf(exchange, request), key, signal: exchange.signal });
  }

  async function models(): Promise<string[]> {
    const provider = await runtime.defaultProvider();
    const listed = await (await workspaceFor(undefined)).listModels(provider, AbortSignal.timeout(5_000));
    return [OWN_MODEL, ...(listed.ok ? listed.models.map(({ id }) => `${provider}/${id}`) : [])];
  }

  const modelOf = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'lainclaw' });
  const get = (path: string, handle: (exchange: Exchange) => Promise<void>): Route => ({
    method: 'GET',
    path,
    admits: 'key',
    body: 'none',
    handle: offered(handle),
  });
  const post = (path: string, handle: (exchange: Exchange) => Promise<void>): Route => ({
    method: 'POST',
    path,
    admits: 'key',
    body: 'json',
    handle: offered(handle),
  });

  return [
    get('/v1/models', async ({ response }) =>
      sendWhole(response, { object: 'list', data: (await models()).map(modelOf) }),
    ),
    get('/v1/models/*', async ({ response, params }) => {
      const name = params['*'] ?? '';
      if (!(await models()).includes(name))
        throw new ApiError(404, 'model_not_found', `there is no model "${name}": GET /v1/models lists them`, 'model');
      sendWhole(response, modelOf(name));
    }),
    post('/v1/chat/completions', async (exchange) => {
      const request = parseChatRequest(await jsonBody(exchange, LARGEST_REQUEST));
      const turn = await start(exchange, request);
      if (!request.isStreamed) return answerChat(turn, exchange.response, seconds());
      return streamChat(turn, exchange.response, { ...request, created: seconds(), onDefect });
    }),
    post('/v1/responses', async (exchange) => {
      const request = parseResponsesRequest(await jsonBody(exchange, LARGEST_REQUEST));
      const turn = await start(exchange, request);
      if (!request.isStreamed) return answerResponses(turn, exchange.response, seconds());
      return streamResponses(turn, exchange.response, { created: seconds(), onDefect });
    }),
  ];
}

/** The stored session that a request names by header or by `user`; undefined: nothing is stored. */
function sessionOf({ request: { headers } }: Exchange, { user }: ApiRequest): string | undefined {
  const name = headers[SESSION_HEADER] ?? user;
  if (name === undefined || name === '') return undefined;
  if (typeof name !== 'string' || !/^[\w.@+=-]{1,80}$/.test(name))
    throw invalid('a session is named with letters, digits and _ . @ + = -, at most 80', 'user');
  return `api:${name}`;
}
