import type { FileHandle } from 'node:fs/promises';
import type { Background } from '../agents/background.ts';
import { CHANNEL_NAMES } from '../channels/channel-table.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { OpenedConsole, ServiceParts } from '../gateway/service/console-parts.ts';
import type { GatewayAdmin, OpenGateway } from '../gateway/service/gateway-admin.ts';
import type { TurnHub } from '../gateway/turns/turn-hub.ts';
import { lazily } from '../lib/lazily.ts';
import type { SecretAttempt } from '../lib/secret-attempts.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { DELETIONS_FILE } from '../sessions/deletions.ts';
import type { SessionChanges } from '../sessions/session-changes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { AgentRuns } from '../storage/agent-runs.ts';
import type { Audit } from '../storage/audit.ts';
import type { Backups } from '../storage/backups.ts';
import type { HomeCheck } from '../storage/home-check.ts';
import type { Limits } from '../storage/limits.ts';
import { type Spending, StorageError, type Trust } from '../storage/storage.ts';
import type { AnswerProblem } from '../tools/answer-problem.ts';
import { createUnfinishedUndos, UNFINISHED_UNDOS_FILE } from '../undo/unfinished-undos.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { type BackgroundOptions, openBackground } from './background.ts';
import { type BaseOptions, createBase } from './base.ts';
import { type BesideGateway, createBesideGateway } from './beside-gateway.ts';
import { type ConfigStore, createConfigStore } from './config-store.ts';
import { type ConsoleStores, createConsoleStores } from './console-stores.ts';
import type { FactExtraction } from './fact-extraction.ts';
import type { ForgetEverywhere } from './forget-everywhere.ts';
import { createForgetMore } from './forget-more.ts';
import { FORGETTING_FILE, type Forgotten } from './forgettings.ts';
import { createGatewayService } from './gateway-service.ts';
import { type OperationsOn, withoutOperations } from './invoke-on-runtime.ts';
import { createFinishKilledCommands, type FinishKilledCommands } from './killed-commands.ts';
import { createProviders } from './providers.ts';
import type { Rewinding } from './rewind.ts';
import { createServices, type Services } from './services.ts';
import type { StoreAdmin } from './store-admin.ts';
import { type OpenWorkspace, openWorkspace, type ProcessServices, type RuntimeWorkspace } from './workspace.ts';

export interface RuntimeOptions extends BaseOptions {
  /** What the gateway service runs; by default the configured bots. */
  openGateway?: OpenGateway;
  /** Loads the operations that commands of chats call. */
  operations?: OperationsOn<Runtime>;
  /** Loads the console that the gateway service offers. */
  console?: () => Promise<{ openConsole(runtime: Runtime, parts: ServiceParts): Promise<OpenedConsole> }>;
}

