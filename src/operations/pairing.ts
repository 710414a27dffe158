// Who may write to the gateway's bots: who waits, who was admitted, and changing it.

import { CHANNEL_NAMES, isChannelName } from '../channels/channel-table.ts';
import type { PairingScope } from '../gateway/access/pairing.ts';
import type { GatewayAdmin } from '../gateway/service/gateway-admin.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const SCOPE = {
  channel: { type: 'string', description: 'only this channel; by default all' },
  account: { type: 'string', description: 'only this account; by default all' },
} as const;
const ALLOWED = objectWith({ channel: TEXT, entry: TEXT }, { account: TEXT });
const REQUEST = objectWith(
  { id: TEXT, code: TEXT, channel: TEXT, account: TEXT, createdAt: TIME, lastSeenAt: TIME, expiresAt: TIME },
  { meta: { type: 'object', properties: { name: TEXT } } },
);

export const listPairing = defineOperation({
  name: 'pairing.list',
  class: 'read',
  summary: 'List who waits to be admitted and who was.',
  input: { type: 'object', properties: SCOPE, additionalProperties: false },
  output: objectWith({ requests: listOf(REQUEST), allowed: listOf(ALLOWED) }),
  async run(input, { runtime }) {
    const pairing = await (await runtime.gatewayAdmin()).pairing();
    const scope = scopeOf(input);
    const [requests, allowed] = await Promise.all([pairing.waiting(scope), pairing.allowed(scope)]);
    return { requests, allowed };
  },
});

export const approvePairing = defineOperation({
  name: 'pairing.approve',
  class: 'danger',
  summary: 'Admit the person who was given this code.',
  input: { type: 'object', properties: { code: TEXT, ...SCOPE }, required: ['code'], additionalProperties: false },
  output: objectWith({ approved: ALLOWED, told: YES_OR_NO }),
  async run({ code, ...scope }, { runtime }) {
    const pairing = await (await runtime.gatewayAdmin()).pairing();
    const { allowed, isTold } = await pairing.approve(code, scopeOf(scope));
    return { approved: allowed, told: isTold };
  },
});

export const revokePairing = defineOperation({
  name: 'pairing.revoke',
  class: 'change',
  summary: 'Take a person off the lists and end their request.',
  input: { type: 'object', properties: { entry: TEXT, ...SCOPE }, required: ['entry'], additionalProperties: false },
  output: objectWith({ removed: listOf(ALLOWED), endedRequests: COUNT, stillAllowedBySettings: listOf(TEXT) }),
  async run({ entry, ...given }, { runtime }) {
    const admin = await runtime.gatewayAdmin();
    const scope = scopeOf(given);
    const stillAllowedBySettings = await listedInSettings(entry, admin, scope);
    return { ...(await (await admin.pairing()).revoke(entry, scope)), stillAllowedBySettings };
  },
});

function scopeOf({ channel, account }: { channel?: string; account?: string }): PairingScope {
  return { channels: channel === undefined ? CHANNEL_NAMES : [channel], account };
}

/** A list in the settings admits as well, whatever the files say. */
async function listedInSettings(entry: string, admin: GatewayAdmin, scope: PairingScope): Promise<string[]> {
  const places = await Promise.all(
    scope.channels.filter(isChannelName).map(async (channel) => {
      const settings = await admin.botSettings(channel, scope.account ?? 'default');
      return settings.pairingAllowFrom.includes(entry) ? [channel] : [];
    }),
  );
  return places.flat();
}
