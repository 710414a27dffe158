// The services that the whole process shares, whatever workspace a turn runs in. Each is loaded when it is first used.
import { join } from 'node:path';
import type { ModelServices } from '../adapters/model-services.ts';
import type { Agents } from '../agents/agents.ts';
import type { Docs } from '../docs/docs.ts';
import { type Lazy, lazily } from '../lib/lazily.ts';
import type { Mcp } from '../mcp/open-mcp.ts';
import type { SharedCoreMemory } from '../memory/core-memory.ts';
import type { SharedMemory } from '../memory/memory.ts';
import type { ModelStore } from '../memory/models/model-store.ts';
import type { PastConversations } from '../memory/past-conversations.ts';
import type { KnownProcesses } from '../sandbox/background/known-processes.ts';
import type { Processes } from '../sandbox/background/processes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Installer } from '../skills/install/installer.ts';
import type { Skills } from '../skills/skills.ts';
import { ensureDirectory } from '../storage/private-files.ts';
import type { CommandRecords } from '../tools/shell/command-records.ts';
import { schemaProblem, valueProblem } from '../tools/validate.ts';
import type { SearchKeys } from '../tools/web/search-keys.ts';
import type { Undo } from '../undo/undo.ts';
import { createUnfinishedUndos } from '../undo/unfinished-undos.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { createWorkspace } from '../workspace/confined.ts';
import { createFileAccess, LARGEST_KEPT_BYTES } from '../workspace/file-access.ts';
import type { Base } from './base.ts';
import type { InstalledBrowser } from './install-browser.ts';
import { openPastConversations } from './past-conversations.ts';

/** Of the home. */
export const COMMAND_RECORDS = 'service/commands';

export interface Services {
  /** Sign-in and models. `baseUrl`: the address of an openai-compatible server, when it is not the configured one. */
  modelServices(baseUrl?: string): Promise<ModelServices>;
  docs(): Promise<Docs>;
  /** The archive. */
  memory(): Promise<SharedMemory>;
  /** The embedding models on this machine, and which one is in use. */
  memoryModels(): Promise<ModelStore>;
  coreMemory(): Promise<SharedCoreMemory>;
  /** Keys of search services that a person typed. */
  searchKeys(): Promise<SearchKeys>;
  /** What was said in conversations, remembered or not. */
  pastConversations(): Promise<PastConversations>;
  /** Something was said in one. */
  wakePastConversations(): void;
  skills(): Promise<Skills>;
  skillInstaller(): Promise<Installer>;
  undo(): Promise<Undo>;
  /** The owner's MCP servers. */
  mcp(): Promise<Mcp>;
  /** Fetches the browser's MCP server; it is not in mcp.json yet. */
  installBrowser(signal: AbortSignal): Promise<InstalledBrowser>;
  /** Definitions of sub-agents. */
  agents(): Promise<Agents>;
  /** The strongest there is here. */
  sandbox(): Promise<Sandbox>;
  /** The commands in the background of this process. */
  processes: Lazy<Processes>;
  /** Those of every process of this home. */
  knownProcesses(): Promise<KnownProcesses>;
  /** What workspaces had before the commands that run now. */
  commandRecords(): Promise<CommandRecords>;
}

