// The contract of a channel as something that can be configured: its settings, what a bot of it needs, and how one is opened. Everything
// else (flags, variables, gateway.json and its errors, send_message, schedules, pairing) is made from it.
import type { Kind } from '../config/kinds.ts';
import type { Channel } from './channel.ts';

export interface ChannelSetting {
  kind: Kind;
  /** What it is, for a person. */
  about: string;
  /** Never shown, logged or inherited by another bot. */
  isSecret?: true;
  /** Belongs to one bot: a named account does not take it from its channel. */
  isOwn?: true;
}

/** `Settings`: the channel's own settings, as a bot of it has them. */
export interface ChannelDefinition<Settings extends object = Record<string, unknown>> {
  /** Small letters: part of the names of chats, variables, files and the documentation page gateway/<name>.md. */
  readonly name: string;
  readonly settings: Readonly<Record<keyof Settings & string, ChannelSetting>>;
  /** The setting that tells bots apart: two accounts with the same value are refused. */
  readonly identity: keyof Settings & string;
  /** The settings that a bot with these cannot be started without. */
  needed(settings: Partial<Settings>): readonly (keyof Settings & string)[];
  /** What holds without a setting. */
  defaults(bot: { account: string; home: string }): Partial<Settings>;
  /** Loads the platform's library; connects nothing. */
  open(bot: OpenedBot<Settings>): Promise<Channel>;
}

/** The gateway checks settings against `settings` and `needed` before it opens a bot, so it handles every definition alike. */
export function defineChannel<Settings extends object>(definition: ChannelDefinition<Settings>): ChannelDefinition {
  return definition as unknown as ChannelDefinition;
}

export interface OpenedBot<Settings> {
  account: string;
  /** Checked, with the needed ones present and secrets read. */
  settings: Settings;
  now(): number;
  /** For the log of the gateway. */
  warn(message: string): void;
}
