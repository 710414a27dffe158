// The composition root: the one place that builds things and hands them to each other. What is heavy, or rarely needed, is
// loaded when it is first used.
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelServices } from './adapters/model-services.ts';
import { createStubAdapter } from './adapters/stub.ts';
import type { Agents } from './agents/agents.ts';
import type { AgentAnswer, Background } from './agents/background.ts';
import type { BackgroundRequest } from './agents/spawn.ts';
import { CHANNEL_NAMES } from './channels/channel.ts';
import { type Config, loadConfig } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import { keepMemorySmall } from './config/lasting-process.ts';
import type { Docs } from './docs/docs.ts';
import type { ChannelGateway } from './gateway/channel-gateway.ts';
import type { ChannelGatewayDependencies } from './gateway/chats/create-channel-gateway.ts';
import { createGateway, type Gateway, type Providers } from './gateway/gateway.ts';
import type { ScheduledJobs } from './gateway/open-jobs.ts';
import type { GatewayAdmin, OpenGateway } from './gateway/service/gateway-admin.ts';
import type { GatewayContext, OpenedGateway } from './gateway/service/run-service.ts';
import { newId } from './lib/new-id.ts';
import type { Mcp } from './mcp/open-mcp.ts';
import type { Offer } from './mcp/serve.ts';
import type { CoreMemory } from './memory/core-memory.ts';
import type { Memory } from './memory/memory.ts';
import type { ModelStore } from './memory/models/model-store.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import type { Installer } from './skills/install/installer.ts';
import type { Skills } from './skills/skills.ts';
import type { AgentRun, AgentRuns } from './storage/agent-runs.ts';
import { createLocalStorage } from './storage/local/local-storage.ts';
import { createBuiltinTools } from './tools/builtin.ts';
import { loadToolTexts } from './tools/languages/language.ts';
import { createMcpTools } from './tools/mcp/tools.ts';
import { createPermissionStore } from './tools/permissions/store.ts';
import type { Approval, AskPerson } from './tools/policy.ts';
import { createToolbox, type Toolbox } from './tools/toolbox.ts';
import { schemaProblem } from './tools/validate.ts';
import type { Changes } from './undo/changes.ts';
import type { Undo } from './undo/undo.ts';
import { createWorkspace } from './workspace/confined.ts';
import { createFileAccess, LARGEST_KEPT_BYTES } from './workspace/file-access.ts';
import type { Workspace } from './workspace/workspace.ts';

/** Servers nothing is known of yet may take this long to start; each gives up on its own before. */
const MCP_START_MS = 45_000;

export interface AppOptions {
  environment: Environment;
  /** From a flag; otherwise the environment's, otherwise the current directory. */
  workspace?: string;
  /** From a flag: the address of an openai-compatible server. */
  baseUrl?: string;
  askPerson?: AskPerson;
  /** Called when a background run is queued; by default a process of its own takes it up. */
  onQueued?: () => void;
  /** What the service runs; by default the channels and turns built here. */
  openGateway?: OpenGateway;
  /** Tools of MCP servers stay away: what is offered to other agents is ours alone, and never ourselves again. */
  ownToolsOnly?: boolean;
  /** Whoever runs this gives up: what is being started is not waited for. */
  signal?: AbortSignal;
  /** A line for the person running this, on stderr. */
  warn(text: string): void;
}

/** What the service decides: which channels, who may write, how turns are asked. */
export type ChannelGatewayOptions = Pick<
  ChannelGatewayDependencies,
  'channels' | 'admit' | 'settings' | 'limits' | 'log'
>;

export interface App {
  config: Config;
  sessions: Sessions;
  /** Rejects when it is not a directory. */
  workspace(): Promise<Workspace>;
  toolbox(): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  /** The gateway as a service: settings, access, start and stop. */
  gatewayAdmin(): Promise<GatewayAdmin>;
  /** The channels around it; not started. */
  channelGateway(options: ChannelGatewayOptions): Promise<ChannelGateway>;
  /** Sign-in and the models. */
  modelServices(): Promise<ModelServices>;
  docs(): Promise<Docs>;
  /** The archive. */
  memory(): Promise<Memory>;
  /** The embedding models on this machine, and which one is in use. */
  memoryModels(): Promise<ModelStore>;
  coreMemory(): Promise<CoreMemory>;
  skills(): Promise<Skills>;
  skillInstaller(): Promise<Installer>;
  undo(): Promise<Undo>;
  /** The owner's MCP servers. */
  mcp(): Promise<Mcp>;
  /** Our tools for other agents. */
  mcpOffer(use: { allow: readonly string[] | undefined; approval: Approval }): Promise<Offer>;
  /** Who may use them over HTTP: whoever has the token, which is made where there is none. */
  mcpAdmission(): Promise<{ tokenPath: string; admits(request: Request): Promise<boolean> }>;
  /** Definitions of sub-agents. */
  agents(): Promise<Agents>;
  agentRuns(): Promise<AgentRuns>;
  /** Background runs of sub-agents. */
  background(): Promise<Background>;
  /** Scheduled ones. */
  jobs(): Promise<ScheduledJobs>;
  isGatewayRunning(): Promise<boolean>;
  /** The strongest there is here. */
  sandbox(): Promise<Sandbox>;
  close(): void;
}

