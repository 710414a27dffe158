// An open workspace: its confined files, its tools and their permissions, and the door for its turns. Everything else it
// uses belongs to the process and is shared with the other workspaces.

import { isAbsolute } from 'node:path';
import type { HookSettings } from '../config/hooks.ts';
import type { Mode } from '../config/mode.ts';
import type { ChannelGateway } from '../gateway/channel-gateway.ts';
import type { AskingChat } from '../gateway/chats/asking-chat.ts';
import type { ChannelGatewayDependencies } from '../gateway/chats/channel-gateway-dependencies.ts';
import type { ChatOperationName, ChatOperations } from '../gateway/chats/commands/chat-operations.ts';
import type { SharedChats, SharedChatsDependencies } from '../gateway/chats/create-shared-chats.ts';
import type { Transcribe } from '../gateway/chats/transcribe.ts';
import {
  type Conversations,
  type CreatedGateway,
  createGateway,
  type Gateway,
  type Providers,
} from '../gateway/gateway.ts';
import type { WorkspaceJobs } from '../gateway/open-jobs.ts';
import type { Answerer } from '../gateway/turns/answerer.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Instructions } from '../instructions/instructions.ts';
import { lazily } from '../lib/lazily.ts';
import type { AskForm } from '../mcp/elicitation.ts';
import type { Offer } from '../mcp/serve.ts';
import type { OpenSchedule } from '../schedule/open-schedule.ts';
import type { AppendAudit } from '../storage/audit.ts';
import type { OpenKept } from '../tools/pictures.ts';
import type { AskPerson } from '../tools/policy.ts';
import type { RecordedTools } from '../tools/recorded-tools.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { createWorkspace } from '../workspace/confined.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Base } from './base.ts';
import { createOwnContent } from './own-content.ts';
import { createProviders, type ListModels } from './providers.ts';
import type { Services } from './services.ts';
import { openToolbox, type ToolServices } from './toolbox.ts';
import { restOf, waitForFacts } from './wait-for-facts.ts';

export interface WorkspaceOptions {
  /** Its directory; by default the configured one, otherwise the current directory. */
  root?: string;
  /** The address of an openai-compatible server, when it is not the configured one. */
  baseUrl?: string;
  /** Answers permission questions of turns that bring nobody of their own. */
  askPerson?: AskPerson;
  /** Puts a form of an MCP server to the same person. */
  askForm?: AskForm;
  /** Without the tools of MCP servers: what other agents are offered is ours alone, and never ourselves again. */
  ownToolsOnly?: boolean;
  /** Called when a background run is queued; by default a process is started that runs it. */
  onQueued?: () => void;
  /** By default the runtime's. */
  warn?(text: string): void;
}

/** What the service decides: which channels, who may write, how turns are asked. */
export type ChannelGatewayOptions = Pick<
  ChannelGatewayDependencies,
  'channels' | 'claimant' | 'admit' | 'mayReceive' | 'settings' | 'limits' | 'log'
>;
type SharedChatsOptions = Omit<ChannelGatewayOptions, 'channels' | 'claimant'> &
  Pick<SharedChatsDependencies, 'senders'>;

export interface RuntimeWorkspace {
  /** Confined to its root. */
  files: Workspace;
  /** `refresh`, which every turn begins with, adds the tools of MCP servers. */
  toolbox(): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  /** What is done between the turns of its sessions. */
  conversations: Conversations;
  /** A gateway of its own whose tools answer from a recording and run nothing. */
  recordedGateway(): Promise<{ gateway: Gateway; recorded: RecordedTools; providerNames(): Promise<string[]> }>;
  listModels: ListModels;
  /** The provider and model that a name such as `provider/model` means. */
  chooseModel: Providers['choose'];
  /** The channels around its gateway; not started. */
  channelGateway(options: ChannelGatewayOptions): Promise<ChannelGateway>;
  /** The chats of bots that several gateways share; not started. */
  sharedChats(options: SharedChatsOptions): Promise<SharedChats>;
  /** What people wrote down for the assistant here. */
  instructions(): Promise<Instructions>;
  /** Scheduled jobs as turns of this workspace, and its HEARTBEAT.md. */
  jobs(): Promise<WorkspaceJobs>;
  /** Our tools for other agents. */
  mcpOffer(use: { allow: readonly string[] | undefined; mode: Mode }): Promise<Offer>;
  /** Cancels the turns that run in it and resolves when they have ended. */
  close(): Promise<void>;
}

