// What the service runs: the channels of its bots, and the chats behind them, in the gateway's own workspace.
import type { Background } from '../../agents/background.ts';
import type { Mode } from '../../config/mode.ts';
import { lazily } from '../../lib/lazily.ts';
import type { SecretAttempt } from '../../lib/secret-attempts.ts';
import type { Offer } from '../../mcp/serve.ts';
import type { Caps } from '../../pipeline/budget.ts';
import { createLastingScheduler } from '../../schedule/lasting-scheduler.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import { ensureDirectory } from '../../storage/private-files.ts';
import type { Deliver } from '../../vocabulary/delivery.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { ChannelGatewayDependencies } from '../chats/channel-gateway-dependencies.ts';
import type { SharedChats, SharedChatsDependencies } from '../chats/create-shared-chats.ts';
import { sessionKeyOf } from '../chats/session-key-of.ts';
import { jobTurn } from '../job-turn.ts';
import type { WorkspaceJobs } from '../open-jobs.ts';
import { mayReceive } from './answer-target.ts';
import { type ChatsOptions, chatLimits, openBots, openSharedBots, turnSettings } from './open-bots.ts';
import type { GatewayContext, OpenedGateway } from './run-service.ts';
import { createDeliver, withJobs } from './with-jobs.ts';

/** What the service uses of a workspace. */
export interface ServiceWorkspace {
  channelGateway(
    options: ChatsOptions & Pick<ChannelGatewayDependencies, 'channels' | 'claimant'>,
  ): Promise<ChannelGateway>;
  /** Where several gateways share the storage. */
  sharedChats(options: ChatsOptions & Pick<SharedChatsDependencies, 'senders'>): Promise<SharedChats>;
  jobs(): Promise<Pick<WorkspaceJobs, 'scheduler'>>;
  mcpOffer(use: { allow: readonly string[] | undefined; mode: Mode }): Promise<Offer>;
  close(): Promise<void>;
}

export interface OpenChannelsDependencies {
  openWorkspace(options: {
    root: string;
    ownToolsOnly?: boolean;
    onQueued(): void;
    warn(text: string): void;
  }): Promise<ServiceWorkspace>;
  openBackground(options: {
    deliver: Deliver;
    onQueued(): void;
    warn(text: string): void;
  }): Promise<Pick<Background, 'work'>>;
  mailbox(): Promise<Mailbox>;
  hasSession(sessionKey: string): Promise<boolean>;
  mcpAdmission(): Promise<{ admits(request: Request): Promise<SecretAttempt> }>;
  caps: Caps;
  now(): number;
}

const LOOK_EVERY_MS = 60_000;
/** What a gateway leaves that is lost is reported by another within five seconds. */
const SHARED_SCHEDULER = { settleEveryMs: 1_500, longestWaitMs: 1_500 };

export async function openChannels(
  { settings, bot, access, claimant, sharedLocks, log }: GatewayContext,
  dependencies: OpenChannelsDependencies,
): Promise<OpenedGateway> {
  const { openWorkspace, openBackground, mailbox, hasSession, mcpAdmission, caps, now } = dependencies;
  const chatPeople: Mailbox['people'] = async (chat) => (await mailbox()).people(chat);
  const { service, bots } = settings();
  await ensureDirectory(service.workspace);
  const ended = new AbortController();
  const note = (level: 'info' | 'warn', message: string): void => log({ level, event: 'note', message });
  const common = { onQueued: () => void work(), warn: (text: string) => note('warn', text) };
  const place = { root: service.workspace, ...common };
  const workspace = await openWorkspace(place);
  const background = lazily(() => openBackground({ deliver, ...common }));
  /** Runs of sub-agents are taken up here, where their results can be sent. */
  const work = async (): Promise<void> => {
    try {
      await (await background()).work(ended.signal);
    } catch (error) {
      note('warn', (error as Error).message);
    }
  };
  const chats: ChatsOptions = {
    admit: async (message, { channel, account }) => {
      const admission = await access.admit(message, { channel, account });
      const { sender } = message;
      if (!admission.allowed)
        log({
          level: 'info',
          event: 'refused',
          channel,
          account,
          sender: sender.id,
          message: `${sender.id}: ${admission.reason}`,
        });
      return admission;
    },
    mayReceive: (chat) => mayReceive(chat, { bots: () => settings().bots, access, people: chatPeople }),
    settings: async ({ channel, account }) => turnSettings(bot(channel, account), caps),
    limits: chatLimits(service),
    log: (message, { level = 'info', event = 'note', chat } = {}) =>
      log({ level, event, ...chat, message: chat ? `${chat.chatId}: ${message}` : message }),
  };
  const { gateway, channels } = sharedLocks
    ? await openSharedBots({ bots, locks: sharedLocks, workspace, chats, mailbox: await mailbox(), now, log })
    : await openBots({ bots, workspace, chats, claimant, now, log });
  const deliver = createDeliver(gateway.send, {
    bots: () => settings().bots,
    access,
    people: chatPeople,
    hasSession: (chat) => hasSession(sessionKeyOf(chat)),
    isShared: sharedLocks !== undefined,
  });
  const { scheduler: openScheduler } = await workspace.jobs();
  const jobTurns = () => jobTurn(settings().jobs, caps);
  const scheduler = sharedLocks
    ? createLastingScheduler({
        open: (onLost) => openScheduler(jobTurns, { deliver, ...SHARED_SCHEDULER, onLost }),
        log: (text) => note('warn', text),
      })
    : await openScheduler(jobTurns, { deliver });
  const unlike = bots.find((each) => each.settings.provider !== settings().jobs.provider);
  if (unlike) {
    const { provider } = settings().jobs;
    note(
      'info',
      `scheduled jobs ask ${provider}, ${unlike.channel} asks ${unlike.settings.provider}: to change it, lainclaw gateway config set --jobs provider=${unlike.settings.provider}`,
    );
  }
  // Another agent gets our own tools, never those of servers: we might be one of them.
  const offering = lazily(async () => {
    const { openMcpHttp } = await import('../../mcp/open-http.ts');
    const own = await openWorkspace({ ...place, ownToolsOnly: true });
    const [first] = settings().bots;
    const allow = (first?.settings ?? settings().jobs).toolAllow;
    const [offer, { admits }] = await Promise.all([own.mcpOffer({ allow, mode: 'ask' }), mcpAdmission()]);
    const handler = await openMcpHttp({ offer, admits, onError: (error) => note('warn', `mcp: ${error.message}`) });
    return { own, handler };
  });
  const running = withJobs(gateway, scheduler);
  let looking: NodeJS.Timeout | undefined;
  return {
    gateway: {
      ...running,
      async start(signal) {
        await running.start(signal);
        // What an earlier process left in the queue, and what others put there without being able to say so.
        setImmediate(() => void work());
        looking = setInterval(() => void work(), LOOK_EVERY_MS).unref();
      },
      wake() {
        running.wake();
        void work();
      },
    },
    channels,
    mcp: async (request) => (await offering()).handler.handle(request),
    async close() {
      clearInterval(looking);
      ended.abort();
      // What was cut short is on record before storage closes.
      await (await background.made())?.work(ended.signal).catch(() => {});
      await workspace.close();
      const offered = await offering.made();
      await offered?.handler.close();
      await offered?.own.close();
    },
  };
}
