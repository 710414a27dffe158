// Flags that are settings of the gateway: made from the table of settings, so that a flag, a variable and a line of
// gateway.json accept the same. Secrets have no flags: a command line can be read by everyone on the machine.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Layer } from '../../../config/gateway/gateway-file.ts';
import { onOff } from '../../../config/gateway/kinds.ts';
import {
  ACCOUNT_ACCEPTED,
  ACCOUNT_NAME,
  BOT_SETTINGS,
  GATEWAY_CHANNELS,
  type GatewayChannel,
  isGatewayChannel,
  SERVICE_SETTINGS,
  type Setting,
} from '../../../config/gateway/settings.ts';
import { nearest } from '../../../lib/nearest.ts';
import { withValues } from '../../flags.ts';
import { UsageError } from '../../terminal.ts';

const SETTINGS: [string, Setting][] = Object.entries({ ...SERVICE_SETTINGS, ...BOT_SETTINGS });
const LISTS = ['toolAllow', 'pairingAllowFrom', 'sendAllow'];

export function addSettingFlags(command: Command): Command {
  for (const [key, setting] of SETTINGS) command.addOption(settingFlag(key, setting));
  return command;
}

function settingFlag(key: string, { kind, about }: Setting): Option {
  const isList = LISTS.includes(key);
  const form = isList ? 'names' : kind === onOff ? 'true|false' : 'value';
  const option = new Option(`--${kebab(key)} <${form}>`, about).argParser((written, previous) => {
    if (previous !== undefined && !isList) throw new InvalidArgumentError('It was given twice; give it once.');
    const value = kind.parse(written);
    if (!kind.isAccepted(value)) throw new InvalidArgumentError(`Accepted: ${kind.accepted}.`);
    return isList ? [...((previous as string[] | undefined) ?? []), ...(value as string[])] : value;
  });
  return withValues(option, { accepted: kind.options, isList });
}

/** Of everything that was given, what is a setting. */
export function settingsIn(flags: Record<string, unknown>): Layer {
  return Object.fromEntries(SETTINGS.flatMap(([key]) => (flags[key] === undefined ? [] : [[key, flags[key]]])));
}

/** The flags that give these settings again. */
export function flagsOf(settings: Layer): string[] {
  return Object.entries(settings).map(
    ([key, value]) => `--${kebab(key)}=${Array.isArray(value) ? value.join(',') : value}`,
  );
}

export function channelFlag(): Option {
  const option = new Option('--channel <name>', `${GATEWAY_CHANNELS.join(', ')}`);
  return withValues(option, { accepted: GATEWAY_CHANNELS }).argParser<GatewayChannel>((written, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It was given twice; give it once.');
    return channelNamed(written);
  });
}

export function channelsFlag(): Option {
  const option = new Option('--channel <name>', `${GATEWAY_CHANNELS.join(', ')}; may be repeated (default: feishu)`);
  return withValues(option, { accepted: GATEWAY_CHANNELS, isList: true }).argParser<GatewayChannel[]>(
    (written, previous) => [...(previous ?? []), ...written.split(',').map((name) => channelNamed(name.trim()))],
  );
}

export const accountFlag = (): Option =>
  new Option('--account <name>', 'one of several bots on the channel').argParser<string>((written, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It was given twice; give it once.');
    if (!ACCOUNT_NAME.test(written)) throw new InvalidArgumentError(`Accepted: ${ACCOUNT_ACCEPTED}.`);
    return written;
  });

export function checkAccount({ channel, account }: { channel?: GatewayChannel; account?: string }): void {
  if (account !== undefined && !channel) throw new UsageError('--account goes with --channel: name the channel too');
}

function channelNamed(name: string): GatewayChannel {
  if (isGatewayChannel(name)) return name;
  const close = nearest(name, GATEWAY_CHANNELS);
  throw new InvalidArgumentError(`Accepted: ${GATEWAY_CHANNELS.join(', ')}.${close ? ` Did you mean ${close}?` : ''}`);
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
