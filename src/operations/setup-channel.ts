// Setting up a channel: the bot is tried at its platform before gateway.json is changed. Which channels can be set up, and what each
// needs, is in their definitions.
import { ChannelError } from '../channels/channel.ts';
import { loadChannelTable } from '../channels/channel-table.ts';
import type { ChannelDefinition, ChannelSetup } from '../channels/definition.ts';
import { isReference } from '../config/kinds.ts';
import { LANGUAGES, type Language } from '../config/settings.ts';
import { withSettings } from '../gateway/settings/gateway-file.ts';
import { variableOf } from '../gateway/settings/settings.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, objectWith, TEXT, textsByName, YES_OR_NO } from './schemas.ts';

/** A channel whose bots are connected at a platform. */
export type SetupChannel = ChannelDefinition & { readonly setup: ChannelSetup };

export interface Bot {
  channel: string;
  /** By name, as they are written. A secret given as `env:NAME` stays there: the file says where it is, not what it is. */
  settings: Readonly<Record<string, string>>;
}

const BOT = {
  channel: TEXT,
  settings: textsByName('as on a command line; a secret may be env:NAME'),
} as const;

/** Those that ask for the least come first. */
export async function loadSetupChannels(): Promise<SetupChannel[]> {
  const channels = [...(await loadChannelTable()).values()];
  return channels
    .filter((each): each is SetupChannel => each.setup !== undefined)
    .sort((one, other) => one.setup.asks.length - other.setup.asks.length);
}

const CHOICE = objectWith(
  { label: TEXT },
  { value: TEXT, question: { type: 'string', description: 'what to ask for, where it has no value' } },
);

export const listSetupChannels = defineOperation({
  name: 'setup.channels',
  class: 'read',
  summary: 'List the channels on which a bot can be connected: what to do on the platform, and what is asked for.',
  input: {
    type: 'object',
    properties: { language: { enum: LANGUAGES, description: 'by default the language of the configuration' } },
    additionalProperties: false,
  },
  output: listOf(
    objectWith({
      channel: TEXT,
      offer: TEXT,
      title: TEXT,
      steps: listOf(TEXT),
      stepsOnceRunning: { ...listOf(TEXT), description: 'what to do once the gateway runs with the bot' },
      asks: listOf(objectWith({ key: TEXT, question: TEXT, isSecret: YES_OR_NO }, { choices: listOf(CHOICE) })),
    }),
  ),
  async run({ language }, { runtime }) {
    const channels = await loadSetupChannels();
    return Promise.all(channels.map((channel) => described(channel, language ?? runtime.config.language)));
  },
});

async function described({ name, settings, setup }: SetupChannel, language: Language) {
  const { offer, title, steps, stepsOnceRunning = [], questions, choices = {} } = await setup.words(language);
  const asks = setup.asks.map((key) => ({
    key,
    question: questions[key] ?? key,
    isSecret: settings[key]?.isSecret === true,
    ...(choices[key] && { choices: choices[key].map((choice) => ({ ...choice })) }),
  }));
  return { channel: name, offer, title, steps: [...steps], stepsOnceRunning: [...stepsOnceRunning], asks };
}

export const tryChannel = defineOperation({
  name: 'setup.tryChannel',
  class: 'read',
  summary: 'Ask the platform of a channel whether a bot can be used; nothing is stored.',
  input: { type: 'object', properties: BOT, required: ['channel', 'settings'], additionalProperties: false },
  output: objectWith({ channel: TEXT, bot: TEXT }),
  run: async (bot, context) => tried(bot, await setupChannel(bot.channel), context),
});