/** Rejects with WorkspaceError when the root is not a directory. */
export type OpenWorkspace = (options?: WorkspaceOptions) => Promise<RuntimeWorkspace>;

/** Where an operation is asked for. */
export interface AskedFromChat {
  by: Answerer;
  chat: AskingChat;
  /** The workspace that the chat is in, and its root. */
  opened: RuntimeWorkspace;
  workspace: string;
  warn(text: string): void;
  signal: AbortSignal;
}

export type InvokeOnRuntime = <Name extends ChatOperationName>(
  name: Name,
  input: ChatOperations[Name]['input'],
  asked: AskedFromChat,
) => Promise<ChatOperations[Name]['output']>;

/** What a workspace uses of its process. */
export interface ProcessServices extends Services, ToolServices {
  /** Calls an operation for a person in a chat. */
  invoke: InvokeOnRuntime;
  /** Finishes what a killed process had begun, so that no turn works on files that are half restored or planted. */
  finishInterrupted(): Promise<unknown>;
  openSchedule(): Promise<OpenSchedule>;
  /** Starts a process that runs what is queued in the background. */
  startWorker(): void;
}

export async function openWorkspace(
  base: Base,
  services: ProcessServices,
  options: WorkspaceOptions,
): Promise<RuntimeWorkspace> {
  const { environment, config, storage, sessions, budget, hub, userHome, now, newId, systemTimezone } = base;
  const { baseUrl = config.baseUrl, warn = base.warn, onQueued = services.startWorker } = options;
  const { createProtectedPaths } = await import('../workspace/protected.ts');
  const files = await createWorkspace({
    root: absolutePath(options.root ?? config.workspace, environment.cwd),
    protectedPaths: await createProtectedPaths({ home: environment.home, userHome }),
  });
  const hooks = config.hooks && (await openHooks(config.hooks, files.root, environment.variables));
  const providers = createProviders(() => services.modelServices(baseUrl), environment.variables);
  const toolbox = lazily(() => openToolbox(base, services, { ...options, files, baseUrl, hooks, onQueued, warn }));
  const closings: (() => Promise<void>)[] = [];

  /** Notices about instructions that a person has seen already. */
  const said = new Set<string>();
  const instructions = lazily(async () => {
    const { openInstructions } = await import('./instructions.ts');
    return openInstructions({ home: environment.home, trust: storage.trust, files, skills: services.skills });
  });

  /** What chats on platforms use of this workspace. */
  async function chatServices() {
    const [{ ask }, mailbox, transcribe] = await Promise.all([gateway(), base.mailbox(), transcriberOf(base)]);
    const invoke: ChannelGatewayDependencies['invoke'] = (name, input, asked) =>
      services.invoke(name, input, { ...asked, opened, workspace: files.root, warn });
    const audit: AppendAudit = async (events) => (await storage.audit()).append(events);
    const workspace = async () => files;
    const random = Math.random;
    const openKept: OpenKept = (path) => storage.outputs.open(path);
    return {
      mailbox,
      audit,
      ask,
      hub,
      sessions,
      workspace,
      openKept,
      transcribe,
      invoke,
      systemTimezone,
      now,
      newId,
      random,
    };
  }

  function gatewayOver(tools: Toolbox, told: Hooks | undefined): Omit<CreatedGateway, 'close'> {
    const gateway = createGateway({
      providers,
      sessions,
      workspaceRoot: files.root,
      language: config.language,
      hooks: told,
      toolbox: tools,
      hub,
      ...(options.askPerson && { person: { askPerson: options.askPerson, askForm: options.askForm } }),
      budget,
      notes: storage.notes,
      historyTokens: config.historyTokens,
      archiveTurn: async ({ sessionKey, sessionId, tainted, reader }, { id: turnId, messages, isPersons }) => {
        const [memory, { rememberTurns }] = await Promise.all([
          services.memory(),
          import('../memory/remember-turns.ts'),
        ]);
        const waiting = { sessionId, sessionKey, turnId, scope: reader.scope, tainted, endedAt: now() };
        if (isPersons && config.memoryFacts !== false)
          await waitForFacts(memory.facts, waiting, { restMs: restOf(config) });
        const spoken = messages.flatMap(({ role, ...rest }) => (role === 'system' ? [] : [{ role, ...rest }]));
        await rememberTurns(memory.as(reader), { sessionKey, sessionId, tainted }, spoken);
      },
      conversationCompacted: async (sessionId) => {
        const { facts } = await services.memory();
        await facts.hurry(sessionId).catch((error: Error) => warn(`facts are extracted later: ${error.message}`));
      },
      onTurnEnd: services.wakePastConversations,
      recall: async ({ reader, ...request }) => (await services.memory()).as(reader).recall(request),
      coreMemory: async (reader) => {
        const [core, { renderCoreMemory }] = await Promise.all([
          services.coreMemory(),
          import('../memory/core-memory.ts'),
        ]);
        return renderCoreMemory(await core.as(reader).get());
      },
      instructions: async (request) => {
        const { notices, text } = await (await instructions()).read({ workspaceRoot: files.root, ...request });
        const unsaid = notices.filter((notice) => !said.has(notice));
        for (const notice of unsaid) said.add(notice);
        return { text, notices: unsaid };
      },
      now,
      newId,
      debugSource: config.debugSource,
      onTurnStart: base.onTurnStart,
    });
    closings.push(gateway.close);
    return {
      async ask(request, signal) {
        await services.finishInterrupted();
        return gateway.ask(request, signal);
      },
      conversations: gateway.conversations,
    };
  }
  const gateway = lazily(async () => gatewayOver(await toolbox(), hooks));

  const conversations: Conversations = {
    describe: async (request, signal) => (await gateway()).conversations.describe(request, signal),
    compact: async (request, signal) => (await gateway()).conversations.compact(request, signal),
    title: async (request, signal) => (await gateway()).conversations.title(request, signal),
  };

  const opened: RuntimeWorkspace = {
    files,
    toolbox,
    gateway,
    conversations,
    listModels: providers.listModels,
    chooseModel: providers.choose,
    async recordedGateway() {
      const { createRecordedTools } = await import('../tools/recorded-tools.ts');
      const recorded = createRecordedTools(await toolbox());
      return { gateway: gatewayOver(recorded.toolbox, undefined), recorded, providerNames: providers.names };
    },
    instructions,
    async channelGateway(service) {
      const { createChannelGateway } = await import('../gateway/chats/create-channel-gateway.ts');
      return createChannelGateway({ ...service, ...(await chatServices()) });
    },
    async sharedChats(service) {
      const { createSharedChats } = await import('../gateway/chats/create-shared-chats.ts');
      const { cluster, locks } = storage;
      if (!cluster) throw new Error('the storage is not shared with other gateways');
      return createSharedChats({ ...service, ...(await chatServices()), cluster, locks });
    },
    async jobs() {
      const { openJobs } = await import('../gateway/open-jobs.ts');
      return openJobs({
        machine: await base.machine(),
        opened: await services.openSchedule(),
        files,
        gateway,
        language: config.language,
        log: warn,
      });
    },
    async mcpOffer(use) {
      const { createToolOffer } = await import('../tools/mcp/offer.ts');
      const { docs, skills } = services;
      const { version } = environment;
      return createToolOffer({
        ...use,
        ...createOwnContent(base),
        toolbox: await toolbox(),
        workspace: files,
        version,
        docs,
        skills,
        newId,
      });
    },
    async close() {
      await Promise.all(closings.map((close) => close()));
    },
  };
  return opened;
}

async function openHooks(settings: HookSettings, workspaceRoot: string, env: Base['environment']['variables']) {
  const { createHooks } = await import('../hooks/hooks.ts');
  return createHooks({ settings, workspaceRoot, env });
}

/** Put together as text: ".." after a link is the kernel's to resolve. */
function absolutePath(path: string, cwd: string): string {
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** Of voice messages, where the owner names a server for it. */
async function transcriberOf({ config, environment }: Base): Promise<Transcribe | undefined> {
  const { transcriptionUrl: baseUrl, transcriptionModel: model = 'whisper-1' } = config;
  if (baseUrl === undefined) return undefined;
  const { createTranscriber } = await import('../gateway/chats/transcribe.ts');
  return createTranscriber({ baseUrl, model, key: environment.variables.LAINCLAW_TRANSCRIPTION_KEY });
}
