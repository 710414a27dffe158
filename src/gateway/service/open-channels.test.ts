import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { local } from '../../channels/local/definition.ts';
import type { Deliver } from '../../vocabulary/delivery.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { ResolvedBot, ResolvedGateway } from '../settings/resolve.ts';
import { openChannels, type ServiceWorkspace } from './open-channels.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lainclaw-open-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('results of sub-agents go to the chat they were asked from or one the owner has listed, and to no other', async () => {
  const sent: string[] = [];
  const handed = Promise.withResolvers<Deliver>();
  const bot = {
    definition: local,
    channel: 'local',
    account: 'default',
    own: { folder },
    settings: { sendAllow: ['local:listed'] },
  } as unknown as ResolvedBot;
  const resolved = { service: { workspace: folder }, jobs: {}, bots: [bot], secrets: [] } as unknown as ResolvedGateway;
  const workspace: ServiceWorkspace = {
    sharedChats: async () => expect.fail('the storage is not shared'),
    channelGateway: async () =>
      ({
        start: async () => {},
        send: async ({ chatId }: { chatId: string }) => {
          sent.push(chatId);
          return { keys: [] };
        },
      }) as unknown as ChannelGateway,
    jobs: async () => ({ scheduler: async () => ({ start: async () => {} }) as never }),
    mcpOffer: () => Promise.reject(new Error('not asked')),
    close: async () => {},
  };
  const { gateway } = await openChannels(
    {
      settings: () => resolved,
      bot: () => bot,
      access: { admit: async () => ({ allowed: false, reason: '' }), stillAdmits: async ({ id }) => id === 'anna' },
      claimant: { name: 'gateway-service', token: 1 },
      log() {},
    },
    {
      openWorkspace: async () => workspace,
      async openBackground({ deliver }) {
        handed.resolve(deliver);
        return { work: async () => {} };
      },
      mailbox: async () =>
        ({
          people: async ({ chatId }: { chatId: string }) =>
            chatId === 'known' ? [{ id: 'anna', chatKind: 'direct' }] : [],
        }) as never,
      hasSession: async (sessionKey) => sessionKey === 'local:known',
      mcpAdmission: () => Promise.reject(new Error('not asked')),
      caps: {},
      now: Date.now,
    },
  );
  await gateway.start(new AbortController().signal);
  const deliver = await eventually(() => handed.promise);
  const refused = { refused: expect.stringContaining('may not be written to') };
  const to = (chat: string, from: string) =>
    deliver({ key: chat, chat, text: 'the result', asker: { kind: 'chat', chat: from } });
  expect([
    await to('local:known', 'local:known'),
    await to('local:known', 'local:mallory'),
    await to('local:listed', 'local:mallory'),
    await to('local:mallory', 'local:known'),
  ]).toEqual(['sent', refused, 'sent', refused]);
  expect(sent).toEqual(['known', 'listed']);
});
