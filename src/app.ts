// The composition root: the one place that builds things and hands them to each other. What is
// heavy is loaded by the part that needs it, when it needs it.
import type { ModelServices } from './adapters/model-services.ts';
import { createStubAdapter } from './adapters/stub.ts';
import { type Config, loadConfig } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { createGateway, type Gateway, type Providers } from './gateway/gateway.ts';
import { newId } from './lib/new-id.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createLocalStorage } from './storage/local/local-storage.ts';
import { createBuiltinTools } from './tools/builtin.ts';
import { loadToolTexts } from './tools/languages/language.ts';
import type { AskPerson } from './tools/policy.ts';
import { createToolbox, type Toolbox } from './tools/toolbox.ts';
import { createWorkspace } from './workspace/confined.ts';
import type { Workspace } from './workspace/workspace.ts';

export interface AppOptions {
  environment: Environment;
  /** From a flag; otherwise the environment's, otherwise the current directory. */
  workspace?: string;
  /** From a flag: the address of an openai-compatible server. */
  baseUrl?: string;
  askPerson?: AskPerson;
  /** A line for the person running this, on stderr. */
  warn(text: string): void;
}

export interface App {
  config: Config;
  sessions: Sessions;
  /** Rejects when it is not a directory. */
  workspace(): Promise<Workspace>;
  toolbox(): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  /** Sign-in and the models; loaded on first use. */
  modelServices(): Promise<ModelServices>;
  close(): void;
}

export async function createApp({ environment, workspace, baseUrl, askPerson, warn }: AppOptions): Promise<App> {
  const config = await loadConfig(environment);
  const now = (): number => Date.now();
  const storage = createLocalStorage({
    home: environment.home,
    now,
    onRebuild: (aside) => warn(`the index of sessions was damaged: rebuilt, the old one is ${aside}`),
  });
  const { catalogue, locks, transcripts, resultCache, outputs, spending, notes } = storage;
  const sessions = createSessions({ catalogue, locks, transcripts, now, newId });

  const openWorkspace = lazily(() => createWorkspace({ root: workspace ?? config.workspace }));
  const toolbox = async (): Promise<Toolbox> =>
    createToolbox({
      specs: createBuiltinTools({ systemTimezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone }),
      workspace: await openWorkspace(),
      resultCache,
      outputs,
      texts: () => loadToolTexts(config.language),
      now,
      askPerson,
      onDefect: (call, error) =>
        warn(`${call.name} failed unexpectedly: ${error instanceof Error ? error.stack : error}`),
    });

  const modelServices = lazily(async () => {
    const { createModelServices } = await import('./adapters/model-services.ts');
    const { home, variables: env } = environment;
    return createModelServices({
      home,
      locks,
      env,
      now,
      baseUrl: baseUrl ?? config.baseUrl,
      fallback: config.fallback,
    });
  });
  const stub = createStubAdapter();
  const providers: Providers = {
    names: async () => [stub.provider, ...(await modelServices()).names()],
    get: async (name) => (name === stub.provider ? stub : (await modelServices()).adapter(name)),
  };

  return {
    config,
    sessions,
    modelServices,
    workspace: openWorkspace,
    toolbox,
    async gateway() {
      return createGateway({
        providers,
        sessions,
        toolbox: await toolbox(),
        spending,
        notes,
        now,
        newId,
        debugSource: config.debugSource,
      });
    },
    close: () => storage.close(),
  };
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
