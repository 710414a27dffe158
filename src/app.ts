// The composition root: the one place that builds things and hands them to each other. What is heavy, or rarely needed, is
// loaded when it is first used.
import { join } from 'node:path';
import { createStubAdapter } from './adapters/stub.ts';
import type { Background } from './agents/background.ts';
import { type BaseOptions, createBase } from './app/base.ts';
import { createDomain, type Domain } from './app/domain.ts';
import { openToolbox, type ToolServices } from './app/toolbox.ts';
import { CHANNEL_NAMES } from './channels/channel.ts';
import type { Config } from './config/config.ts';
import { keepMemorySmall } from './config/lasting-process.ts';
import type { ChannelGateway } from './gateway/channel-gateway.ts';
import type { ListModels } from './gateway/chats/commands/command.ts';
import type { ChannelGatewayDependencies } from './gateway/chats/create-channel-gateway.ts';
import { createGateway, type Gateway, type Providers } from './gateway/gateway.ts';
import type { ScheduledJobs } from './gateway/open-jobs.ts';
import type { GatewayAdmin, OpenGateway } from './gateway/service/gateway-admin.ts';
import type { GatewayContext, OpenedGateway } from './gateway/service/run-service.ts';
import { lazily } from './lib/lazily.ts';
import type { AskForm } from './mcp/elicitation.ts';
import type { Offer } from './mcp/serve.ts';
import { createDayBudget, type DayBudget } from './pipeline/day-budget.ts';
import type { Deliver } from './schedule/post.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { AgentRuns } from './storage/agent-runs.ts';
import type { Mailbox } from './storage/mailbox.ts';
import type { AnswerProblem } from './tools/answer-problem.ts';
import type { Approval, AskPerson } from './tools/policy.ts';
import type { RecordedTools } from './tools/recorded-tools.ts';
import type { Toolbox } from './tools/toolbox.ts';

export interface AppOptions extends BaseOptions {
  /** From a flag; otherwise the environment's, otherwise the current directory. */
  workspace?: string;
  askPerson?: AskPerson;
  /** Puts a form of an MCP server to the same person. */
  askForm?: AskForm;
  /** Called when a background run is queued; by default a process of its own takes it up. */
  onQueued?: () => void;
  /** What the service runs; by default the channels and turns built here. */
  openGateway?: OpenGateway;
  /** Tools of MCP servers stay away: what is offered to other agents is ours alone, and never ourselves again. */
  ownToolsOnly?: boolean;
  /** Of the process, where it has one already. */
  budget?: DayBudget;
}

/** What the service decides: which channels, who may write, how turns are asked. */
export type ChannelGatewayOptions = Pick<
  ChannelGatewayDependencies,
  'channels' | 'admit' | 'settings' | 'limits' | 'log'
>;

export interface App extends Domain {
  config: Config;
  sessions: Sessions;
  /** Tools of MCP servers come with its `refresh`, which every turn begins with. */
  toolbox(): Promise<Toolbox>;
  gateway(): Promise<Gateway>;
  /** A gateway of its own whose tools answer from a recording and run nothing. */
  recordedGateway(): Promise<{ gateway: Gateway; recorded: RecordedTools; providerNames(): Promise<string[]> }>;
  /** For the commands of chats. */
  listModels: ListModels;
  /** The gateway as a service: settings, access, start and stop. */
  gatewayAdmin(): Promise<GatewayAdmin>;
  /** The channels around it; not started. */
  channelGateway(options: ChannelGatewayOptions): Promise<ChannelGateway>;
  /** Our tools for other agents. */
  mcpOffer(use: { allow: readonly string[] | undefined; approval: Approval }): Promise<Offer>;
  /** Who may use them over HTTP: whoever has the token, which is made where there is none. */
  mcpAdmission(): Promise<{ tokenPath: string; admits(request: Request): Promise<boolean> }>;
  agentRuns(): Promise<AgentRuns>;
  /** Background runs of sub-agents. */
  background(deliver?: Deliver): Promise<Background>;
  /** Scheduled ones. */
  jobs(): Promise<ScheduledJobs>;
  isGatewayRunning(): Promise<boolean>;
  /** Why an answer of background work to this chat would be refused; undefined when it would go there. */
  answerProblem: AnswerProblem;
  /** Who was let in in a chat. */
  chatPeople: Mailbox['people'];
  close(): void;
}

