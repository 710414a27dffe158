// Lainclaw without its command line: the real gateway, pipeline, sessions and adapter in this process, with a few tools
// of the test's own. A failure is reported at once, since nothing is asked twice.
import type { Adapter } from '../../src/adapters/adapter.ts';
import type { CredentialSource } from '../../src/adapters/auth/credential.ts';
import { chooseModel } from '../../src/adapters/choose-model.ts';
import { createModelLimits } from '../../src/adapters/model-limits.ts';
import { createProviderAdapters } from '../../src/adapters/provider-adapters.ts';
import { DEFAULT_RETRY_POLICY } from '../../src/adapters/robust.ts';
import { type AskRequest, type Conversations, createGateway } from '../../src/gateway/gateway.ts';
import { createTurnHub, type TurnHub } from '../../src/gateway/turns/turn-hub.ts';
import { newId } from '../../src/lib/new-id.ts';
import { createDayBudget } from '../../src/pipeline/day-budget.ts';
import type { AskResult, RunEvent } from '../../src/pipeline/events.ts';
import { createSessions } from '../../src/sessions/sessions.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { Executed, Executor } from '../../src/tools/executor.ts';
import { createOfferTools } from '../../src/tools/offered-tools.ts';
import { boundPictures, readPictures } from '../../src/tools/pictures.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { noSubject } from '../../src/tools/subject.ts';
import type { ToolArgs, ToolEffect, ToolErrorCode, ToolSpec } from '../../src/tools/tool.ts';
import type { Toolbox } from '../../src/tools/toolbox.ts';

export interface AppTool {
  name: string;
  effect: ToolEffect;
  /** Names of its parameters, all of them texts. */
  parameters?: readonly string[];
  /** What the model receives; what is thrown is sent as a failure. */
  run(args: ToolArgs): Promise<string> | string;
}

export interface ModelAppOptions {
  storage: Storage;
  provider: string;
  baseUrl: string;
  tools: readonly AppTool[];
  /** Of the model, which the fake server does not say. */
  contextWindow?: number;
  historyTokens?: number;
  fetch?: typeof globalThis.fetch;
}

export interface Told {
  events: RunEvent[];
  /** Of the one `run-end`; there is no other number of them. */
  result: AskResult;
}

export interface ModelApp {
  ask(input: string, more?: Partial<AskRequest>, signal?: AbortSignal): Promise<Told>;
  /** Writes to the turn that runs. */
  steer(text: string): ReturnType<TurnHub['steer']>;
  describe(): ReturnType<Conversations['describe']>;
  compact(keep?: string): ReturnType<Conversations['compact']>;
}

const CREDENTIALS: CredentialSource = {
  credential: async () => ({ ok: true, kind: 'api-key', secret: 'key-of-a-test', accountId: 'account-fake' }),
  profileFor: async () => undefined,
  baseUrlFor: async () => undefined,
};

export function createModelApp(options: ModelAppOptions): ModelApp {
  const { storage, provider, baseUrl, tools, contextWindow, historyTokens, fetch } = options;
  const now = (): number => Date.now();
  const adapters = createProviderAdapters({
    env: {},
    limits: createModelLimits({ files: storage.ownerFiles, now }),
    baseUrls: { [provider]: baseUrl },
    credentials: CREDENTIALS,
    now,
    fetch,
    retryPolicy: { ...DEFAULT_RETRY_POLICY, retries: 0 },
  });
  const hub = createTurnHub({ now, newId });
  const gateway = createGateway({
    ...storage,
    providers: {
      names: async () => adapters.names(),
      get: async (name) => withWindow(adapters.get(name), contextWindow),
      choose: chooseModel,
    },
    historyTokens,
    sessions: createSessions({ ...storage, now, newId }),
    toolbox: toolboxOf(tools, storage),
    hub,
    budget: createDayBudget({ ...storage, now }),
    now,
    newId,
    archiveTurn: async () => {},
    conversationCompacted: async () => {},
    recall: async () => undefined,
    coreMemory: async () => '',
    instructions: async () => ({ text: '', notices: [] }),
    debugSource: false,
    onTurnStart: () => {},
  });

  const requestOf = (input: string): AskRequest => ({
    input,
    provider,
    attachments: [],
    model: 'fake',
    sessionKey: 'main',
    newSession: false,
    withTools: true,
    toolMaxSteps: 3,
    mode: 'auto',
    caps: {},
  });
  const never = new AbortController().signal;
  return {
    async steer(text) {
      const running = hub.turns().find(({ state }) => state !== 'ended');
      return hub.steer(running?.id ?? '', { id: newId('steer'), text });
    },
    describe: () => gateway.conversations.describe(requestOf(''), never),
    compact: (keep) => gateway.conversations.compact({ ...requestOf(''), ...(keep !== undefined && { keep }) }, never),
    async ask(input, more = {}, signal = never) {
      const request: AskRequest = { ...requestOf(input), ...more };
      const events: RunEvent[] = [];
      for await (const event of await gateway.ask(request, signal)) events.push(event);
      const ends = events.filter((event) => event.type === 'run-end');
      const [end] = ends;
      if (!end || ends.length > 1 || events.at(-1) !== end) throw new Error(`a turn ended ${ends.length} times`);
      return { events, result: end.result };
    },
  };
}

function withWindow(adapter: Adapter | undefined, contextWindow: number | undefined): Adapter | undefined {
  if (!adapter || contextWindow === undefined) return adapter;
  return {
    ...adapter,
    describe: async (...asked) => ({
      ...(await adapter.describe(...asked)),
      contextWindow,
      isWindowOpen: false,
    }),
  };
}

function toolboxOf(tools: readonly AppTool[], { outputs }: Pick<Storage, 'outputs'>): Toolbox {
  const registry = createRegistry(tools.map(specOf));
  const executor: Executor = { execute: ({ name, args }) => execute(tools, name, args) };
  return {
    workspaceRoot: '/workspace',
    // Nothing here asks for permission.
    permissions: {} as Toolbox['permissions'],
    refresh: async () => {},
    visible: (allow) => (allow ? registry.filter(allow) : registry),
    describe: async (offered) =>
      offered.map(({ name, spec }) => ({ name, description: name, inputSchema: spec.inputSchema })),
    offer: createOfferTools(async () => ({})),
    bound: async (text) => text,
    keepPictures: async (pictures, { sessionId, name }) =>
      (await boundPictures(pictures, (file) => outputs.place(sessionId, `${name}-${file}`))).kept,
    readPictures: (kept) => readPictures(kept, (path) => outputs.open(path)),
    shareSentFiles: async () => {},
    endProcesses: async () => {},
    executor: () => executor,
  };
}

function specOf({ name, effect, parameters = [], run }: AppTool): ToolSpec {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return {
    name,
    effect,
    inputSchema: { type: 'object', properties, required: parameters, additionalProperties: false },
    subject: noSubject,
    requiresPermission: false,
    timeoutMs: 60_000,
    execute: async (args) => ({ data: await run(args) }),
  };
}

async function execute(tools: readonly AppTool[], name: string, args: ToolArgs): Promise<Executed> {
  const meta = { durationMs: 0 };
  const failed = (code: ToolErrorCode, message: string): Executed => ({
    result: { ok: false, error: { code, message }, meta },
    text: `Error (${code}): ${message}`,
  });
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return failed('tool_not_found', `there is no tool "${name}" here`);
  try {
    const text = await tool.run(args);
    return { result: { ok: true, data: text, meta }, text };
  } catch (error) {
    return failed('execution_error', (error as Error).message);
  }
}
