import type { ChannelTable } from '../../../channels/channel-table.ts';
import {
  acceptedBy,
  channelWith,
  type GatewayFile,
  type Layer,
  maskedFile,
  shown,
  withoutLayer,
  withSettings,
} from '../../../gateway/settings/gateway-file.ts';
import { type LayerName, settingsOf } from '../../../gateway/settings/settings.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { readSecret } from '../../read-secret.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../../terminal.ts';
import { checkAccount, settingsIn } from './flags.ts';

export interface ConfigFlags extends OutputFlags {
  channel?: string;
  account?: string;
  jobs?: boolean;
  [setting: string]: unknown;
}

export async function set(
  runtime: Runtime,
  pairs: readonly string[],
  flags: ConfigFlags,
  terminal: Terminal,
): Promise<void> {
  const { channels, settingsFile, providerProblem } = await runtime.gatewayAdmin();
  const layer = layerOf(flags);
  const changes = {
    ...flagChanges(flags, layer, channels),
    ...(await pairChanges(pairs, { layer, channels, terminal })),
  };
  const keys = Object.keys(changes);
  if (keys.length === 0)
    throw new UsageError('config set needs settings: key=value, or flags such as --pairing-policy=allowlist');
  const problem = changes.provider === undefined ? undefined : await providerProblem(String(changes.provider));
  if (problem) throw new UsageError(problem);
  await settingsFile.edit((file) => withSettings(file, layer, changes));
  if (wantsJson(terminal, flags))
    return writeJson(terminal, { path: settingsFile.path, layer: nameOf(layer), changed: keys });
  const named = (isSet: boolean): string =>
    keys
      .filter((key) => (changes[key] !== undefined) === isSet)
      .map((key) => `${nameOf(layer)}.${key}`)
      .join(', ');
  const done = [named(true) && `set ${named(true)}`, named(false) && `took out ${named(false)}`].filter(Boolean);
  terminal.out.write(`${done.join('; ')} in ${printable(settingsFile.path)}\n`);
}

export async function show(runtime: Runtime, flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const { settingsFile, channels } = await runtime.gatewayAdmin();
  const file = maskedFile(await settingsFile.read(), channels);
  const { jobs, channel, account } = layerOf(flags);
  const layer = channel === undefined ? undefined : file.channels[channel];
  const ofChannel = account === undefined ? layer : layer?.accounts?.[account];
  const part = jobs ? (file.jobs ?? {}) : channel ? (ofChannel ?? {}) : undefined;
  if (wantsJson(terminal, flags)) return writeJson(terminal, part ?? file);
  const lines = part ? linesOf(nameOf({ jobs, channel, account }), part) : fileLines(file);
  terminal.out.write(lines.length > 0 ? `${printable(lines.join('\n'))}\n` : 'nothing is set\n');
}

export async function clear(runtime: Runtime, flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const { settingsFile } = await runtime.gatewayAdmin();
  const layer = layerOf(flags);
  await settingsFile.edit((file) => withoutLayer(file, layer));
  if (wantsJson(terminal, flags)) return writeJson(terminal, { path: settingsFile.path, cleared: nameOf(layer) });
  terminal.out.write(`cleared ${nameOf(layer)}\n`);
}

export async function path(runtime: Runtime, flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const { settingsFile } = await runtime.gatewayAdmin();
  if (wantsJson(terminal, flags)) return writeJson(terminal, { path: settingsFile.path });
  terminal.out.write(`${settingsFile.path}\n`);
}

/** Would a start accept it: the file itself, the environment, and what its channels need. */
export async function validate(runtime: Runtime, flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const { settingsFile, resolve, channels } = await runtime.gatewayAdmin();
  const file = await settingsFile.read();
  const configured = [...channels.keys()].filter(
    (name) => file.channels[name] && (!flags.channel || name === flags.channel),
  );
  const { bots } = await resolve({}, configured);
  const names = bots.map(({ channel, account }) => `${channel}/${account}`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { valid: true, path: settingsFile.path, bots: names });
  terminal.out.write(
    `${printable(settingsFile.path)} is valid${names.length > 0 ? `: ${names.join(', ')}` : '; no channel is set up in it yet'}\n`,
  );
}

