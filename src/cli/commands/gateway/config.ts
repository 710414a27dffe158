import { type ChannelTable, loadChannelTable } from '../../../channels/channel-table.ts';
import type { GatewayFile, Layer } from '../../../gateway/settings/gateway-file.ts';
import { type LayerName, settingsOf } from '../../../gateway/settings/settings.ts';
import {
  checkGatewayConfig,
  clearGatewayConfig,
  gatewayConfigPath,
  getGatewayConfig,
  setGatewayConfig,
} from '../../../operations/gateway-config.ts';
import { CodedError } from '../../../vocabulary/coded-error.ts';
import { readSecret } from '../../read-secret.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../../terminal.ts';
import { checkAccount, settingsIn } from './flags.ts';

export interface ConfigFlags extends OutputFlags {
  channel?: string;
  account?: string;
  jobs?: boolean;
  [setting: string]: unknown;
}

export async function set(pairs: readonly string[], flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  const layer = layerOf(flags);
  const settings = { ...settingsIn(flags), ...(await readPairs(pairs, layer, terminal)) };
  if (Object.keys(settings).length === 0)
    throw new UsageError('config set needs settings: key=value, or flags such as --pairing-policy=allowlist');
  const setting = runOperation(terminal, setGatewayConfig, { ...layer, settings }, (done) => {
    const { path, layer: name, removed } = done;
    if (asJson) return writeJson(terminal, { path, layer: name, changed: [...done.set, ...removed] });
    const named = (keys: readonly string[]): string => keys.map((key) => `${name}.${key}`).join(', ');
    const parts = [
      done.set.length > 0 && `set ${named(done.set)}`,
      removed.length > 0 && `took out ${named(removed)}`,
    ].filter(Boolean);
    terminal.out.write(`${parts.join('; ')} in ${printable(path)}\n`);
  });
  await asUsage(setting);
}

export async function show(flags: ConfigFlags, terminal: Terminal): Promise<void> {
  const layer = layerOf(flags);
  await runOperation(terminal, getGatewayConfig, layer, (config) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, config);
    const { jobs, channel, account } = layer;
    const name = jobs ? 'jobs' : channel && `${channel}${account === undefined ? '' : `/${account}`}`;
    const lines = name ? linesOf(name, { ...config }) : fileLines(config as unknown as GatewayFile);
    terminal.out.write(lines.length > 0 ? `${printable(lines.join('\n'))}\n` : 'nothing is set\n');
  });
}

export async function clear(flags: ConfigFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, clearGatewayConfig, layerOf(flags), (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    terminal.out.write(`cleared ${done.cleared}\n`);
  });
}

export async function path(flags: ConfigFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, gatewayConfigPath, {}, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    terminal.out.write(`${found.path}\n`);
  });
}

/** Would a start accept it: the file itself, the environment, and what its channels need. */
export async function validate({ channel, ...flags }: ConfigFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, checkGatewayConfig, { channel }, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    const { bots } = found;
    terminal.out.write(
      `${printable(found.path)} is valid${bots.length > 0 ? `: ${bots.join(', ')}` : '; no channel is set up in it yet'}\n`,
    );
  });
}

function layerOf({ jobs, channel, account }: ConfigFlags): LayerName {
  checkAccount({ channel, account });
  if (jobs && channel) throw new UsageError('--jobs and --channel exclude each other: give one of them');
  return { jobs, channel, account };
}

/** Settings by name, as they were written; those that are given as "-" are read from standard input. */
async function readPairs(pairs: readonly string[], layer: LayerName, terminal: Terminal): Promise<Layer> {
  const channels: ChannelTable = await loadChannelTable();
  const settings = settingsOf(layer, channels);
  const read: [string, string][] = [];
  for (const pair of pairs) {
    const [, key = '', written = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (setting && !pair.includes('=')) throw new UsageError(`${key} needs a value: ${key}=…`);
    const isRead = setting?.isSecret && written === '-';
    const text = isRead ? await readSecret(key, terminal) : written;
    if (isRead && text === '') throw new UsageError(`nothing came on standard input for ${key}`);
    if (setting?.isSecret && !isRead && written !== '' && typeof setting.kind.parse(written) === 'string')
      warn(
        terminal,
        `${key} was on the command line, where others can read it: better "${key}=-", "${key}=env:NAME" or "${key}=file:path"`,
      );
    read.push([key, text]);
  }
  return Object.fromEntries(read);
}

/** A setting that is refused is wrong usage. */
async function asUsage(setting: Promise<void>): Promise<void> {
  try {
    await setting;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'SETTING_REFUSED') throw error;
    throw new UsageError(error.message);
  }
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