export interface Runtime extends Services, ConsoleStores {
  /** What the process handed over: home, working directory, variables. */
  environment: Environment;
  /** As it was when the process started. */
  config: Config;
  /** As config.json is now: somebody may have changed it since. */
  currentConfig(): Promise<Config>;
  /** Every turn of this process: its events, its questions, stopping it. */
  hub: TurnHub;
  configFile: ConfigStore;
  /** The provider when no flag names one: the configured one, otherwise one somebody is signed in to, otherwise `stub`. */
  defaultProvider(): Promise<string>;
  sessions: Sessions;
  /** Who did what, and why it was allowed. */
  audit(): Promise<Audit>;
  /** Everything of the home as one file. */
  backups(): Promise<Backups>;
  /** The database that the setting `store` names. */
  store(): Promise<StoreAdmin>;
  /** Which files of the home are damaged, and what repairs each. */
  homeCheck(): Promise<HomeCheck>;
  /** Titles, copies and deletion of sessions. */
  sessionChanges(): Promise<SessionChanges>;
  /** Removes what an unlisted session left that nobody continues: transcript, outputs, results for reuse. */
  dropSession(sessionId: string): Promise<void>;
  /** Going back to an earlier turn. */
  rewinding(): Promise<Rewinding>;
  /** Finishes what a killed process had begun to undo; returns the keys of sessions in which it went back to an earlier turn. */
  finishUndos(): Promise<string[]>;
  /** Puts back what commands have left whose Lainclaw was killed. */
  finishKilledCommands: FinishKilledCommands;
  /** Forgetting a text wherever it is kept. */
  forgetEverywhere(): Promise<ForgetEverywhere>;
  /** What was forgotten everywhere, the newest first, without its text. */
  forgotten(limit: number): Promise<Forgotten[]>;
  /** Folders whose instructions are followed. */
  trust: Trust;
  /** What models have cost on a day (`2026-12-01`), over all processes. */
  spentOn: Spending['on'];
  openWorkspace: OpenWorkspace;
  /** Facts that a model extracts from conversations. */
  factExtraction(): Promise<FactExtraction>;
  /** Extracts them in the background while no turn runs, until the runtime is closed. */
  extractInBackground(log: (text: string) => void): void;
  /** Scheduled jobs; a workspace's `jobs` runs them. */
  schedule(): Promise<Schedule>;
  /** The runs of sub-agents in the background that are on record. */
  agentRuns(): Promise<AgentRuns>;
  /** Runs them. One for each process that does. */
  openBackground(options?: BackgroundOptions): Promise<Background>;
  /** The gateway as a service: settings, access, start and stop. */
  gatewayAdmin(): Promise<GatewayAdmin>;
  isGatewayRunning(): Promise<boolean>;
  publishTurns: BesideGateway['publishTurns'];
  followQuestions: BesideGateway['followQuestions'];
  /** Counted over every gateway of the storage. */
  limits(): Promise<Limits>;
  /** Opens an output of a session by the path that its transcript names, whichever machine made it. The caller closes it. */
  openOutput(sessionId: string, path: string): Promise<FileHandle | undefined>;
  /** Why an answer of background work to this chat would be refused; undefined when it would go there. */
  answerProblem: AnswerProblem;
  /** Takes what conversations wrote here with content from outside for the person's own. Resolves with how many entries that were. */
  approveFiles(path: string): Promise<number>;
  /** Everyone with the token may use our tools over HTTP. The token is made when there is none. */
  mcpAdmission(): Promise<{ tokenPath: string; admits(request: Request): Promise<SecretAttempt> }>;
  /** Closes the workspaces that are open, then everything else. Resolves when nothing is left running. */
  close(): Promise<void>;
}