export async function createApp(options: AppOptions): Promise<App> {
  const base = await createBase(options);
  const { environment, config, storage, sessions, now, newId, systemTimezone, warn } = base;
  const { home, version } = environment;
  const { catalogue, locks, spending, notes, ownerFiles } = storage;
  const budget = options.budget ?? createDayBudget({ spending, now });
  const domain = createDomain(base, options.workspace);
  const { workspace, modelServices, memory, coreMemory, docs, skills, undo } = domain;

  const mailbox = lazily(() => storage.mailbox());
  const gatewayAdmin = lazily(async () => {
    const { createGatewayAdmin } = await import('./gateway/service/gateway-admin.ts');
    return createGatewayAdmin({
      environment,
      config,
      files: ownerFiles,
      locks,
      now,
      mailbox,
      hasSession: async (sessionKey) => (await catalogue.get(sessionKey)) !== undefined,
      providerNames: () => providers.names(),
      open: options.openGateway ?? openBots,
    });
  });

  const jobs = lazily(async () => {
    const { openJobs } = await import('./gateway/open-jobs.ts');
    const common = { locks, now, systemTimezone, channels: CHANNEL_NAMES, log: warn };
    return openJobs({ jobs: await storage.jobs(), ...common, workspace, gateway: () => gateway() });
  });
  const isGatewayRunning = async (): Promise<boolean> => (await (await gatewayAdmin()).states.running()) !== undefined;

  const answerProblem: AnswerProblem = async (chat, asker) => (await gatewayAdmin()).answerProblem(chat, asker);

  const services: ToolServices = {
    schedule: async () => (await jobs()).schedule,
    isGatewayRunning,
    answerProblem,
    sendMessage: async (chat, text, signal) => {
      const [{ control }, { sendThrough }] = await Promise.all([
        gatewayAdmin(),
        import('./gateway/service/send-through.ts'),
      ]);
      return sendThrough(control, chat, text, signal);
    },
  };
  const startWorker = async (): Promise<void> => (await import('./agents/start-worker.ts')).startWorker(environment);
  const onQueued = options.onQueued ?? ((): void => void startWorker());
  const toolbox = lazily(() => openToolbox(base, domain, services, { ...options, onQueued }));

  const stub = createStubAdapter();
  const providers: Providers = {
    names: async () => [stub.provider, ...(await modelServices()).names()],
    get: async (name) => (name === stub.provider ? stub : (await modelServices()).adapter(name)),
  };

  const gatewayOver = (tools: Toolbox): Gateway =>
    createGateway({
      providers,
      sessions,
      toolbox: tools,
      budget,
      notes,
      archiveTurn: async ({ sessionKey, sessionId, isOutside }, messages) => {
        const [archive, { rememberTurns }] = await Promise.all([memory(), import('./memory/remember-turns.ts')]);
        const spoken = messages.flatMap(({ role, ...rest }) => (role === 'system' ? [] : [{ role, ...rest }]));
        await rememberTurns(archive, { sessionKey, sessionId, isOutside }, spoken);
      },
      coreMemory: async () => {
        const [core, { renderCoreMemory }] = await Promise.all([coreMemory(), import('./memory/core-memory.ts')]);
        return renderCoreMemory(await core.get());
      },
      now,
      newId,
      debugSource: config.debugSource,
      onLasting: keepMemorySmall,
    });
  const gateway = lazily(async () => gatewayOver(await toolbox()));
  const listModels: ListModels = async (provider, signal) => {
    if (provider === stub.provider) return { ok: true, models: [] };
    const listed = await (await modelServices()).models.list(provider, signal);
    if (listed?.ok) return listed;
    return { ok: false, message: listed?.failure.message ?? `there is no provider "${provider}"` };
  };
  let deliver: Deliver | undefined;
  const background = lazily(async () => {
    const { openBackground } = await import('./app/background.ts');
    return openBackground(base, {
      domain,
      gateway,
      deliver,
      openElsewhere: ({ workspace: root, baseUrl }) => createApp({ ...options, budget, workspace: root, baseUrl }),
    });
  });

  async function channelGateway(service: ChannelGatewayOptions): Promise<ChannelGateway> {
    const { createChannelGateway } = await import('./gateway/chats/create-channel-gateway.ts');
    const [{ ask }, box] = await Promise.all([gateway(), mailbox()]);
    return createChannelGateway({
      ...service,
      mailbox: box,
      ask,
      sessions,
      session: catalogue.get,
      workspace,
      models: listModels,
      undo: async (session, signal) => (await undo()).undo({ ...session, force: false, signal }),
      systemTimezone,
      now,
      newId,
      random: Math.random,
    });
  }

  /** On an app of its own: the gateway's turns have another workspace than the command that starts it. */
  async function openBots(context: GatewayContext): Promise<OpenedGateway> {
    const { openChannels } = await import('./gateway/service/open-channels.ts');
    return openChannels(context, {
      openInside: (inside) => createApp({ ...options, budget, ...inside }),
      caps: config,
      now,
    });
  }

  return {
    ...domain,
    config,
    sessions,
    toolbox,
    gateway,
    async recordedGateway() {
      const { createRecordedTools } = await import('./tools/recorded-tools.ts');
      const recorded = createRecordedTools(await toolbox());
      return { gateway: gatewayOver(recorded.toolbox), recorded, providerNames: providers.names };
    },
    listModels,
    gatewayAdmin,
    channelGateway,
    async mcpOffer(use) {
      const { createToolOffer } = await import('./tools/mcp/offer.ts');
      const [box, files] = await Promise.all([toolbox(), workspace()]);
      return createToolOffer({ ...use, toolbox: box, workspace: files, version, docs, skills, newId });
    },
    async mcpAdmission() {
      const { createBearerCheck, ensureToken, TOKEN_FILE } = await import('./mcp/bearer.ts');
      await ensureToken(ownerFiles);
      return { tokenPath: join(home, TOKEN_FILE), admits: createBearerCheck(ownerFiles) };
    },
    agentRuns: () => storage.agentRuns(),
    background(own) {
      deliver ??= own;
      return background();
    },
    jobs,
    isGatewayRunning,
    answerProblem,
    chatPeople: async (chat) => (await mailbox()).people(chat),
    close() {
      domain.close();
      storage.close();
    },
  };
}
