// The bots of the settings as channels, and the gateway around them; where several gateways share the storage, with a connection for each bot whose lock this
// process holds.
import type { Channel } from '../../channels/channel.ts';
import type { Caps } from '../../pipeline/budget.ts';
import type { Fence, Locks } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { ChannelGatewayDependencies } from '../chats/channel-gateway-dependencies.ts';
import type { BotSettings, ChatLimits } from '../chats/chat.ts';
import type { SharedChats, SharedChatsDependencies } from '../chats/create-shared-chats.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import type { OpenedGateway } from './run-service.ts';
import type { Log } from './service-log.ts';
import { createSharedBots } from './shared-bots.ts';

/** What chats need besides their channels and the lock that their messages are claimed under. */
export type ChatsOptions = Pick<ChannelGatewayDependencies, 'admit' | 'mayReceive' | 'settings' | 'limits' | 'log'>;

interface BotsDependencies {
  bots: readonly ResolvedBot[];
  workspace: {
    channelGateway(
      options: ChatsOptions & Pick<ChannelGatewayDependencies, 'channels' | 'claimant'>,
    ): Promise<ChannelGateway>;
  };
  chats: ChatsOptions;
  now(): number;
  log: Log;
}

type OpenedBots = Pick<OpenedGateway, 'gateway' | 'channels'>;

export async function openBots({
  bots,
  workspace,
  chats,
  claimant,
  now,
  log,
}: BotsDependencies & { claimant: Fence }): Promise<OpenedBots> {
  const channels = await Promise.all(bots.map((each) => openChannel(each, { now, log })));
  return { gateway: await workspace.channelGateway({ ...chats, channels, claimant }), channels };
}

/** Every gateway answers chats of every bot; the one that holds a bot's lock is connected to its platform. */
export async function openSharedBots(
  dependencies: Omit<BotsDependencies, 'workspace'> & {
    workspace: { sharedChats(options: ChatsOptions & Pick<SharedChatsDependencies, 'senders'>): Promise<SharedChats> };
    locks: Locks;
    mailbox: Mailbox;
  },
): Promise<OpenedBots> {
  const { bots, workspace, chats, locks, mailbox, now, log } = dependencies;
  const own = new Map<ResolvedBot, Channel>();
  const senders = await Promise.all(bots.map((each) => openChannel(each, { now, log })));
  const shared = await workspace.sharedChats({ ...chats, senders });
  const connections = createSharedBots({
    bots: bots.map(({ channel, account }) => ({ channel, account })),
    locks,
    mailbox,
    async open({ channel: name, account }, lock) {
      const settings = bots.find((each) => each.channel === name && each.account === account);
      if (!settings) throw new Error(`there is no bot ${name}/${account}`);
      const channel = await openChannel(settings, { now, log });
      own.set(settings, channel);
      return shared.connect(channel, lock);
    },
    queue: shared.send,
    now,
    log: (level, message, bot) => log({ level, event: 'bot', ...bot, message }),
  });
  const gateway: ChannelGateway = {
    ...connections,
    async start(signal) {
      await shared.start();
      try {
        await connections.start(signal);
      } catch (error) {
        await shared.drain(AbortSignal.abort());
        await shared.close();
        throw error;
      }
    },
    async status() {
      const status = await connections.status();
      return { ...status, runningTurns: status.runningTurns + shared.running };
    },
    problem: shared.problem,
    wake() {
      connections.wake();
      shared.wake();
    },
    async stopChannel(channel, signal) {
      await shared.stopChannel(channel, signal);
      return connections.stopChannel(channel, signal);
    },
    async drain(signal) {
      await shared.drain(signal);
      await connections.drain(signal);
      await shared.close();
    },
  };
  const channels = bots.map((each) => ({
    name: each.channel,
    account: each.account,
    webhook: async (request: Request): Promise<Response> => {
      const channel = own.get(each);
      if (!channel || channel.status().state === 'closed')
        return refusal(503, 'STANDBY', 'another gateway runs this bot');
      return channel.webhook ? channel.webhook(request) : refusal(404, 'NOT_FOUND', 'there is no webhook here');
    },
  }));
  return { gateway, channels };
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}

/** Each platform's library is loaded with its first bot. */
function openChannel(
  { definition, channel, account, own }: ResolvedBot,
  { now, log }: { now(): number; log: Log },
): Promise<Channel> {
  const warn = (message: string): void => log({ level: 'warn', event: 'channel', channel, account, message });
  return definition.open({ account, settings: own, now, warn });
}

export function turnSettings({ settings }: ResolvedBot, caps: Caps): BotSettings {
  const { provider, profile, model, withTools, toolAllow, toolMaxSteps, memory, mode, groups } = settings;
  return {
    turn: { provider, profileId: profile, model, withTools, toolAllow, toolMaxSteps, memory, mode, caps },
    groups,
  };
}

export function chatLimits({
  debounceMs,
  maxConcurrentTurns,
  approvalTimeoutMs,
}: ServiceSettings): Partial<ChatLimits> {
  return { debounceMs, concurrentTurns: maxConcurrentTurns, approvalMs: approvalTimeoutMs };
}
