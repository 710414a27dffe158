// Setting up a channel: the bot is tried at its platform before gateway.json is changed.
import { ChannelError } from '../channels/channel.ts';
import type { ChannelDefinition } from '../channels/definition.ts';
import { feishu } from '../channels/feishu/definition.ts';
import { telegram } from '../channels/telegram/definition.ts';
import { isReference } from '../config/kinds.ts';
import { withSettings } from '../gateway/settings/gateway-file.ts';
import { variableOf } from '../gateway/settings/settings.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { objectWith, TEXT } from './schemas.ts';

export const SETUP_CHANNELS = ['telegram', 'feishu'] as const;
export type SetupChannel = (typeof SETUP_CHANNELS)[number];

const DEFINITIONS: Readonly<Record<SetupChannel, ChannelDefinition>> = { telegram, feishu };

const TELEGRAM_API = 'https://api.telegram.org';

/** Secrets may be given as `env:NAME`: then the file says where the secret is, not what it is. */
const BOT = {
  channel: { enum: SETUP_CHANNELS },
  /** Of Telegram. */
  botToken: TEXT,
  /** Of Feishu and Lark. */
  appId: TEXT,
  appSecret: TEXT,
  domain: TEXT,
} as const;

interface Bot {
  channel: SetupChannel;
  botToken?: string;
  appId?: string;
  appSecret?: string;
  domain?: string;
}

export const tryChannel = defineOperation({
  name: 'setup.tryChannel',
  class: 'read',
  summary: 'Ask Telegram or Feishu whether a bot can be used; nothing is stored.',
  input: { type: 'object', properties: BOT, required: ['channel'], additionalProperties: false },
  output: objectWith({ channel: TEXT, bot: TEXT }),
  run: (bot, context) => tried(bot, context),
});

export const connectChannel = defineOperation({
  name: 'setup.channel',
  class: 'change',
  summary: 'Connect a bot on Telegram or Feishu: tried at the platform, then stored in gateway.json.',
  input: {
    type: 'object',
    /** `check`: false where it was tried a moment ago. */
    properties: { ...BOT, check: { type: 'boolean', default: true } },
    required: ['channel'],
    additionalProperties: false,
  },
  output: objectWith({ channel: TEXT, path: TEXT }, { bot: TEXT }),
  async run({ check, ...bot }, context) {
    const changes = settingsOf(bot);
    const found = check ? await tried(bot, context) : undefined;
    const { settingsFile } = await context.runtime.gatewayAdmin();
    await settingsFile.edit((file) => withSettings(file, { channel: bot.channel }, changes));
    return { channel: bot.channel, path: settingsFile.path, ...(found && { bot: found.bot }) };
  },
});

/** Why a setting of a bot cannot be used; undefined when it can. Holds no secret. */
export function botSettingProblem(channel: SetupChannel, key: string, written: string): string | undefined {
  const setting = DEFINITIONS[channel].settings[key];
  if (!setting) return `${key} is not a setting of ${channel}`;
  if (setting.kind.isAccepted(setting.kind.parse(written.trim()))) return undefined;
  return `that is not the ${key}; accepted: ${setting.kind.accepted}`;
}

function settingsOf({ channel, ...given }: Bot): Record<string, unknown> {
  const needed = DEFINITIONS[channel].needed({});
  const written = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const missing = needed.find((key) => !written.some(([name]) => name === key));
  if (missing) throw refused(`${channel} needs ${missing}`);
  return Object.fromEntries(
    written.map(([key, text]) => {
      const problem = botSettingProblem(channel, key, text);
      if (problem) throw refused(`${channel}: ${problem}`);
      return [key, DEFINITIONS[channel].settings[key]?.kind.parse(text.trim())];
    }),
  );
}

async function tried(bot: Bot, { runtime, signal }: OperationContext): Promise<{ channel: SetupChannel; bot: string }> {
  const { channel } = bot;
  const { variables } = runtime.configFile;
  const given = settingsOf(bot);
  const { settingsFile } = await runtime.gatewayAdmin();
  const stored = (await settingsFile.read()).channels[channel] ?? {};

  /** What was given, otherwise what a start of the gateway would use. */
  const settingOf = (key: string): string | undefined => {
    const setting = DEFINITIONS[channel].settings[key];
    const variable = setting && variableOf(key, setting, channel);
    const value = given[key] ?? (variable === undefined ? undefined : variables[variable]) ?? stored[key];
    if (!isReference(value)) return value === undefined ? undefined : String(value);
    if (!('env' in value)) throw refused(`${channel}: ${key} is given as itself or as env:NAME here`);
    const found = variables[value.env]?.trim();
    if (!found) throw refused(`${channel}: the variable ${value.env} is not set`);
    const problem = botSettingProblem(channel, key, found);
    if (problem) throw refused(`${channel}: ${value.env}: ${problem}`);
    return found;
  };

  try {
    if (channel === 'telegram') {
      const { checkBotToken } = await import('../channels/telegram/check-token.ts');
      const apiRoot = settingOf('apiRoot') ?? TELEGRAM_API;
      const { username } = await checkBotToken({ botToken: settingOf('botToken') ?? '', apiRoot }, signal);
      return { channel, bot: `@${username}` };
    }
    const { checkApp } = await import('../channels/feishu/check-app.ts');
    const appId = settingOf('appId') ?? '';
    const { now } = runtime.environment;
    await checkApp({ appId, appSecret: settingOf('appSecret') ?? '', domain: settingOf('domain'), now }, signal);
    return { channel, bot: appId };
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
