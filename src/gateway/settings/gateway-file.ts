// gateway.json: {version:1, default:{…}, jobs:{…}, channels:{<channel>:{…, accounts:{<account>:{…}}}}}. It is checked as a whole and every
// problem is reported at once, by path, with what is accepted. Secrets are in no message: not the values of secret settings,
// not those of keys that do not exist (a misspelt botToken), and no piece of a text that is not JSON.

import type { ChannelTable } from '../../channels/channel-table.ts';
import type { ChannelSetting } from '../../channels/definition.ts';
import { ConfigError } from '../../config/config-error.ts';
import { isReference } from '../../config/kinds.ts';
import { nearest } from '../../lib/nearest.ts';
import {
  ACCOUNT_ACCEPTED,
  ACCOUNT_NAME,
  BOT_SETTINGS,
  type LayerName,
  SERVICE_SETTINGS,
  settingsOf,
} from './settings.ts';

export type Layer = Record<string, unknown>;
export type ChannelLayer = Layer & { accounts?: Record<string, Layer> };

export interface GatewayFile {
  version: 1;
  default: Layer;
  channels: Record<string, ChannelLayer | undefined>;
  /** Of scheduled jobs. */
  jobs?: Layer;
}

export const GATEWAY_FILE = 'gateway.json';
const HIDDEN = '***';

export function emptyFile(): GatewayFile {
  return { version: 1, default: {}, channels: {} };
}

