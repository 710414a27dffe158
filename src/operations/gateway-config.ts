// The settings of the gateway, gateway.json: a default layer, one for scheduled jobs, one for each channel and its accounts.
import type { ChannelTable } from '../channels/channel-table.ts';
import { channelWith, maskedFile, withoutLayer, withSettings } from '../gateway/settings/gateway-file.ts';
import { ACCOUNT_ACCEPTED, ACCOUNT_NAME, type LayerName, settingsOf } from '../gateway/settings/settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { ANY_SETTINGS, parsedSettings, refused } from './written-settings.ts';

const LAYER = {
  jobs: { ...YES_OR_NO, description: 'the settings of scheduled jobs' },
  channel: TEXT,
  account: { type: 'string', description: 'one of several bots on the channel' },
} as const;
const LAYER_INPUT = { type: 'object', properties: LAYER, additionalProperties: false } as const;

export const getGatewayConfig = defineOperation({
  name: 'gateway-config.get',
  class: 'read',
  summary: 'Read the settings of the gateway, or one layer of them, without secrets.',
  input: LAYER_INPUT,
  output: { type: 'object' },
  async run(input, { runtime }) {
    const { settingsFile, channels } = await runtime.gatewayAdmin();
    const { jobs, channel, account } = knownLayer(input, channels);
    const file = maskedFile(await settingsFile.read(), channels);
    if (jobs) return file.jobs ?? {};
    if (channel === undefined) return { ...file };
    const layer = file.channels[channel];
    return (account === undefined ? layer : layer?.accounts?.[account]) ?? {};
  },
});

export const setGatewayConfig = defineOperation({
  name: 'gateway-config.set',
  // A policy can open the bot to everybody.
  class: 'danger',
  summary: 'Put settings into a layer of gateway.json; an empty value takes one out.',
  input: {
    type: 'object',
    properties: { ...LAYER, settings: { ...ANY_SETTINGS, description: 'as on a command line, or as in gateway.json' } },
    required: ['settings'],
    additionalProperties: false,
  },
  output: objectWith({ path: TEXT, layer: TEXT, set: listOf(TEXT), removed: listOf(TEXT) }),
  async run({ settings: given, ...input }, { runtime }) {
    const { channels, settingsFile, providerProblem } = await runtime.gatewayAdmin();
    const layer = knownLayer(input, channels);
    const where = (key: string): string | undefined => belongingOf(key, layer, channels);
    const changes = parsedSettings(given, settingsOf(layer, channels), where);
    const problem = changes.provider === undefined ? undefined : await providerProblem(String(changes.provider));
    if (problem) throw refused(problem);
    await settingsFile.edit((file) => withSettings(file, layer, changes));
    const keys = Object.keys(changes);
    return {
      path: settingsFile.path,
      layer: layerName(layer),
      set: keys.filter((key) => changes[key] !== undefined),
      removed: keys.filter((key) => changes[key] === undefined),
    };
  },
});

export const clearGatewayConfig = defineOperation({
  name: 'gateway-config.clear',
  class: 'danger',
  summary: 'Empty a layer of gateway.json: the default one, that of jobs, or a channel’s.',
  input: LAYER_INPUT,
  output: objectWith({ path: TEXT, cleared: TEXT }),
  async run(input, { runtime }) {
    const { settingsFile, channels } = await runtime.gatewayAdmin();
    const layer = knownLayer(input, channels);
    await settingsFile.edit((file) => withoutLayer(file, layer));
    return { path: settingsFile.path, cleared: layerName(layer) };
  },
});

export const gatewayConfigPath = defineOperation({
  name: 'gateway-config.path',
  class: 'read',
  summary: 'Tell where gateway.json is.',
  input: NO_INPUT,
  output: objectWith({ path: TEXT }),
  run: async (_input, { runtime }) => ({ path: await pathOf(runtime) }),
});

export const checkGatewayConfig = defineOperation({
  name: 'gateway-config.check',
  class: 'read',
  summary: 'Tell whether a start would accept gateway.json, the environment, and what the channels need.',
  input: { type: 'object', properties: { channel: TEXT }, additionalProperties: false },
  output: objectWith({ valid: { const: true }, path: TEXT, bots: listOf(TEXT) }),
  async run({ channel }, { runtime }) {
    const { settingsFile, resolve, channels } = await runtime.gatewayAdmin();
    const file = await settingsFile.read();
    const configured = [...channels.keys()].filter((name) => file.channels[name] && (!channel || name === channel));
    const { bots } = await resolve({}, configured);
    const names = bots.map((bot) => `${bot.channel}/${bot.account}`);
    return { valid: true as const, path: settingsFile.path, bots: names };
  },
});

async function pathOf(runtime: Runtime): Promise<string> {
  return (await runtime.gatewayAdmin()).settingsFile.path;
}

/** Throws SETTING_REFUSED for a layer that gateway.json cannot have. */
function knownLayer({ jobs, channel, account }: LayerName, channels: ChannelTable): LayerName {
  if (jobs && channel !== undefined) throw refused('jobs and channel exclude each other: give one of them');
  if (account !== undefined && channel === undefined) throw refused('an account goes with its channel: name it too');
  if (channel !== undefined && !channels.has(channel))
    throw refused(`there is no channel "${channel}"; accepted: ${[...channels.keys()].join(', ')}`);
  if (account !== undefined && !ACCOUNT_NAME.test(account))
    throw refused(`"${account.slice(0, 60)}" is not an account; accepted: ${ACCOUNT_ACCEPTED}`);
  return { jobs, channel, account };
}

/** Where a setting belongs that exists, but not in this layer. */
function belongingOf(key: string, layer: LayerName, channels: ChannelTable): string | undefined {
  const isOfGateway = Object.hasOwn(settingsOf({}, channels), key);
  if (layer.jobs && isOfGateway)
    return `${key} is not a setting of jobs; accepted: ${Object.keys(settingsOf(layer, channels)).join(', ')}`;
  const owner = channelWith(key, channels, layer.channel);
  if (owner) return `${key} is a setting of ${owner}: add --channel ${owner}`;
  return layer.channel && isOfGateway ? `${key} is of the whole gateway: set it without --channel` : undefined;
}

function layerName({ jobs, channel, account }: LayerName): string {
  if (jobs) return 'jobs';
  return channel ? `${channel}${account === undefined ? '' : `/${account}`}` : 'default';
}
