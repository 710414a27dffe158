// The tools of one workspace, with everything they need.

import type { Hooks } from '../hooks/hooks.ts';
import { lazily } from '../lib/lazily.ts';
import type { AskForm } from '../mcp/elicitation.ts';
import type { BuiltinToolsDependencies } from '../tools/builtin.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { loadToolTexts } from '../tools/languages/language.ts';
import { createMcpTools } from '../tools/mcp/tools.ts';
import type { ReadNetworkRequest } from '../tools/network/read-network-request.ts';
import { createPermissionStore } from '../tools/permissions/store.ts';
import type { AskPerson } from '../tools/policy.ts';
import { createSentFiles } from '../tools/sent-files.ts';
import { createToolbox, type Toolbox } from '../tools/toolbox.ts';
import { createWebSearchTool } from '../tools/web/search.ts';
import type { Changes } from '../undo/changes.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Base } from './base.ts';
import { createConfigStore } from './config-store.ts';
import { createHomeSettings } from './home-settings.ts';
import { createOwnContent } from './own-content.ts';
import { createSearchTool } from './search-tool.ts';
import type { Services } from './services.ts';

/** How the tools are used in this workspace. */
export interface ToolboxUse {
  files: Workspace;
  /** The address of an openai-compatible server, which background runs started here are asked with. */
  baseUrl: string | undefined;
  askPerson?: AskPerson;
  askForm?: AskForm;
  ownToolsOnly?: boolean;
  hooks?: Hooks;
  /** Called when a background run is queued. */
  onQueued(): void;
  warn(text: string): void;
}

/** What the tools reach through the gateway. */
export type ToolServices = Pick<
  BuiltinToolsDependencies,
  'schedule' | 'isGatewayRunning' | 'answerProblem' | 'sendMessage' | 'forgetMore'
>;

function commandSettingsOf({
  config,
  environment,
}: Pick<Base, 'config' | 'environment'>): NonNullable<BuiltinToolsDependencies['commandSettings']> {
  const reach = { privateHosts: config.privateHosts, ownProxy: environment.variables };
  return {
    bash: {
      memoryMb: config.bashMemoryMb,
      cpuSeconds: config.bashCpuSeconds,
      network: config.bashNetwork,
      onTimeout: config.bashOnTimeout,
      ...reach,
    },
    code: {
      memoryMb: config.codeMemoryMb,
      cpuSeconds: config.codeCpuSeconds,
      network: config.codeNetwork,
      ...reach,
    },
  };
}

/** With our own tools; `refresh` adds those of MCP servers. */
export async function openToolbox(
  base: Base,
  services: Services & ToolServices,
  { files, baseUrl, warn, ...use }: ToolboxUse,
): Promise<Toolbox> {
  const { config, storage, userHome, now, newId, systemTimezone } = base;
  const { home, variables } = base.environment;
  const { resultCache, outputs, ownerFiles } = storage;
  const { isTrusted, isOwnSkill } = createOwnContent(base);
  const mcpTools = createMcpTools({
    source: () => ownerFiles.read('mcp.json'),
    servers: async () => (await services.mcp()).servers,
    warn,
    now,
  });
  const spawnAgent: BuiltinToolsDependencies['spawnAgent'] = async (agent) => {
    const [{ spawnAgent: spawn }, { findByName }] = await Promise.all([
      import('../agents/spawn.ts'),
      import('../lib/given-name.ts'),
    ]);
    const [agents, runs] = await Promise.all([services.agents(), storage.agentRuns()]);
    const definition = async (name: string) => findByName((await agents.list({ workspace: files })).agents, name);
    const spawned = await spawn(agent, {
      runs,
      definition,
      workspace: files.root,
      isTrusted,
      baseUrl,
      language: config.language,
      now,
      newId,
    });
    use.onQueued();
    return spawned;
  };
  const builtin = createBuiltinTools({
    systemTimezone,
    maxFileSizeBytes: config.maxFileSizeBytes,
    async lockAppend(path, signal) {
      const { sha256Of } = await import('../lib/sha256.ts');
      // A lock is a file: paths share 256 of them.
      return storage.locks.acquire(`append:${(await sha256Of(Buffer.from(path))).slice(0, 2)}`, { signal });
    },
    ...services,
    spawnAgent,
    agentRuns: () => storage.agentRuns(),
    settings: createHomeSettings({
      configFile: createConfigStore(base.environment, ownerFiles),
      modelServices: services.modelServices,
    }),
    variables,
    userHome,
    home,
    commandSettings: commandSettingsOf(base),
    isTrusted,
    isOwnSkill,
  });
  const specs = [...builtin, ...base.tools];
  const searchTool = createSearchTool({
    ...base,
    variables,
    storedKey: async (service) => (await services.searchKeys()).read(service),
  });
  const networkRequest: ReadNetworkRequest = async (call) => {
    const { createNetworkRequests } = await import('../tools/network/read-network-request.ts');
    return createNetworkRequests({ sandbox: services.sandbox, variables, userHome })(call);
  };
  return createToolbox({
    specs,
    settingTools: { first: await searchTool(), current: searchTool },
    moreTools: use.ownToolsOnly ? undefined : mcpTools,
    workspace: files,
    resultCache,
    outputs,
    sentFiles: createSentFiles({ blobs: storage.blobs, workspace: files }),
    changes: ({ sessionId = 'cli', turnId = newId('turn'), root, fence }): Changes => ({
      record: async (change) => (await services.undo()).record({ sessionId, turnId, root }, [change], { fence }),
      applyTogether: async (changeSet) =>
        (await services.undo()).applyTogether({ sessionId, turnId, root }, changeSet, fence),
      recordMade: async ({ changes, notCovered }) =>
        (await services.undo()).record({ sessionId, turnId, root }, changes, { notCovered, fence }),
    }),
    texts: () => loadToolTexts(config.language),
    language: config.language,
    now,
    askPerson: use.askPerson,
    askForm: use.askForm,
    networkRequest,
    processes: services.processes,
    taintedContent: lazily(async () => {
      const { createTaintedContent } = await import('../tools/tainted-content/tainted-content.ts');
      return createTaintedContent({ files: ownerFiles, root: files.root, now, newId, isTrusted });
    }),
    permissions: createPermissionStore({
      files: ownerFiles,
      resultCache,
      // Rules on web_search mean it also while no service is set up.
      tools: [...specs, createWebSearchTool({ service: 'model', variables: {} })],
      workspaceRoot: files.root,
    }),
    places: { userHome, lainclawHome: home },
    hooks: use.hooks,
    audit: async (events, options) => (await storage.audit()).append(events, options),
    warn,
    onDefect: (call, error) =>
      warn(`${call.name} failed unexpectedly: ${error instanceof Error ? error.stack : error}`),
  });
}
