// Lainclaw without its command line: the real gateway, pipeline, sessions, tools and adapter, in this process. A failure
// is told at once, since nothing is asked twice, and tools can be added to the built-in ones.
import type { CredentialSource } from '../../src/adapters/auth/credential.ts';
import { createProviders } from '../../src/adapters/providers.ts';
import { DEFAULT_RETRY_POLICY } from '../../src/adapters/robust.ts';
import { type AskRequest, createGateway } from '../../src/gateway/gateway.ts';
import { newId } from '../../src/lib/new-id.ts';
import type { AskResult, RunEvent } from '../../src/pipeline/events.ts';
import { createSessions } from '../../src/sessions/sessions.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { createBuiltinTools } from '../../src/tools/builtin.ts';
import { loadToolTexts } from '../../src/tools/languages/language.ts';
import type { ToolSpec } from '../../src/tools/tool.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { createWorkspace } from '../../src/workspace/confined.ts';

export interface ModelAppOptions {
  storage: Storage;
  workspace: string;
  provider: string;
  baseUrl: string;
  specs?: readonly ToolSpec[];
  fetch?: typeof globalThis.fetch;
}

export interface Told {
  events: RunEvent[];
  /** Of the one `run-end`; there is no other number of them. */
  result: AskResult;
}

export interface ModelApp {
  ask(input: string, more?: Partial<AskRequest>, signal?: AbortSignal): Promise<Told>;
}

const CREDENTIALS: CredentialSource = {
  credential: async () => ({ ok: true, kind: 'api-key', secret: 'key-of-a-test', accountId: 'account-fake' }),
  profileFor: async () => undefined,
};

export async function createModelApp(options: ModelAppOptions): Promise<ModelApp> {
  const { storage, workspace, provider, baseUrl, specs = [], fetch } = options;
  const now = (): number => Date.now();
  const adapters = createProviders({
    env: {},
    baseUrls: { [provider]: baseUrl },
    credentials: CREDENTIALS,
    now,
    fetch,
    retryPolicy: { ...DEFAULT_RETRY_POLICY, retries: 0 },
  });
  const toolbox = createToolbox({
    specs: [...createBuiltinTools({ systemTimezone: () => 'UTC' }), ...specs],
    workspace: await createWorkspace({ root: workspace }),
    resultCache: storage.resultCache,
    outputs: storage.outputs,
    texts: () => loadToolTexts('en'),
    now,
    onDefect(call, error) {
      throw new Error(`${call.name} failed unexpectedly`, { cause: error });
    },
  });
  const gateway = createGateway({
    ...storage,
    providers: { names: async () => adapters.names(), get: async (name) => adapters.get(name) },
    sessions: createSessions({ ...storage, now, newId }),
    toolbox,
    now,
    newId,
    debugSource: false,
  });

  return {
    async ask(input, more = {}, signal = new AbortController().signal) {
      const request: AskRequest = {
        input,
        provider,
        attachments: [],
        model: 'fake',
        sessionKey: 'main',
        newSession: false,
        withTools: true,
        toolMaxSteps: 3,
        approval: 'auto',
        caps: {},
        ...more,
      };
      const events: RunEvent[] = [];
      for await (const event of await gateway.ask(request, signal)) events.push(event);
      const ends = events.filter((event) => event.type === 'run-end');
      const [end] = ends;
      if (!end || ends.length > 1 || events.at(-1) !== end) throw new Error(`a turn ended ${ends.length} times`);
      return { events, result: end.result };
    },
  };
}