export function createServices(base: Base): Services & { close(): Promise<void> } {
  const { config, storage, userHome, now, newId, systemTimezone } = base;
  const { home, variables, cwd, version } = base.environment;
  const { locks, ownerFiles } = storage;

  const { embeddingBaseUrl, embeddingModel, embeddingThreads: threads, memoryChunkTokens } = config;
  const endpoint = {
    baseUrl: embeddingBaseUrl,
    model: embeddingModel,
    apiKey: variables.LAINCLAW_EMBEDDING_API_KEY,
  };
  const runtimeFolder = join(home, 'models', '.runtime');
  const memoryModels = lazily(async () => {
    const [{ createModelStore }, { createLocalModel }, { hasEndpoint }, { runNpm }] = await Promise.all([
      import('../memory/models/model-store.ts'),
      import('../memory/embeddings/local-model.ts'),
      import('../memory/open-memory.ts'),
      import('./run-npm.ts'),
    ]);
    return createModelStore({
      directory: join(home, 'models'),
      runtimeFolder,
      runNpm: (args, options) => runNpm(args, { ...options, variables }),
      cwd,
      locks,
      files: ownerFiles,
      hasEndpoint: hasEndpoint(endpoint),
      fetch,
      now,
      newId,
      openModel: (model) => createLocalModel({ ...model, runtimeFolder, threads }),
    });
  });
  let openedMemory: SharedMemory | undefined;
  const memory = lazily(async () => {
    const [{ openMemory }, { readChoice }] = await Promise.all([
      import('../memory/open-memory.ts'),
      import('../memory/models/choice.ts'),
    ]);
    openedMemory = openMemory({
      archive: await storage.archive(),
      locks,
      endpoint,
      choice: () => readChoice(ownerFiles),
      localModel: async (name) => ({ ...(await (await memoryModels()).get(name)), runtimeFolder, threads }),
      chunkSize: memoryChunkTokens,
      now,
      timezone: systemTimezone,
      newId,
    });
    return openedMemory;
  });
  const coreMemory = lazily(async () => {
    const { createCoreMemory } = await import('../memory/core-memory.ts');
    return createCoreMemory({ files: ownerFiles, locks, now });
  });
  const past = openPastConversations(base);
  const docs = lazily(async () => {
    const { createDocs, findDocsDirectory } = await import('../docs/docs.ts');
    return createDocs({
      directory: () => findDocsDirectory(import.meta.dirname),
      async embed(texts, kind) {
        const [{ readChoice }, { hasEndpoint }] = await Promise.all([
          import('../memory/models/choice.ts'),
          import('../memory/open-memory.ts'),
        ]);
        const choice = (await readChoice(ownerFiles)) ?? (hasEndpoint(endpoint) ? 'endpoint' : 'none');
        return choice === 'none' ? undefined : (await memory()).as(OWNER).embedTexts(texts, kind);
      },
    });
  });
  const skills = lazily(async () => {
    const { createSkills } = await import('../skills/skills.ts');
    return createSkills({ home: () => createWorkspace({ root: join(home, 'skills') }) });
  });
  const skillInstaller = lazily(async () => {
    const { createInstaller } = await import('../skills/install/installer.ts');
    return createInstaller({ directory: join(home, 'skills'), locks, cwd, variables, now, newId });
  });
  const undo = lazily(async () => {
    const { createUndo } = await import('../undo/undo.ts');
    const openFiles = async (root: string) => createFileAccess(await createWorkspace({ root }), LARGEST_KEPT_BYTES);
    const unfinished = createUnfinishedUndos(ownerFiles);
    const records = await storage.undoRecords();
    return createUndo({ records, locks, unfinished, openFiles, newId, warn: base.warn });
  });
  const sandbox = lazily(async () => {
    const { chooseSandbox } = await import('../sandbox/choose.ts');
    const { sandbox: choice, dockerImage } = config;
    // In the home, which no command sees: the system's directory for such files may lie in a workspace.
    const temporary = join(home, 'sandbox');
    await ensureDirectory(temporary);
    return chooseSandbox({ choice, dockerImage, userHome, lainclawHome: home, temporary, variables, newId });
  });
  const knownProcesses = lazily(async () => {
    const { createKnownProcesses } = await import('../sandbox/background/known-processes.ts');
    return createKnownProcesses(storage.machineFiles);
  });
  const commandRecords = lazily(async () => {
    const { createCommandRecords } = await import('../tools/shell/command-records.ts');
    return createCommandRecords(join(home, COMMAND_RECORDS), newId);
  });
  const processes = lazily(async () => {
    const { createProcesses } = await import('../sandbox/background/processes.ts');
    return createProcesses({ known: await knownProcesses(), now, newId });
  });
  const modelServicesAt = new Map<string | undefined, Promise<ModelServices>>();
  async function createModelServicesAt(baseUrl: string | undefined): Promise<ModelServices> {
    const { createModelServices } = await import('../adapters/model-services.ts');
    const { fallback, contextWindow } = config;
    const holds = storage.cluster && (await storage.limits()).holds;
    const settings = { baseUrl, fallback, contextWindow, holds };
    return createModelServices({ locks, files: ownerFiles, env: variables, now, ...settings });
  }
  function modelServices(baseUrl = config.baseUrl): Promise<ModelServices> {
    const made = modelServicesAt.get(baseUrl) ?? createModelServicesAt(baseUrl);
    modelServicesAt.set(baseUrl, made);
    return made;
  }
  const mcp = lazily(async () => {
    const { openMcp } = await import('../mcp/open-mcp.ts');
    return openMcp({ home, files: ownerFiles, accepts: schemaProblem, fits: valueProblem, version, variables, now });
  });
  const agents = lazily(async () => {
    const { createAgents } = await import('../agents/agents.ts');
    return createAgents({ home: () => createWorkspace({ root: join(home, 'agents') }) });
  });

  return {
    modelServices,
    docs,
    memory,
    memoryModels,
    coreMemory,
    searchKeys: async () => (await import('../tools/web/search-keys.ts')).createSearchKeys(ownerFiles),
    pastConversations: past.pastConversations,
    wakePastConversations: past.wakePastConversations,
    skills,
    skillInstaller,
    undo,
    mcp,
    async installBrowser(signal) {
      const { installBrowser } = await import('./install-browser.ts');
      return installBrowser({ home, variables, sandbox, signal });
    },
    agents,
    sandbox,
    processes,
    knownProcesses,
    commandRecords,
    async close() {
      await (await processes.made())?.close();
      openedMemory?.close();
      await past.close();
      await (await mcp.made())?.servers.close();
      await (await sandbox.made()?.catch(() => undefined))?.close?.();
    },
  };
}
