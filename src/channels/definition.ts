// The contract of a channel as something that can be configured: its settings, what a bot of it needs, and how one is opened. Everything
// else (flags, variables, gateway.json and its errors, send_message, schedules, pairing) is made from it.
import type { Kind } from '../config/kinds.ts';
import type { Language } from '../config/settings.ts';
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
  /** How `lainclaw setup` connects a bot of it; absent where there is no platform to connect to. */
  readonly setup?: ChannelSetup<Settings>;
}

export interface ChannelSetup<Settings extends object = Record<string, unknown>> {
  /** The settings that are asked for, in this order; each is a flag too. */
  readonly asks: readonly (keyof Settings & string)[];
  /** Asks the platform once whether the bot can be used, and resolves with its name there. Throws ChannelError. */
  check(bot: { settings: Partial<Settings>; now(): number }, signal: AbortSignal): Promise<string>;
  /** What a person reads and answers. */
  words(language: Language): Promise<SetupWords>;
}

export interface SetupWords {
  /** In the list of what can be set up: "Talk to it on Telegram". */
  offer: string;
  title: string;
  /** What to do on the platform first, one sentence or two for each step. */
  steps: readonly string[];
  /** What to do there once the gateway runs with the bot. */
  stepsOnceRunning?: readonly string[];
  /** By setting: the question for it. */
  questions: Readonly<Record<string, string>>;
  /** By setting: what can be chosen instead of typing it. A choice without a value is typed. */
  choices?: Readonly<Record<string, readonly SetupChoice[]>>;
}

export type SetupChoice = { label: string; value: string } | { label: string; question: string };

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