export async function createApp(options: AppOptions): Promise<App> {
  const { environment, workspace, baseUrl, askPerson, warn } = options;
  const config = await loadConfig(environment);
  const { home, variables, cwd, version } = environment;
  const now = (): number => Date.now();
  const userHome = homedir();
  const storage = createLocalStorage({
    home,
    now,
    onRebuild: (aside) => warn(`the index of sessions was damaged: rebuilt, the old one is ${aside}`),
  });
  const { catalogue, locks, transcripts, resultCache, outputs, spending, notes, ownerFiles } = storage;
  const sessions = createSessions({ catalogue, locks, transcripts, now, newId });
  const openWorkspace = lazily(async () => {
    const { createProtectedPaths } = await import('./workspace/protected.ts');
    return createWorkspace({
      root: workspace ?? config.workspace,
      protectedPaths: await createProtectedPaths({ home, userHome }),
    });
  });

  const { embeddingBaseUrl, embeddingModel, memoryChunkTokens } = config;
  const endpoint = {
    baseUrl: embeddingBaseUrl,
    model: embeddingModel,
    apiKey: variables.LAINCLAW_EMBEDDING_API_KEY,
  };
  const memoryModels = lazily(async () => {
    const [{ createModelStore }, { createOnnxModel }, { hasEndpoint }] = await Promise.all([
      import('./memory/models/model-store.ts'),
      import('./memory/embeddings/onnx-model.ts'),
      import('./memory/open-memory.ts'),
    ]);
    return createModelStore({
      directory: join(home, 'models'),
      cwd,
      locks,
      files: ownerFiles,
      hasEndpoint: hasEndpoint(endpoint),
      fetch,
      now,
      newId,
      openModel: createOnnxModel,
    });
  });
  let openedMemory: Memory | undefined;
  const memory = lazily(async () => {
    const [{ openMemory }, { readChoice }] = await Promise.all([
      import('./memory/open-memory.ts'),
      import('./memory/models/choice.ts'),
    ]);
    openedMemory = openMemory({
      archive: await storage.archive(),
      locks,
      endpoint,
      choice: () => readChoice(ownerFiles),
      localModel: async (name) => (await memoryModels()).get(name),
      chunkSize: memoryChunkTokens,
      now,
      newId,
    });
    return openedMemory;
  });
  const coreMemory = lazily(async () => {
    const { createCoreMemory } = await import('./memory/core-memory.ts');
    return createCoreMemory({ home, locks, now });
  });
  const docs = lazily(async () => {
    const { createDocs, findDocsDirectory } = await import('./docs/docs.ts');
    return createDocs({ directory: () => findDocsDirectory(import.meta.dirname) });
  });
  const skills = lazily(async () => {
    const { createSkills } = await import('./skills/skills.ts');
    return createSkills({ home: () => createWorkspace({ root: join(home, 'skills') }) });
  });
  const skillInstaller = lazily(async () => {
    const { createInstaller } = await import('./skills/install/installer.ts');
    return createInstaller({ directory: join(home, 'skills'), locks, cwd, variables, now, newId });
  });
  const undo = lazily(async () => {
    const { createUndo } = await import('./undo/undo.ts');
    const openFiles = async (root: string) => createFileAccess(await createWorkspace({ root }), LARGEST_KEPT_BYTES);
    return createUndo({ home, locks, openFiles, now, newId });
  });
  const sandbox = lazily(async () => {
    const { chooseSandbox } = await import('./sandbox/choose.ts');
    const { sandbox: choice, dockerImage } = config;
    return chooseSandbox({ choice, dockerImage, userHome, lainclawHome: home, temporary: tmpdir(), variables, newId });
  });
  const modelServices = lazily(async () => {
    const { createModelServices } = await import('./adapters/model-services.ts');
    const { fallback } = config;
    return createModelServices({ home, locks, env: variables, now, baseUrl: baseUrl ?? config.baseUrl, fallback });
  });

  const mcp = lazily(async () => {
    const { openMcp } = await import('./mcp/open-mcp.ts');
    return openMcp({ home, files: ownerFiles, accepts: schemaProblem, version, variables, now });
  });
  const mcpTools = createMcpTools({
    source: () => ownerFiles.read('mcp.json'),
    servers: async () => (await mcp()).servers,
    warn,
    now,
  });

  const agents = lazily(async () => {
    const { createAgents } = await import('./agents/agents.ts');
    return createAgents({ home: () => createWorkspace({ root: join(home, 'agents') }) });
  });
  const queued = options.onQueued ?? (() => void startWorkerHere());
  const startWorkerHere = async (): Promise<void> =>
    (await import('./agents/start-worker.ts')).startWorker(environment);
  const gatewayAdmin = lazily(async () => {
    const { createGatewayAdmin } = await import('./gateway/service/gateway-admin.ts');
    return createGatewayAdmin({
      environment,
      config,
      files: ownerFiles,
      locks,
      now,
      open: options.openGateway ?? openBots,
    });
  });

  const systemTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
  const jobs = lazily(async () => {
    const { openJobs } = await import('./gateway/open-jobs.ts');
    const common = { locks, now, systemTimezone, channels: CHANNEL_NAMES, log: warn };
    return openJobs({ jobs: await storage.jobs(), ...common, workspace: openWorkspace, gateway: () => gateway() });
  });
  const isGatewayRunning = async (): Promise<boolean> => (await (await gatewayAdmin()).states.running()) !== undefined;

  const toolbox = lazily(async () => {
    const specs = createBuiltinTools({
      systemTimezone,
      maxFileSizeBytes: config.maxFileSizeBytes,
      docs,
      memory,
      coreMemory,
      skills,
      agents,
      spawnAgent: async (agent) => {
        const { spawnAgent } = await import('./agents/spawn.ts');
        const at = { workspace: await openWorkspace() };
        const definition = async (name: string) =>
          (await (await agents()).list(at)).agents.find((each) => each.name === name);
        const spawned = await spawnAgent(agent, {
          runs: await storage.agentRuns(),
          definition,
          workspace: at.workspace.root,
          baseUrl: baseUrl ?? config.baseUrl,
          now,
          newId,
        });
        queued();
        return spawned;
      },
      schedule: async () => (await jobs()).schedule,
      isGatewayRunning,
      sandbox,
      variables,
      userHome,
      home,
      outputs,
      sendMessage: async (chat, text, signal) => {
        const [{ control }, { sendThrough }] = await Promise.all([
          gatewayAdmin(),
          import('./gateway/service/send-through.ts'),
        ]);
        return sendThrough(control, chat, text, signal);
      },
    });
    const toolNames = specs.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    const box = createToolbox({
      specs,
      moreTools: options.ownToolsOnly ? undefined : mcpTools,
      workspace: await openWorkspace(),
      resultCache,
      outputs,
      changes: ({ sessionId = 'cli', turnId = newId('turn'), root }): Changes => ({
        record: async (change) => (await undo()).record({ sessionId, turnId, root }, [change]),
        recordMade: async ({ changes, notCovered }) =>
          (await undo()).record({ sessionId, turnId, root }, changes, notCovered),
      }),
      texts: () => loadToolTexts(config.language),
      now,
      askPerson,
      permissions: createPermissionStore({ files: ownerFiles, resultCache, toolNames }),
      places: { userHome, lainclawHome: home },
      onDefect: (call, error) =>
        warn(`${call.name} failed unexpectedly: ${error instanceof Error ? error.stack : error}`),
    });
    const late = AbortSignal.timeout(MCP_START_MS);
    await box.refresh(options.signal ? AbortSignal.any([late, options.signal]) : late);
    return box;
  });

  const stub = createStubAdapter();
  const providers: Providers = {
    names: async () => [stub.provider, ...(await modelServices()).names()],
    get: async (name) => (name === stub.provider ? stub : (await modelServices()).adapter(name)),
  };

  const gateway = lazily(async () =>
    createGateway({
      providers,
      sessions,
      toolbox: await toolbox(),
      spending,
      notes,
      archiveTurn: async ({ sessionKey, sessionId }, messages) => {
        const [archive, { rememberTurns }] = await Promise.all([memory(), import('./memory/remember-turns.ts')]);
        const spoken = messages.flatMap(({ role, ...rest }) => (role === 'system' ? [] : [{ role, ...rest }]));
        await rememberTurns(archive, { sessionKey, sessionId }, spoken);
      },
      coreMemory: async () => {
        const [core, { renderCoreMemory }] = await Promise.all([coreMemory(), import('./memory/core-memory.ts')]);
        return renderCoreMemory(await core.get());
      },
      now,
      newId,
      debugSource: config.debugSource,
      onLasting: keepMemorySmall,
    }),
  );
  let channels: ChannelGateway | undefined;
  const background = lazily(async () => {
    const { createBackground } = await import('./agents/background.ts');
    const deliver = async (chat: string, text: string): Promise<void> => {
      const { parseChatName } = await import('./gateway/chats/chat-name.ts');
      const key = parseChatName(chat);
      if (!key || !channels) throw new Error(`nobody can reach ${chat} from here`);
      await channels.send(key, text);
    };
    const runs = await storage.agentRuns();
    return createBackground({ runs, locks, ask: askAgent, deliver, limit: config.backgroundRuns, now, log: warn });
  });

  /** In the workspace and with the address it was started for. */
  async function askAgent(run: AgentRun, signal: AbortSignal): Promise<AgentAnswer> {
    const request = JSON.parse(run.request) as BackgroundRequest;
    const here = { workspace: (await openWorkspace()).root, baseUrl: baseUrl ?? config.baseUrl };
    const isHere = request.workspace === here.workspace && request.baseUrl === here.baseUrl;
    const { workspace: root, baseUrl: address } = request;
    const there = isHere ? undefined : await createApp({ ...options, workspace: root, baseUrl: address });
    try {
      const { askInBackground } = await import('./gateway/background-turn.ts');
      return await askInBackground(await (there?.gateway ?? gateway)(), run, request, config, signal);
    } finally {
      there?.close();
    }
  }

  async function channelGateway(service: ChannelGatewayOptions): Promise<ChannelGateway> {
    const { createChannelGateway } = await import('./gateway/chats/create-channel-gateway.ts');
    const [mailbox, { ask }] = await Promise.all([storage.mailbox(), gateway()]);
    channels = createChannelGateway({
      ...service,
      mailbox,
      ask,
      sessions,
      session: catalogue.get,
      workspace: openWorkspace,
      models: async (provider, signal) => {
        if (provider === stub.provider) return { ok: true, models: [] };
        const listed = await (await modelServices()).models.list(provider, signal);
        if (listed?.ok) return listed;
        return { ok: false, message: listed?.failure.message ?? `there is no provider "${provider}"` };
      },
      undo: async (session, signal) => (await undo()).undo({ ...session, force: false, signal }),
      now,
      newId,
      random: Math.random,
    });
    return channels;
  }

  /** On an app of its own: the gateway's turns have another workspace than the command that starts it. */
  async function openBots(context: GatewayContext): Promise<OpenedGateway> {
    const { openChannels } = await import('./gateway/service/open-channels.ts');
    return openChannels(context, { openInside: (inside) => createApp({ ...options, ...inside }), caps: config, now });
  }

  return {
    config,
    sessions,
    workspace: openWorkspace,
    toolbox,
    gateway,
    gatewayAdmin,
    channelGateway,
    modelServices,
    docs,
    memory,
    memoryModels,
    coreMemory,
    skills,
    skillInstaller,
    undo,
    mcp,
    async mcpOffer(use) {
      const { createToolOffer } = await import('./tools/mcp/offer.ts');
      const [box, files] = await Promise.all([toolbox(), openWorkspace()]);
      return createToolOffer({ ...use, toolbox: box, workspace: files, version, docs, skills, newId });
    },
    async mcpAdmission() {
      const { createBearerCheck, ensureToken, TOKEN_FILE } = await import('./mcp/bearer.ts');
      await ensureToken(ownerFiles);
      return { tokenPath: join(home, TOKEN_FILE), admits: createBearerCheck(ownerFiles) };
    },
    agents,
    agentRuns: () => storage.agentRuns(),
    background,
    jobs,
    isGatewayRunning,
    sandbox,
    close() {
      openedMemory?.close();
      storage.close();
      void mcp.made()?.then(({ servers }) => servers.close());
    },
  };
}

interface Lazy<T> {
  (): Promise<T>;
  /** Undefined while nobody has asked for it. */
  made(): Promise<T> | undefined;
}

function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    made ??= make();
    return made;
  };
  return Object.assign(get, { made: () => made });
}