export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const base = await createBase(options);
  const { environment, config, storage, sessions, mailbox, now } = base;
  const { ownerFiles, locks } = storage;
  const services = createServices(base);
  const finishKilledCommands = createFinishKilledCommands(base, services);
  const openSchedule = lazily(async () => {
    const { openSchedule: open } = await import('../schedule/open-schedule.ts');
    return open({ ...base, jobs: await storage.jobs(), locks, channels: CHANNEL_NAMES });
  });
  const schedule = async (): Promise<Schedule> => (await openSchedule()).schedule;

  async function defaultProvider(): Promise<string> {
    if (config.isProviderSet) return config.provider;
    // The model services are loaded only where somebody has signed in.
    if ((await ownerFiles.read('auth-profiles.json').catch(() => undefined)) === undefined) return config.provider;
    const signedIn = await (await services.modelServices()).signedIn().catch(() => undefined);
    return signedIn ?? config.provider;
  }

  const { console: loadConsole } = options;
  const service = createGatewayService(base, {
    defaultProvider,
    providerNames: createProviders(services.modelServices, environment.variables).names,
    open: (context) => (options.openGateway ?? openService)(context),
    openConsole: loadConsole && (async (parts) => (await loadConsole()).openConsole(runtime, parts)),
    hasSession,
  });
  const invoke: ProcessServices['invoke'] = async (name, input, asked) => {
    const { invokeFromChat } = await (options.operations ?? withoutOperations)();
    return invokeFromChat(name, input, { ...asked, runtime });
  };
  const shared = {
    ...services,
    ...service,
    invoke,
    schedule,
    openSchedule,
    forgetMore: createForgetMore({
      everywhere: () => forgetEverywhere(),
      sessionChanges: () => sessionChanges(),
      sessions,
    }),
    startWorker: () => void import('../agents/start-worker.ts').then(({ startWorker }) => startWorker(environment)),
  };

  let isClosed = false;
  const beside = createBesideGateway(base);
  const open = new Set<RuntimeWorkspace>();
  const opening: OpenWorkspace = async (workspaceOptions = {}) => {
    if (isClosed) throw new CodedError('RUNTIME_CLOSED', 'the runtime is closed');
    await finishInterrupted();
    const workspace = await openWorkspace(base, { ...shared, finishInterrupted }, workspaceOptions);
    const tracked: RuntimeWorkspace = {
      ...workspace,
      async close() {
        await workspace.close();
        open.delete(tracked);
      },
    };
    open.add(tracked);
    return tracked;
  };
  const background: Runtime['openBackground'] = (backgroundOptions = {}) =>
    openBackground(base, opening, backgroundOptions);

  /** The service opens workspaces of its own: its turns run elsewhere than the command that starts it. */
  const openService: OpenGateway = async (context) => {
    const { openChannels } = await import('../gateway/service/open-channels.ts');
    const opened = await openChannels(context, {
      openWorkspace: opening,
      openBackground: background,
      mailbox,
      hasSession,
      mcpAdmission,
      caps: config,
      now,
    });
    extractInBackground((message) => context.log({ level: 'info', event: 'note', message }));
    const closings: (() => Promise<unknown>)[] = [async () => opened.close?.()];
    if (storage.cluster) {
      const { joinGateways } = await import('./join-gateways.ts');
      closings.push(await joinGateways(base, context.log));
    }
    if (config.backups !== 0) {
      const { startDailyBackup } = await import('./daily-backup.ts');
      closings.push(startDailyBackup({ ...environment, log: context.log }).stop);
    }
    return {
      ...opened,
      async close() {
        for (const close of closings.reverse()) await close();
      },
    };
  };

  async function hasSession(sessionKey: string): Promise<boolean> {
    return (await storage.catalogue.get(sessionKey)) !== undefined;
  }

  async function approveFiles(path: string): Promise<number> {
    const { createTaintMemory } = await import('../tools/tainted-content/taint-memory.ts');
    // The record is one for all workspaces: seen from the root, every path is in it.
    return createTaintMemory({ files: ownerFiles, root: '/', now, newId: base.newId }).approve(path.slice(1) || '.');
  }

  async function mcpAdmission(): ReturnType<Runtime['mcpAdmission']> {
    const [{ createBearerCheck, ensureToken, TOKEN_FILE }, { createSecretAttempts, WRONG_SECRETS }, limits] =
      await Promise.all([import('../mcp/bearer.ts'), import('../lib/secret-attempts.ts'), storage.limits()]);
    const wrongTokens = createSecretAttempts(limits.counter('mcp-token', WRONG_SECRETS));
    await ensureToken(ownerFiles);
    return { tokenPath: ownerFiles.location(TOKEN_FILE), admits: createBearerCheck(ownerFiles, wrongTokens) };
  }

  const sessionChanges = lazily(async () => (await import('./session-changes.ts')).openSessionChanges(base, services));
  const forgetEverywhere = lazily(async () => {
    const { createForgetEverywhere } = await import('./forget-everywhere.ts');
    return createForgetEverywhere(base, { services, sessionChanges });
  });
  await finishDeletions();
  await finishForgetting();
  await finishKilledCommands();
  /** One after the other; what waits for a turn is forgotten when it has ended. */
  let forgetting: Promise<void> = Promise.resolve();
  const stopListening = base.onTurns(() => {
    if (!base.hub.isIdle) return;
    forgetting = forgetting.then(finishForgetting).catch((error: Error) => base.warn(error.message));
  });

  /** What a killed process had begun to delete. */
  async function finishDeletions(): Promise<void> {
    if ((await ownerFiles.read(DELETIONS_FILE).catch(() => undefined)) === undefined) return;
    try {
      await (await sessionChanges()).finishDeletions();
    } catch (error) {
      // A file may be damaged that has something of the session: no other command fails because of it.
      if (!(error instanceof CodedError)) throw error;
      base.warn(`a deletion that was cut short could not be finished: ${error.message}`);
    }
  }

  /** What a killed process had begun to forget, or what waited for a turn. */
  async function finishForgetting(): Promise<void> {
    if ((await ownerFiles.read(FORGETTING_FILE).catch(() => undefined)) === undefined) return;
    try {
      await (await forgetEverywhere()).finish();
    } catch (error) {
      // No command fails because of it: the next one tries again.
      const { message } = error as Error;
      base.warn(`something that was to be forgotten is not forgotten everywhere yet: ${message}`);
    }
  }

  /** What a killed process had begun to undo: nobody works on files that are half restored. */
  async function finishUndos(): Promise<string[]> {
    if ((await ownerFiles.read(UNFINISHED_UNDOS_FILE).catch(() => undefined)) === undefined) return [];
    try {
      await (await services.undo()).finishInterrupted();
      return await (await rewinding()).finishInterrupted();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      base.warn(`an undo that was interrupted could not be finished: ${error.message}`);
      return [];
    }
  }

  /** Before anybody works on files, and before git or an editor finds what a killed command has left. */
  async function finishInterrupted(): Promise<void> {
    await finishKilledCommands();
    await finishUndos();
  }

  const rewinding = lazily(async () => {
    const { createRewinding } = await import('./rewind.ts');
    const unfinished = createUnfinishedUndos(ownerFiles);
    return createRewinding({ sessions, sessionChanges, undo: services.undo, unfinished, locks, warn: base.warn });
  });

  const factExtraction = lazily(async () => {
    const [{ createFactExtraction }, { providerOfProfile }] = await Promise.all([
      import('./fact-extraction.ts'),
      import('./asked-turn.ts'),
    ]);
    return createFactExtraction(base, {
      services,
      providers: createProviders(services.modelServices, environment.variables),
      defaultProvider,
      providerOf: (profileId) => providerOfProfile(profileId, services.modelServices),
    });
  });

  const closing = new AbortController();
  let extracting: Promise<void> = Promise.resolve();
  function extractInBackground(log: (text: string) => void): void {
    extracting = factExtraction()
      .then(({ watch }) => watch({ signal: closing.signal, log }))
      .catch((error: Error) => log(`facts: ${error.message}`));
  }

  const runtime: Runtime = {
    ...services,
    currentConfig: base.currentConfig,
    factExtraction,
    extractInBackground,
    environment,
    config,
    hub: base.hub,
    configFile: createConfigStore(environment, ownerFiles),
    defaultProvider,
    sessions,
    audit: () => storage.audit(),
    backups: () => storage.backups(),
    store: async () => (await import('./store-admin.ts')).createStoreAdmin(config, environment),
    homeCheck: () => storage.homeCheck(),
    sessionChanges,
    async dropSession(sessionId) {
      sessions.forget(sessionId);
      await (await services.processes.made())?.endSession(sessionId);
      const { transcripts, outputs, resultCache } = storage;
      await Promise.all([outputs.remove(sessionId), resultCache.forget(sessionId)]);
      await transcripts.remove(sessionId);
    },
    rewinding,
    finishUndos,
    finishKilledCommands,
    forgetEverywhere,
    forgotten: async (limit) => (await import('./forgettings.ts')).createForgettings(ownerFiles).forgotten(limit),
    trust: storage.trust,
    spentOn: (day) => storage.spending.on(day),
    openWorkspace: opening,
    schedule,
    agentRuns: () => storage.agentRuns(),
    openBackground: background,
    gatewayAdmin: service.gatewayAdmin,
    isGatewayRunning: service.isGatewayRunning,
    publishTurns: beside.publishTurns,
    followQuestions: beside.followQuestions,
    limits: () => storage.limits(),
    ...createConsoleStores(base),
    openOutput: (sessionId, path) => storage.outputs.open(path, sessionId),
    answerProblem: service.answerProblem,
    mcpAdmission,
    approveFiles,
    async close() {
      isClosed = true;
      closing.abort();
      await Promise.all([...open].map((workspace) => workspace.close()));
      await beside.close();
      await extracting;
      stopListening();
      await forgetting;
      await finishForgetting();
      await services.close();
      await storage.close();
    },
  };
  return runtime;
}