export const connectChannel = defineOperation({
  name: 'setup.channel',
  class: 'change',
  summary: 'Connect a bot on a chat platform: tried there, then stored in gateway.json.',
  input: {
    type: 'object',
    /** `check`: false where it was tried a moment ago. */
    properties: { ...BOT, check: { type: 'boolean', default: true } },
    required: ['channel', 'settings'],
    additionalProperties: false,
  },
  output: objectWith({ channel: TEXT, path: TEXT }, { bot: TEXT }),
  async run({ check, ...bot }, context) {
    const definition = await setupChannel(bot.channel);
    const changes = settingsOf(bot, definition);
    const found = check ? await tried(bot, definition, context) : undefined;
    const { settingsFile } = await context.runtime.gatewayAdmin();
    await settingsFile.edit((file) => withSettings(file, { channel: bot.channel }, changes));
    return { channel: bot.channel, path: settingsFile.path, ...(found && { bot: found.bot }) };
  },
});

async function setupChannel(name: string): Promise<SetupChannel> {
  const channels = await loadSetupChannels();
  const found = channels.find((each) => each.name === name);
  if (found) return found;
  throw refused(`there is no channel "${name}" to set up; accepted: ${channels.map((each) => each.name).join(', ')}`);
}

/** Why a setting of a bot cannot be used; undefined when it can. Holds no secret. */
export function botSettingProblem(
  { name, settings }: Pick<ChannelDefinition, 'name' | 'settings'>,
  key: string,
  written: string,
): string | undefined {
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (!setting) return `${key} is not a setting of ${name}`;
  if (setting.kind.isAccepted(setting.kind.parse(written.trim()))) return undefined;
  return `that is not the ${key}; accepted: ${setting.kind.accepted}`;
}

function settingsOf({ channel, settings }: Bot, definition: SetupChannel): Record<string, unknown> {
  const missing = definition.needed({}).find((key) => settings[key] === undefined);
  if (missing) throw refused(`${channel} needs ${missing}`);
  return Object.fromEntries(
    Object.entries(settings).map(([key, text]) => {
      const problem = botSettingProblem(definition, key, text);
      if (problem) throw refused(`${channel}: ${problem}`);
      return [key, definition.settings[key]?.kind.parse(text.trim())];
    }),
  );
}

async function tried(
  bot: Bot,
  definition: SetupChannel,
  { runtime, signal }: OperationContext,
): Promise<{ channel: string; bot: string }> {
  const { channel } = bot;
  const { variables } = runtime.configFile;
  const given = settingsOf(bot, definition);
  const { settingsFile } = await runtime.gatewayAdmin();
  const stored = (await settingsFile.read()).channels[channel] ?? {};

  /** What was given, otherwise what a start of the gateway would use. */
  const settingOf = (key: string): string | undefined => {
    const setting = definition.settings[key];
    const variable = setting && variableOf(key, setting, channel);
    const value = given[key] ?? (variable === undefined ? undefined : variables[variable]) ?? stored[key];
    if (!isReference(value)) return value === undefined ? undefined : String(value);
    // What is not asked for is not needed to try the bot.
    if (!definition.setup.asks.includes(key)) return undefined;
    if (!('env' in value)) throw refused(`${channel}: ${key} is given as itself or as env:NAME here`);
    const found = variables[value.env]?.trim();
    if (!found) throw refused(`${channel}: the variable ${value.env} is not set`);
    const problem = botSettingProblem(definition, key, found);
    if (problem) throw refused(`${channel}: ${value.env}: ${problem}`);
    return found;
  };

  const settings = Object.fromEntries(Object.keys(definition.settings).map((key) => [key, settingOf(key)]));
  try {
    return { channel, bot: await definition.setup.check({ settings, now: runtime.environment.now }, signal) };
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    signal.throwIfAborted();
    const code = error.code === 'auth' ? 'CHANNEL_REFUSED' : 'CHANNEL_UNREACHABLE';
    throw new CodedError(code, `${error.message.replace(/\.$/, '')}. Nothing was stored.`, error);
  }
}

function refused(message: string): CodedError {
  return new CodedError('SETTING_REFUSED', `${message}. Nothing was stored.`);
}
