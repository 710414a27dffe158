// Every setting of the gateway: what it may be, where it may stand, and whether a running gateway can take it up. Those of channels
// are in their definitions.
import { CHANNEL_NAMES, type ChannelTable } from '../../channels/channel-table.ts';
import type { ChannelSetting } from '../../channels/definition.ts';
import { choice, count, list, onOff, text } from '../../config/kinds.ts';
import { APPROVALS, type Approval, MODES, type Mode } from '../../config/mode.ts';

export const PAIRING_POLICIES = ['open', 'allowlist', 'pairing', 'disabled'] as const;
export type PairingPolicy = (typeof PAIRING_POLICIES)[number];

/** Of the whole gateway: one for all channels. */
export interface ServiceSettings {
  workspace: string;
  /** Of health, control and webhooks, on loopback; 0 is a free one. */
  port: number;
  maxConcurrentTurns: number;
  debounceMs: number;
  approvalTimeoutMs: number;
  /** Addresses besides loopback at which browsers reach the console: through a proxy, or directly. */
  consoleOrigins: string[];
  /** What a proxy puts in front of every path; it begins with / and does not end with one. */
  consoleBasePath: string;
  /** Addresses of proxies whose X-Forwarded-For says which visitor wrong secrets are counted for. It grants nothing. */
  consoleProxies: string[];
  /** Where the console listens for other machines; undefined: it does not. */
  consoleHost?: string;
  consolePort: number;
  consoleTlsCert?: string;
  consoleTlsKey?: string;
  /** The owner's word that something else encrypts the way. */
  consolePlainHttp: boolean;
  /** Offers the OpenAI-compatible API. */
  openaiApi: boolean;
}

/** Of one bot: its own, its channel's, or the default. */
export interface BotSettings {
  provider: string;
  profile?: string;
  model?: string;
  withTools: boolean;
  toolAllow?: string[];
  toolMaxSteps: number;
  memory?: boolean;
  mode: Mode;
  /** The older name of the mode. */
  approve?: Approval;
  pairingPolicy: PairingPolicy;
  pairingAllowFrom: string[];
  pairingPendingTtlMs: number;
  pairingPendingMax: number;
  groups: boolean;
  /** Chats that send_message may write to: `channel:chatId`, or `channel/account:chatId`. */
  sendAllow: string[];
}

/** How the turns of scheduled jobs are asked: by settings of their own, otherwise by those of the default layer. */
export type JobSettings = Pick<
  BotSettings,
  'provider' | 'profile' | 'model' | 'withTools' | 'toolAllow' | 'memory' | 'mode'
> & {
  toolMaxSteps?: number;
};

export interface Setting extends ChannelSetting {
  /** A running gateway takes it up; otherwise it needs a restart. */
  isLive?: true;
  /** The variable that sets it, where it is not the usual one. */
  variable?: string;
}

/** A layer of gateway.json: the default, the jobs', a channel's, or one account's of a channel. */
export interface LayerName {
  jobs?: boolean;
  channel?: string;
  account?: string;
}

export const SERVICE_SETTINGS: Record<keyof ServiceSettings, Setting> = {
  workspace: {
    kind: text('a directory'),
    about: 'the directory file tools are confined to (default: workspace in the home)',
    variable: 'LAINCLAW_WORKSPACE',
  },
  port: {
    kind: count(0, 65_535),
    about: 'the port of health, control and webhooks, on loopback (default: 0, a free one)',
  },
  maxConcurrentTurns: { kind: count(1), about: 'turns that run at the same time, over all chats (default: 8)' },
  debounceMs: {
    kind: count(0, 60_000),
    about: 'messages that follow each other within this time are one turn (default: 400)',
  },
  approvalTimeoutMs: { kind: count(1_000), about: 'how long a question for permission waits (default: 600000)' },
  consoleOrigins: {
    kind: list('addresses such as https://lain.example.org', /^https?:\/\/[a-z0-9.:[\]-]+$/),
    about: 'addresses at which browsers reach the console besides loopback, e.g. https://lain.example.org',
    isLive: true,
  },
  consoleBasePath: {
    kind: text('a path such as /lainclaw', /^(\/[\w.~-]+)+$/),
    about: 'the path that a proxy puts in front of the console, e.g. /lainclaw',
    isLive: true,
  },
  consoleProxies: {
    kind: list('addresses such as 127.0.0.1', /^[0-9a-f.:]+$/i),
    about:
      'addresses of proxies: with their X-Forwarded-For, wrong passwords are counted for each visitor, e.g. 127.0.0.1',
    isLive: true,
  },
  consoleHost: {
    kind: text('an address of this machine', /^[\w.:-]+$/),
    about: 'where the console listens for other machines, e.g. 0.0.0.0; needs a password, and TLS or consolePlainHttp',
  },
  consolePort: { kind: count(0, 65_535), about: 'the port for other machines (default: 4748)' },
  consoleTlsCert: { kind: text('a file'), about: 'the certificate for other machines, PEM' },
  consoleTlsKey: { kind: text('a file'), about: 'the key of that certificate, PEM' },
  consolePlainHttp: {
    kind: onOff,
    about: 'serve other machines without TLS: something else encrypts the connection (default: false)',
  },
  openaiApi: {
    kind: onOff,
    about: 'offer /v1/chat/completions and /v1/responses to programs with a key (default: false)',
    isLive: true,
  },
};