/** Throws ConfigError with every problem. */
export function parseGatewayFile(source: string | undefined, path: string, channels: ChannelTable): GatewayFile {
  if (source === undefined) return emptyFile();
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON${whereOf((error as Error).message, source)}`);
  }
  const problems = problemsOf(value, channels);
  if (problems.length > 0) throw new ConfigError(`${path}: ${problems.join('; ')}`);
  const { default: layer = {}, channels: layers = {}, jobs } = value as Partial<GatewayFile>;
  return { version: 1, default: layer, channels: layers, ...(jobs && { jobs }) };
}

export function problemsOf(value: unknown, channels: ChannelTable): string[] {
  if (!isObject(value)) return ['it must hold a JSON object'];
  const { version, default: layer, channels: layers, jobs, ...others } = value;
  const problems = Object.keys(others).map((key) => unknownKey('', key, ['version', 'default', 'channels', 'jobs']));
  if (version !== 1) problems.push(`version is ${shown(version)}; accepted: 1`);
  if (layer !== undefined) problems.push(...layerProblems('default', layer, {}, channels));
  if (jobs !== undefined) problems.push(...layerProblems('jobs', jobs, { jobs: true }, channels));
  if (layers === undefined) return problems;
  if (!isObject(layers)) return [...problems, 'channels must be an object'];
  for (const [name, settings] of Object.entries(layers)) {
    if (channels.has(name)) problems.push(...channelProblems(name, settings, channels));
    else problems.push(unknownKey('channels.', name, [...channels.keys()], 'a channel'));
  }
  return problems;
}

function channelProblems(channel: string, value: unknown, channels: ChannelTable): string[] {
  const path = `channels.${channel}`;
  if (!isObject(value)) return [`${path} must be an object`];
  const { accounts, ...own } = value;
  const problems = layerProblems(path, own, { channel }, channels);
  if (accounts === undefined) return problems;
  if (!isObject(accounts)) return [...problems, `${path}.accounts must be an object`];
  for (const [account, layer] of Object.entries(accounts)) {
    if (!ACCOUNT_NAME.test(account))
      problems.push(`${path}.accounts: "${account.slice(0, 60)}" is not an account; accepted: ${ACCOUNT_ACCEPTED}`);
    problems.push(...layerProblems(`${path}.accounts.${account}`, layer, { channel }, channels));
  }
  return problems;
}

function layerProblems(path: string, layer: unknown, name: LayerName, channels: ChannelTable): string[] {
  if (!isObject(layer)) return [`${path} must be an object`];
  const settings = settingsOf(name, channels);
  return Object.entries(layer).flatMap(([key, value]) => {
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (!setting) return [misplaced(path, key, name, channels) ?? unknownKey(`${path}.`, key, Object.keys(settings))];
    return setting.kind.isAccepted(value) ? [] : [`${path}.${key} is ${shown(value, setting)}; ${acceptedBy(setting)}`];
  });
}

/** A setting that exists, in a layer where it means nothing. */
function misplaced(
  path: string,
  key: string,
  { jobs, channel }: LayerName,
  channels: ChannelTable,
): string | undefined {
  if (jobs && Object.hasOwn(BOT_SETTINGS, key))
    return `${path}.${key} is of bots: it belongs in "default" or in a channel`;
  if ((jobs || channel) && Object.hasOwn(SERVICE_SETTINGS, key))
    return `${path}.${key} is of the whole gateway: it belongs in "default"`;
  const owner = channelWith(key, channels, channel);
  return owner && `${path}.${key} is a setting of ${owner}: it belongs in "channels.${owner}"`;
}

/** The channel that has this setting of its own, apart from one. */
export function channelWith(key: string, channels: ChannelTable, except?: string): string | undefined {
  return [...channels.values()].find(({ name, settings }) => name !== except && Object.hasOwn(settings, key))?.name;
}

function unknownKey(path: string, key: string, known: readonly string[], what = 'a setting'): string {
  const close = nearest(key, known);
  const name = JSON.stringify(key.slice(0, 60));
  return `${path}${name} is not ${what}${close ? ` (did you mean "${close}"?)` : `; accepted: ${known.join(', ')}`}`;
}

export function acceptedBy({ kind }: ChannelSetting): string {
  return `accepted: ${kind.accepted}`;
}

/** A value as it may be shown: never that of a secret. */
export function shown(value: unknown, setting?: ChannelSetting): string {
  if (setting?.isSecret) return HIDDEN;
  return (JSON.stringify(value) ?? 'missing').slice(0, 200);
}

/** The file for a person to read: it shows where secrets are, not what they are. */
export function maskedFile(file: GatewayFile, channels: ChannelTable): GatewayFile {
  const masked = Object.entries(file.channels).map(([name, { accounts, ...own } = {}]) => {
    const settings = channels.get(name)?.settings ?? {};
    const layer = maskedLayer(own, settings);
    if (!accounts) return [name, layer];
    const each = Object.entries(accounts).map(([account, of]) => [account, maskedLayer(of, settings)]);
    return [name, { ...layer, accounts: Object.fromEntries(each) }];
  });
  return { ...file, channels: Object.fromEntries(masked) };
}

function maskedLayer(layer: Layer, settings: Record<string, ChannelSetting>): Layer {
  const masked = Object.entries(layer).map(([key, value]) => [
    key,
    settings[key]?.isSecret && !isReference(value) ? HIDDEN : value,
  ]);
  return Object.fromEntries(masked);
}

/** The file with these settings put into a layer; undefined takes a setting out. */
export function withSettings(file: GatewayFile, { jobs, channel, account }: LayerName, changes: Layer): GatewayFile {
  if (jobs) return { ...file, jobs: merged(file.jobs ?? {}, changes) };
  if (!channel) return { ...file, default: merged(file.default, changes) };
  const own = file.channels[channel] ?? {};
  const changed =
    account === undefined
      ? merged(own, changes)
      : { ...own, accounts: { ...own.accounts, [account]: merged(own.accounts?.[account] ?? {}, changes) } };
  return { ...file, channels: { ...file.channels, [channel]: changed } };
}

function merged(layer: Layer, changes: Layer): Layer {
  return Object.fromEntries(Object.entries({ ...layer, ...changes }).filter(([, value]) => value !== undefined));
}

export function withoutLayer(file: GatewayFile, { jobs, channel, account }: LayerName): GatewayFile {
  if (jobs) return { ...file, jobs: undefined };
  if (!channel) return { ...file, default: {} };
  const { [channel]: own, ...others } = file.channels;
  if (account === undefined || !own) return { ...file, channels: others };
  const { [account]: _, ...accounts } = own.accounts ?? {};
  return { ...file, channels: { ...others, [channel]: { ...own, accounts } } };
}

export function formatGatewayFile(file: GatewayFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Only the place: what the engine quotes from the text could be a secret. */
function whereOf(message: string, source: string): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position === undefined) return '';
  const before = source.slice(0, Number(position)).split('\n');
  return `: look at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
