// The other side of every model protocol: a server on this machine that speaks the Responses API (plain and as the
// ChatGPT backend serves it), Chat Completions and Anthropic Messages, answers from a script, and refuses what the real
// services refuse. Whatever path comes before `/responses`, `/chat/completions`, `/messages` or `/models` is accepted.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delay } from '../../support/delays.ts';
import { type Answered, answerRequest, errorAnswer, refuseToken } from './answer-request.ts';
import { type Answer, deliver } from './deliver.ts';
import { errorBody } from './error-body.ts';
import { createIds } from './ids.ts';
import { modelList } from './model-list.ts';
import type { Dialect, NeutralRequest } from './neutral-request.ts';
import { createPromptCache } from './prompt-cache.ts';
import type { Fault, Reply, Script } from './reply.ts';
import { readJson } from './request-body.ts';
import { createSchemaCheck } from './tool-schema.ts';

export interface ModelServerOptions {
  script: Script;
  /** Which tokens are good. Absent: all. */
  accept?: (token: string) => boolean;
  /** Like Ollama: no token is asked for, and fields it does not know are ignored. */
  anonymous?: boolean;
  /** Chat Completions as Mistral speaks it: usage with every stream, asked for or not; thinking as a part of the content. */
  asMistral?: boolean;
  /** The only models there are. Absent: any name is served. */
  models?: string[];
  /** What it says that each model takes in, where it has a place for it. Absent: nothing. */
  contextWindow?: number;
  /** What a request for a title is answered with, which no script counts. Absent: nothing. */
  title?: string;
  /** Counts the tokens of each request and what was cached of it, as the real services do. */
  promptCache?: boolean;
  /** False keeps nothing of the requests, for benchmarks. Violations are always kept. */
  record?: boolean;
}

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Decompressed and parsed; undefined when it was not JSON. */
  body: unknown;
  /** Undefined when nothing was asked of a model. */
  dialect: Dialect | undefined;
  violations: string[];
  /** Settles when the exchange is over. */
  ended: Promise<'answered' | 'client-closed' | 'cut'>;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  /** What was asked of a model. */
  readonly requests: RecordedRequest[];
  /** Everything else: lists of models, checks of keys. */
  readonly lookups: RecordedRequest[];
  /** Everything the real services would have refused, and every request the script had no reply for. */
  readonly violations: string[];
  /** How often a client asked for a WebSocket. It is always refused, which sends clients back to plain HTTP. */
  readonly refusedUpgrades: number;
  /** Starts the new script at its first reply. */
  setScript(script: Script): void;
  close(): Promise<void>;
}

const DEFAULT_MODELS = ['fake-model'];

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { accept = () => true, anonymous = false, asMistral = false, models, record = true } = options;
  const requests: RecordedRequest[] = [];
  const lookups: RecordedRequest[] = [];
  const violations: string[] = [];
  let refusedUpgrades = 0;
  let replies = replySource(options.script);
  const dependencies = {
    accept,
    anonymous,
    asMistral,
    models,
    nextReply: (request: NeutralRequest) =>
      asksForTitle(request.system[0]) ? Promise.resolve({ text: options.title ?? '' }) : replies(request),
    checkSchemas: createSchemaCheck(),
    promptCache: options.promptCache ? createPromptCache() : undefined,
    ids: createIds(randomBytes(6).toString('hex')),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    if (headers.upgrade !== undefined) {
      refusedUpgrades += 1;
      return deliver(response, errorAnswer(426, 'Upgrade refused', { connection: 'close' }));
    }
    await delay(250);
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const dialect = method === 'POST' ? dialectOf(path) : undefined;
    let fault: Fault | undefined;
    const recorded: RecordedRequest = {
      method,
      path,
      headers,
      body: undefined,
      dialect,
      violations: [],
      ended: new Promise((resolve) => {
        response.on('close', () => {
          const unfinished = fault?.kind === 'cut' ? 'cut' : 'client-closed';
          resolve(response.writableFinished ? 'answered' : unfinished);
        });
      }),
    };
    if (record) (dialect === undefined ? lookups : requests).push(recorded);

    const answered = await answer(recorded, request);
    recorded.violations = answered.violations;
    for (const message of answered.violations) violations.push(`${method} ${path}: ${message}`);
    fault = answered.fault;
    await delay(500);
    await deliver(response, answered.answer, fault);
  }

  async function answer(recorded: RecordedRequest, request: IncomingMessage): Promise<Answered> {
    const { method, path, headers, dialect } = recorded;
    try {
      recorded.body = await readJson(request);
      // Beside the conversation, and at a moment of its own.
      if (record && asksForTitle(JSON.stringify(recorded.body)))
        lookups.push(...requests.splice(requests.indexOf(recorded), 1));
      if (dialect === undefined) return answerOther(method, path, headers);
      return await answerRequest({ dialect, headers, body: recorded.body }, dependencies);
    } catch (error) {
      // The client left before it had sent everything: nobody is there to be told.
      if (!request.complete) return { answer: errorAnswer(400, ''), violations: [] };
      const message = error instanceof Error ? error.message : String(error);
      const body = errorBody(dialect ?? 'chat', 500, { message: `fake model server: ${message}` });
      return { answer: errorAnswer(500, body), violations: [message] };
    }
  }

  function answerOther(method: string, path: string, headers: IncomingHttpHeaders): Answered {
    const list =
      method === 'GET' ? modelList(path, headers, models ?? DEFAULT_MODELS, options.contextWindow) : undefined;
    if (list === undefined) {
      const message = `Invalid URL (${method} ${path})`;
      return { answer: errorAnswer(404, errorBody('chat', 404, { message })), violations: [message] };
    }
    const service = headers['anthropic-version'] === undefined ? 'chat' : 'messages';
    const refused = path.endsWith('/models') ? refuseToken(service, headers, dependencies) : undefined;
    const answer: Answer = refused ? errorAnswer(401, refused) : errorAnswer(200, list);
    return { answer, violations: [] };
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`the fake model server failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    lookups,
    violations,
    get refusedUpgrades() {
      return refusedUpgrades;
    },
    setScript(script) {
      replies = replySource(script);
    },
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function asksForTitle(system = ''): boolean {
  return system.includes('You give a conversation a title.');
}

function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith('/codex/responses')) return 'codex';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/messages')) return 'messages';
  return undefined;
}

function replySource(script: Script): (request: NeutralRequest) => Promise<Reply> {
  let used = 0;
  return async (request) => {
    const index = used;
    used += 1;
    if (typeof script === 'function') return script(request, index);
    const reply = script[index];
    if (reply) return reply;
    throw new Error(`the script has ${script.length} replies and this is request ${index + 1}`);
  };
}