export const BOT_SETTINGS: Record<keyof BotSettings, Setting> = {
  provider: {
    kind: text(),
    about: 'the model provider (default: as for ask)',
    variable: 'LAINCLAW_PROVIDER',
    isLive: true,
  },
  profile: { kind: text(), about: 'the sign-in profile of the provider', isLive: true },
  model: { kind: text(), about: 'the model', isLive: true },
  withTools: { kind: onOff, about: 'let the model call tools (default: true); also --no-with-tools', isLive: true },
  toolAllow: {
    kind: list('names of tools'),
    about: 'only these tools exist, e.g. time.now,shell.pwd; empty: all',
    isLive: true,
  },
  toolMaxSteps: { kind: count(1), about: 'model calls in one turn (default: 25)', isLive: true },
  memory: {
    kind: onOff,
    about: 'memory of the sessions of chats (default: off); also --memory, --no-memory',
    isLive: true,
  },
  mode: {
    kind: choice(MODES),
    about: `what needs permission for the owner's messages: ${MODES.join(', ')} (default: ask, in the chat)`,
    isLive: true,
  },
  approve: { kind: choice(APPROVALS), about: 'the same as mode, by its older name', isLive: true },
  pairingPolicy: {
    kind: choice(PAIRING_POLICIES),
    about: `who may write: ${PAIRING_POLICIES.join(', ')} (default: pairing)`,
    isLive: true,
  },
  pairingAllowFrom: { kind: list('ids of senders'), about: 'senders who may write, by their ids', isLive: true },
  pairingPendingTtlMs: { kind: count(1_000), about: 'how long a pairing code holds (default: 3600000)', isLive: true },
  pairingPendingMax: { kind: count(1, 1_000), about: 'codes that wait, for each bot (default: 3)', isLive: true },
  groups: {
    kind: onOff,
    about: 'answer in groups, when mentioned (default: false); also --groups, --no-groups',
    isLive: true,
  },
  sendAllow: {
    kind: list(
      'chats as channel:chatId or channel/account:chatId',
      new RegExp(`^(${CHANNEL_NAMES.join('|')})(/[a-z0-9][a-z0-9_-]*)?:\\S+$`),
    ),
    about: 'chats that send_message may write to, e.g. telegram:123456',
    isLive: true,
  },
};

export const JOB_SETTINGS: Record<keyof JobSettings, Setting> = {
  provider: BOT_SETTINGS.provider,
  profile: BOT_SETTINGS.profile,
  model: BOT_SETTINGS.model,
  withTools: BOT_SETTINGS.withTools,
  toolAllow: BOT_SETTINGS.toolAllow,
  toolMaxSteps: BOT_SETTINGS.toolMaxSteps,
  memory: BOT_SETTINGS.memory,
  mode: { ...BOT_SETTINGS.mode, about: 'what needs permission in scheduled jobs (default: never)' },
};

/** Part of a file's name, also where case makes no difference. */
export const ACCOUNT_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
export const ACCOUNT_ACCEPTED = 'small letters, digits, _ and -, at most 40';

/** The name of the flag that holds for jobs alone: `jobsProvider` for `provider`. */
export function jobFlag(key: string): string {
  return `jobs${key.charAt(0).toUpperCase()}${key.slice(1)}`;
}

/** The settings that a layer may hold; those of the service only in the default one. */
export function settingsOf({ jobs, channel }: LayerName, channels: ChannelTable): Record<string, Setting> {
  if (jobs) return JOB_SETTINGS;
  if (channel === undefined) return { ...SERVICE_SETTINGS, ...BOT_SETTINGS };
  return { ...BOT_SETTINGS, ...channels.get(channel)?.settings };
}

/** LAINCLAW_GATEWAY_DEBOUNCE_MS, LAINCLAW_TELEGRAM_BOT_TOKEN. */
export function variableOf(key: string, setting: Setting, channel?: string): string {
  if (setting.variable) return setting.variable;
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return `LAINCLAW_${channel ? channel.toUpperCase() : 'GATEWAY'}_${name}`;
}
