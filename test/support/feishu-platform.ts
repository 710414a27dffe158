// A fake Feishu with three chats, and channels connected to it.
import type { Channel } from '../../src/channels/channel.ts';
import { createFeishuChannel, type FeishuChannelOptions } from '../../src/channels/feishu/feishu.ts';
import { createReceiver } from '../conformance/channel-subject.ts';
import {
  type FeishuServer,
  type FeishuServerOptions,
  startFeishuServer,
} from '../fakes/feishu-server/feishu-server.ts';

export const DIRECT = 'oc_direct';
export const OTHER = 'oc_other';
export const GROUP = 'oc_group';
export const ANNA = 'ou_anna';
export const never = new AbortController().signal;

export async function startPlatform(options: FeishuServerOptions = {}): Promise<FeishuServer> {
  const server = await startFeishuServer(options);
  server.addChat(DIRECT, 'p2p', ANNA);
  server.addChat(OTHER, 'p2p', 'ou_boris');
  server.addChat(GROUP, 'group');
  return server;
}

export function channelOn(server: FeishuServer, more: Partial<FeishuChannelOptions> = {}): Channel {
  return createFeishuChannel({
    account: 'default',
    appId: server.appId,
    appSecret: server.appSecret,
    domain: server.url,
    mode: 'websocket',
    now: Date.now,
    timings: { pauseMs: 20, maxPauseMs: 100, pongMs: 1_000, attemptMs: 10_000 },
    ...more,
  });
}

export async function connectedTo(server: FeishuServer, more: Partial<FeishuChannelOptions> = {}) {
  const channel = channelOn(server, more);
  const receiver = createReceiver();
  await channel.connect(receiver.receive, never);
  return { channel, receiver };
}
