// The composition root: the one place that builds things and hands them to each other. What is
// heavy is loaded by the part that needs it, when it needs it.
import { createProviders } from './adapters/stub-only.ts';
import { type Config, loadConfig } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { newId } from './lib/new-id.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { createLocalStorage } from './storage/local/local-storage.ts';
import { createBuiltinTools } from './tools/builtin.ts';
import { loadToolTexts } from './tools/languages/language.ts';
import type { AskPerson } from './tools/policy.ts';
import { createToolbox, type Toolbox } from './tools/toolbox.ts';
import { createWorkspace } from './workspace/confined.ts';

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
  /** Rejects when the workspace is not a directory. */
  toolbox(): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  close(): void;
}

export async function createApp({ environment, workspace, askPerson, warn }: AppOptions): Promise<App> {
  const config = await loadConfig(environment);
  const now = (): number => Date.now();
  const storage = createLocalStorage({
    home: environment.home,
    now,
    onRebuild: (aside) => warn(`the index of sessions was damaged: rebuilt, the old one is ${aside}`),
  });
  const { catalogue, locks, transcripts, resultCache, outputs, spending } = storage;
  const sessions = createSessions({ catalogue, locks, transcripts, now, newId });

  const toolbox = async (): Promise<Toolbox> =>
    createToolbox({
      specs: createBuiltinTools({ systemTimezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone }),
      workspace: await createWorkspace({ root: workspace ?? config.workspace }),
      resultCache,
      outputs,
      texts: () => loadToolTexts(config.language),
      now,
      askPerson,
      onDefect: (call, error) =>
        warn(`${call.name} failed unexpectedly: ${error instanceof Error ? error.stack : error}`),
    });

  return {
    config,
    sessions,
    toolbox,
    async gateway() {
      return createGateway({
        providers: createProviders(),
        sessions,
        toolbox: await toolbox(),
        spending,
        now,
        newId,
        debugSource: config.debugSource,
      });
    },
    close: () => storage.close(),
  };
}
