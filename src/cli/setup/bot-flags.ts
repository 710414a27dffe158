// The flags of set-up for what a channel asks for, made from its definition. A secret has none for itself: a command line can be read by
// everyone on the machine.
import { flagName } from '../../gateway/service/start-arguments.ts';
import type { Bot, SetupChannel } from '../../operations/setup-channel.ts';
import { readSecret } from '../read-secret.ts';
import type { Terminal } from '../terminal.ts';

export interface BotFlag {
  /** With its dashes. */
  flag: string;
  /** What follows it; absent where nothing does. */
  value?: string;
  about: string;
  /** In the parsed flags. */
  property: string;
  /** The setting. */
  key: string;
  from: 'flag' | 'stdin' | 'variable';
  /** The channels that have the setting. */
  channels: readonly string[];
}

export function botFlags(channels: readonly SetupChannel[]): BotFlag[] {
  const keys = new Set(channels.flatMap(({ setup }) => setup.asks));
  return [...keys].flatMap((key) =>
    flagsOf(
      key,
      channels.filter(({ setup }) => setup.asks.includes(key)),
    ),
  );
}

function flagsOf(key: string, having: readonly SetupChannel[]): BotFlag[] {
  const { isSecret, about = '' } = having[0]?.settings[key] ?? {};
  const channels = having.map(({ name }) => name);
  const what = `${channels.join(', ')}: ${key} (${about})`;
  const flag = `--${flagName(key)}`;
  if (!isSecret) return [{ flag, value: 'value', about: what, property: key, key, from: 'flag', channels }];
  return [
    {
      flag: `${flag}-stdin`,
      about: `${what}, read from standard input`,
      property: `${key}Stdin`,
      key,
      from: 'stdin',
      channels,
    },
    {
      flag: `${flag}-env`,
      value: 'NAME',
      about: `${what}, in this variable; gateway.json names it`,
      property: `${key}Env`,
      key,
      from: 'variable',
      channels,
    },
  ];
}

export function isGiven(flags: object, property: string): boolean {
  return Object.hasOwn(flags, property);
}

/** The bot that the flags describe; undefined where they name no channel. Calls `refuse` with what is missing. */
export async function botIn(
  flags: object & { channel?: string },
  { channels, terminal, refuse }: { channels: readonly SetupChannel[]; terminal: Terminal; refuse(why: string): Error },
): Promise<Bot | undefined> {
  const channel = channels.find(({ name }) => name === flags.channel);
  if (!channel) return undefined;
  const settings: Record<string, string> = {};
  const own = botFlags([channel]);
  for (const { key, property, from } of own) {
    if (!isGiven(flags, property)) continue;
    const value = String((flags as Record<string, unknown>)[property]);
    settings[key] = from === 'flag' ? value : from === 'variable' ? `env:${value}` : await readSecret(key, terminal);
  }
  const missing = channel.needed({}).find((key) => settings[key] === undefined);
  if (missing === undefined) return { channel: channel.name, settings };
  const ways = own
    .filter(({ key }) => key === missing)
    .map(({ flag, value }) => (value === undefined ? flag : `${flag} <${value}>`));
  throw refuse(
    `--channel ${channel.name} needs ${ways.length === 1 ? ways[0] : `${missing}: give ${ways.join(' or ')}`}`,
  );
}
