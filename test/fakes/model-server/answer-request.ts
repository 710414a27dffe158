// From what a client sent to what it gets: sign in, read and check the request, take the script's next reply, render
// it. The first check that fails answers for all of them, as it does at the service; every one is reported.
import type { IncomingHttpHeaders } from 'node:http';
import { readChatRequest } from './chat/request.ts';
import type { Answer } from './deliver.ts';
import { contextLengthError, errorBody, missingTokenError, unknownModelError } from './error-body.ts';
import type { Ids } from './ids.ts';
import { isRecord, type Json } from './json-shape.ts';
import { readMessagesRequest } from './messages/request.ts';
import type { Dialect, NeutralRequest } from './neutral-request.ts';
import type { PromptCache } from './prompt-cache.ts';
import { renderReply } from './render-reply.ts';
import type { Fault, Reply } from './reply.ts';
import type { RequestContext, Violation } from './request-context.ts';
import { readResponsesRequest } from './responses/request.ts';
import type { SchemaCheck } from './tool-schema.ts';
import { withNoteApart } from './turn-note.ts';

const DEFAULT_OUTPUT = 7;

export interface AnswerDependencies {
  accept: (token: string) => boolean;
  anonymous: boolean;
  asMistral: boolean;
  /** Undefined: every model is known. */
  models: string[] | undefined;
  nextReply: (request: NeutralRequest) => Promise<Reply>;
  checkSchemas: SchemaCheck;
  /** Undefined: the usage of a reply is what the script says. */
  promptCache: PromptCache | undefined;
  ids: Ids;
}

export interface ModelRequest {
  dialect: Dialect;
  headers: IncomingHttpHeaders;
  /** Undefined when it is not JSON. */
  body: unknown;
}

export interface Answered {
  answer: Answer;
  fault?: Fault;
  violations: string[];
}

export async function answerRequest(request: ModelRequest, dependencies: AnswerDependencies): Promise<Answered> {
  const { dialect, headers } = request;
  const refused = refuseToken(dialect, headers, dependencies);
  if (refused) return { answer: errorAnswer(401, refused), violations: [] };

  const violations: Violation[] = [];
  const report: RequestContext['report'] = (message, details) => violations.push({ message, ...details });
  const context = { dialect, headers, hosted: !dependencies.anonymous, asMistral: dependencies.asMistral, report };
  const neutral = readRequest(request, context);
  if (neutral) violations.push(...dependencies.checkSchemas(neutral.tools, dialect));
  const messages = violations.map(({ message }) => message);
  if (!neutral || violations.length > 0) {
    return { answer: errorAnswer(400, errorBody(dialect, 400, violations[0])), violations: messages };
  }
  if (dependencies.models && !dependencies.models.includes(neutral.model)) {
    const { status, body } = unknownModelError(dialect, neutral.model);
    return { answer: errorAnswer(status, body), violations: [] };
  }
  const counted = dependencies.promptCache?.count(dialect, neutral.raw);
  const scripted = await dependencies.nextReply(withNoteApart(neutral));
  if (scripted.search && !offersSearch(neutral.raw))
    throw new Error('the script searches, and the request offers no search');
  const reply = counted ? { usage: { output: DEFAULT_OUTPUT, ...counted }, ...scripted } : scripted;
  return { answer: answerOf(reply, neutral, dependencies), fault: reply.fault, violations: [] };
}

function offersSearch({ tools }: Json): boolean {
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && /^web_search/.test(String(tool.type)));
}

/** The error to answer with, or undefined when the token is good. OpenAI knows no `x-api-key`. */
export function refuseToken(
  dialect: Dialect,
  headers: IncomingHttpHeaders,
  { accept, anonymous }: Pick<AnswerDependencies, 'accept' | 'anonymous'>,
): Json | undefined {
  if (anonymous) return undefined;
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const key = dialect === 'messages' ? headers['x-api-key'] : undefined;
  const token = bearer ?? (typeof key === 'string' && key !== '' ? key : undefined);
  if (token === undefined) return missingTokenError(dialect);
  return accept(token) ? undefined : errorBody(dialect, 401);
}

export function errorAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const isText = typeof body === 'string';
  return {
    status,
    headers: { 'content-type': isText ? 'text/plain' : 'application/json', ...headers },
    frames: [isText ? body : JSON.stringify(body)],
  };
}

function readRequest({ dialect, headers, body }: ModelRequest, context: RequestContext): NeutralRequest | undefined {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) {
    context.report(`Unsupported content type: '${type}'. This API method only accepts 'application/json' requests.`, {
      code: 'unsupported_content_type',
    });
    return undefined;
  }
  if (!isRecord(body)) {
    context.report('We could not parse the JSON body of your request.');
    return undefined;
  }
  switch (dialect) {
    case 'responses':
    case 'codex':
      return readResponsesRequest(body, context);
    case 'chat':
      return readChatRequest(body, context);
    case 'messages':
      return readMessagesRequest(body, context);
  }
}

function answerOf(
  reply: Reply,
  request: NeutralRequest,
  { ids, asMistral }: Pick<AnswerDependencies, 'ids' | 'asMistral'>,
): Answer {
  const { dialect, model, stream, raw } = request;
  const { fault } = reply;
  if (fault?.kind === 'status') {
    return errorAnswer(fault.status, fault.body ?? errorBody(dialect, fault.status), fault.headers);
  }
  if (fault?.kind === 'context-length') {
    const { status, body } = contextLengthError(dialect);
    return errorAnswer(status, body);
  }
  const includeUsage = asMistral || (isRecord(raw.stream_options) && raw.stream_options.include_usage === true);
  const { contentType, frames } = renderReply(reply, { dialect, model, stream, includeUsage, asMistral, ids });
  const requestId = dialect === 'messages' ? 'request-id' : 'x-request-id';
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': 'no-cache', [requestId]: ids('req_') },
    frames,
  };
}
