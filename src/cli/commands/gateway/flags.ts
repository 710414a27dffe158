// Flags that are settings of the gateway: made from the table of settings, so that a flag, a variable and a line of
// gateway.json accept the same. Secrets have no flags: a command line can be read by everyone on the machine.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNEL_NAMES, isChannelName } from '../../../channels/channel-table.ts';
import { onOff } from '../../../config/kinds.ts';
import { flagName, NO_CHANNEL } from '../../../gateway/service/start-arguments.ts';
import type { Layer } from '../../../gateway/settings/gateway-file.ts';
import {
  ACCOUNT_ACCEPTED,
  ACCOUNT_NAME,
  BOT_SETTINGS,
  JOB_SETTINGS,
  jobFlag,
  SERVICE_SETTINGS,
  type Setting,
} from '../../../gateway/settings/settings.ts';
import { nearest } from '../../../lib/nearest.ts';
import { withValues } from '../../flags.ts';
import { UsageError } from '../../terminal.ts';

const SETTINGS: [string, Setting][] = Object.entries({ ...SERVICE_SETTINGS, ...BOT_SETTINGS });
/** Of scheduled jobs alone. */
const JOB_FLAGS = Object.entries(JOB_SETTINGS).map(([key, setting]): [string, Setting] => [jobFlag(key), setting]);
const LISTS = ['toolAllow', 'pairingAllowFrom', 'sendAllow', jobFlag('toolAllow')];

export function addSettingFlags(command: Command): Command {
  for (const [key, setting] of SETTINGS) command.addOption(settingFlag(key, setting));
  return command;
}

/** The flags that start a gateway: its settings, and those of its jobs. */
export function addStartFlags(command: Command): Command {
  addSettingFlags(command);
  for (const [key, { kind }] of JOB_FLAGS)
    command.addOption(
      settingFlag(key, { kind, about: `--${flagName(key).replace('jobs-', '')}, for scheduled jobs only` }),
    );
  return command;
}

function settingFlag(key: string, { kind, about }: Setting): Option {
  const isList = LISTS.includes(key);
  const form = isList ? 'names' : kind === onOff ? 'true|false' : 'value';
  const option = new Option(`--${flagName(key)} <${form}>`, about).argParser((written, previous) => {
    if (previous !== undefined && !isList) throw new InvalidArgumentError('It was given twice; give it once.');
    const value = kind.parse(written);
    if (!kind.isAccepted(value)) throw new InvalidArgumentError(`Accepted: ${kind.accepted}.`);
    return isList ? [...((previous as string[] | undefined) ?? []), ...(value as string[])] : value;
  });
  return withValues(option, { accepted: kind.options, isList });
}

/** Of everything that was given, what is a setting. */
export function settingsIn(flags: Record<string, unknown>): Layer {
  const all = [...SETTINGS, ...JOB_FLAGS];
  return Object.fromEntries(all.flatMap(([key]) => (flags[key] === undefined ? [] : [[key, flags[key]]])));
}

export function channelFlag(): Option {
  const option = new Option('--channel <name>', `${CHANNEL_NAMES.join(', ')}`);
  return withValues(option, { accepted: CHANNEL_NAMES }).argParser<string>((written, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It was given twice; give it once.');
    return channelNamed(written);
  });
}

/** Parses to no channel at all for "none". */
export function channelsFlag(): Option {
  const accepted = [...CHANNEL_NAMES, NO_CHANNEL];
  const about = `${CHANNEL_NAMES.join(', ')}; may be repeated (default: those that are set up); ${NO_CHANNEL}: scheduled jobs and background runs only`;
  return withValues(new Option('--channel <name>', about), { accepted, isList: true }).argParser<string[]>(
    (written, previous) => {
      const names = written.split(',').map((name) => name.trim());
      const isNone = names.includes(NO_CHANNEL);
      if ((isNone && (previous?.length || names.length > 1)) || (previous?.length === 0 && !isNone))
        throw new InvalidArgumentError(`"${NO_CHANNEL}" excludes every channel: give it alone.`);
      return isNone ? [] : [...(previous ?? []), ...names.map(channelNamed)];
    },
  );
}

export const accountFlag = (): Option =>
  new Option('--account <name>', 'one of several bots on the channel').argParser<string>((written, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It was given twice; give it once.');
    if (!ACCOUNT_NAME.test(written)) throw new InvalidArgumentError(`Accepted: ${ACCOUNT_ACCEPTED}.`);
    return written;
  });

export function checkAccount({ channel, account }: { channel?: string; account?: string }): void {
  if (account !== undefined && !channel) throw new UsageError('--account goes with --channel: name the channel too');
}

function channelNamed(name: string): string {
  if (isChannelName(name)) return name;
  const close = nearest(name, CHANNEL_NAMES);
  throw new InvalidArgumentError(`Accepted: ${CHANNEL_NAMES.join(', ')}.${close ? ` Did you mean ${close}?` : ''}`);
}