function layerOf({ jobs, channel, account }: ConfigFlags): LayerName {
  checkAccount({ channel, account });
  if (jobs && channel) throw new UsageError('--jobs and --channel exclude each other: give one of them');
  return { jobs, channel, account };
}

function flagChanges(flags: ConfigFlags, layer: LayerName, channels: ChannelTable): Layer {
  const settings = settingsOf(layer, channels);
  const given = settingsIn(flags);
  const misplaced = Object.keys(given).filter((key) => !Object.hasOwn(settings, key));
  if (misplaced.length > 0 && layer.jobs)
    throw new UsageError(
      `${misplaced.join(', ')} is not a setting of jobs; accepted: ${Object.keys(settings).join(', ')}`,
    );
  if (misplaced.length > 0)
    throw new UsageError(`${misplaced.join(', ')} is of the whole gateway: set it without --channel`);
  return given;
}

/** Every pair that cannot be used is told at once; secrets are not. */
async function pairChanges(
  pairs: readonly string[],
  { layer, channels, terminal }: { layer: LayerName; channels: ChannelTable; terminal: Terminal },
): Promise<Layer> {
  const settings = settingsOf(layer, channels);
  const changes: Layer = {};
  const problems: string[] = [];
  for (const pair of pairs) {
    const [, key = '', written = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (!setting) problems.push(unknownKey(key, layer, channels));
    else if (!pair.includes('=')) problems.push(`${key} needs a value: ${key}=…`);
    else if (written === '') changes[key] = undefined;
    else {
      const isRead = setting.isSecret && written === '-';
      const text = isRead ? await readSecret(key, terminal) : written;
      const value = setting.kind.parse(text);
      if (isRead && text === '') problems.push(`nothing came on standard input for ${key}`);
      else if (!setting.kind.isAccepted(value))
        problems.push(`${key} is ${shown(value, setting)}; ${acceptedBy(setting)}`);
      if (setting.isSecret && text === written && typeof value === 'string')
        warn(
          terminal,
          `${key} was on the command line, where others can read it: better "${key}=-", "${key}=env:NAME" or "${key}=file:path"`,
        );
      changes[key] = value;
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join('; '));
  return changes;
}

function unknownKey(key: string, layer: LayerName, channels: ChannelTable): string {
  const { jobs, channel } = layer;
  const known = Object.keys(settingsOf(layer, channels));
  if (jobs && Object.hasOwn(settingsOf({}, channels), key))
    return `${key} is not a setting of jobs; accepted: ${known.join(', ')}`;
  const owner = channelWith(key, channels, channel);
  if (owner) return `${key} is a setting of ${owner}: add --channel ${owner}`;
  if (channel && Object.hasOwn(settingsOf({}, channels), key))
    return `${key} is of the whole gateway: set it without --channel`;
  const close = nearest(key, known);
  return `"${key.slice(0, 60)}" is not a setting${close ? ` (did you mean ${close}?)` : `; accepted: ${known.join(', ')}`}`;
}

function fileLines(file: GatewayFile): string[] {
  return [
    ...linesOf('default', file.default),
    ...linesOf('jobs', file.jobs ?? {}),
    ...Object.entries(file.channels).flatMap(([name, layer]) => linesOf(name, layer ?? {})),
  ];
}

function linesOf(name: string, { accounts, ...layer }: Layer): string[] {
  return [
    ...Object.entries(layer).map(([key, value]) => `${name}.${key} = ${JSON.stringify(value)}`),
    ...Object.entries(accounts ?? {}).flatMap(([account, own]) => linesOf(`${name}/${account}`, own as Layer)),
  ];
}

function nameOf({ jobs, channel, account }: LayerName): string {
  if (jobs) return 'jobs';
  return channel ? `${channel}${account === undefined ? '' : `/${account}`}` : 'default';
}
