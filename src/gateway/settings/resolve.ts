// What holds for each bot: flag > environment > account > channel > default layer > built-in; for scheduled jobs the same, with
// their own layer in the place of the channel's. A model or profile belongs to the
// provider named beside it: where another layer chose another provider, it is passed over.
import { join, resolve as resolvePath } from 'node:path';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Environment } from '../../config/environment.ts';
import type { SecretSource } from '../../config/kinds.ts';
import type { GatewayFile, Layer } from './gateway-file.ts';
import { acceptedBy, shown } from './gateway-file.ts';
import { readSecret } from './secret.ts';
import {
  BOT_SETTINGS,
  type BotSettings,
  CHANNEL_SETTINGS,
  DEFAULT_ACCOUNT,
  type FeishuSettings,
  type GatewayChannel,
  JOB_SETTINGS,
  type JobSettings,
  jobFlag,
  type LocalSettings,
  NEEDED,
  SERVICE_SETTINGS,
  type ServiceSettings,
  type Setting,
  type TelegramSettings,
  variableOf,
} from './settings.ts';

/** One bot with everything it needs, secrets included: never to be logged or stored. */
export type ResolvedBot = { account: string; settings: BotSettings } & (
  | { channel: 'feishu'; own: FeishuSettings }
  | { channel: 'telegram'; own: TelegramSettings }
  | { channel: 'local'; own: LocalSettings }
);

export interface ResolvedGateway {
  service: ServiceSettings;
  jobs: JobSettings;
  bots: ResolvedBot[];
  /** Every secret value in use: what a log must not hold. */
  secrets: string[];
}

export interface ResolveInput {
  file: GatewayFile;
  /** Flags of the command, by the name of the setting. */
  flags: Layer;
  channels: readonly GatewayChannel[];
  environment: Environment;
  /** What `ask` would use: the provider below all layers. */
  config: Pick<Config, 'provider' | 'model' | 'profile' | 'modelFor'>;
  /** What is wrong with a provider's name, when something is. */
  providerProblem(name: string): string | undefined;
}

type BotInput = Omit<ResolveInput, 'channels' | 'providerProblem'>;

/** Throws ConfigError with every problem: what is missing comes with the command that sets it. */
export async function resolveGateway(input: ResolveInput): Promise<ResolvedGateway> {
  const problems: string[] = [];
  const { flags, file, environment } = input;
  const layers = [flags, variablesLayer(environment, SERVICE_SETTINGS, undefined, problems), file.default];
  const service: ServiceSettings = {
    workspace: join(environment.home, 'workspace'),
    port: 0,
    maxConcurrentTurns: 8,
    debounceMs: 400,
    approvalTimeoutMs: 600_000,
    ...pick(layers, SERVICE_SETTINGS),
  };
  const jobs = jobSettings(input, problems);
  const jobsProblem = input.providerProblem(jobs.provider);
  if (jobsProblem) problems.push(jobsProblem);
  const secrets = new Set<string>();
  const bots: ResolvedBot[] = [];
  for (const channel of new Set(input.channels)) {
    for (const account of accountsOf(channel, file, environment)) {
      const settings = botSettings(channel, account, input, problems);
      const providerProblem = input.providerProblem(settings.provider);
      if (providerProblem) problems.push(providerProblem);
      const own = await ownSettings(channel, account, input, { problems, secrets });
      bots.push({ channel, account, settings, own } as unknown as ResolvedBot);
    }
  }
  problems.push(...sameBots(bots));
  if (problems.length > 0) throw new ConfigError([...new Set(problems)].join('\n'));
  return {
    service: { ...service, workspace: resolvePath(environment.cwd, service.workspace) },
    jobs,
    bots,
    secrets: [...secrets],
  };
}

/** What holds for one bot, without what connects it. Throws ConfigError. */
export function resolveBot(channel: GatewayChannel, account: string, input: BotInput): BotSettings {
  const problems: string[] = [];
  const settings = botSettings(channel, account, input, problems);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return settings;
}

/** How the turns of scheduled jobs are asked. Throws ConfigError. */
export function resolveJobs(input: BotInput): JobSettings {
  const problems: string[] = [];
  const settings = jobSettings(input, problems);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return settings;
}

/** Whether anything of a channel is set, in the file or in the environment. */
export function isSetUp(
  channel: GatewayChannel,
  file: GatewayFile,
  { variables }: Pick<Environment, 'variables'>,
): boolean {
  if (file.channels[channel]) return true;
  return Object.entries(CHANNEL_SETTINGS[channel]).some(
    ([key, setting]) => variables[variableOf(key, setting, channel)],
  );
}

/** The named accounts; the channel itself is one more bot when it has what makes a bot, or when none is named. */
export function accountsOf(
  channel: GatewayChannel,
  file: GatewayFile,
  { variables }: Pick<Environment, 'variables'>,
): string[] {
  const layer = file.channels[channel] ?? {};
  const named = Object.keys(layer.accounts ?? {});
  const [identity] = Object.entries(CHANNEL_SETTINGS[channel]);
  const isBot = identity && (identity[0] in layer || Boolean(variables[variableOf(identity[0], identity[1], channel)]));
  return named.length === 0 || (isBot && !named.includes(DEFAULT_ACCOUNT)) ? [DEFAULT_ACCOUNT, ...named] : named;
}

/** What all layers have in common: flags above, what `ask` would use below. `own`: the layers of a bot, or of the jobs. */
function layersWith(
  own: readonly Layer[],
  { file, flags, environment, config }: BotInput,
  problems: string[],
): readonly Layer[] {
  const { provider, model, profile, modelFor } = config;
  return [
    flags,
    variablesLayer(environment, BOT_SETTINGS, undefined, problems),
    ...own,
    file.default,
    { provider: modelFor ?? provider, model, profile },
  ];
}

/** The provider, and the model and profile that stand beside it. */
function providerIn(
  layers: readonly Layer[],
  { provider: last }: BotInput['config'],
): Pick<BotSettings, 'provider' | 'model' | 'profile'> {
  const provider = (pick(layers, BOT_SETTINGS).provider as string | undefined) ?? last;
  const besideProvider = (key: 'model' | 'profile'): string | undefined =>
    layers.find((layer) => layer[key] !== undefined && (layer.provider ?? provider) === provider)?.[key] as
      | string
      | undefined;
  return { provider, model: besideProvider('model'), profile: besideProvider('profile') };
}

function jobSettings(input: BotInput, problems: string[]): JobSettings {
  const ownFlags = Object.keys(JOB_SETTINGS).flatMap((key) => {
    const value = input.flags[jobFlag(key)];
    return value === undefined ? [] : [[key, value]];
  });
  const layers = [Object.fromEntries(ownFlags), ...layersWith([input.file.jobs ?? {}], input, problems)];
  return { withTools: true, ...pick(layers, JOB_SETTINGS), ...providerIn(layers, input.config) };
}

function botSettings(channel: GatewayChannel, account: string, input: BotInput, problems: string[]): BotSettings {
  const { accounts, ...ofChannel } = input.file.channels[channel] ?? {};
  const layers = layersWith([accounts?.[account] ?? {}, ofChannel], input, problems);
  return {
    withTools: true,
    toolMaxSteps: 25,
    approve: 'ask',
    pairingPolicy: 'pairing',
    pairingAllowFrom: [],
    pairingPendingTtlMs: 3_600_000,
    pairingPendingMax: 3,
    groups: false,
    sendAllow: [],
    ...pick(layers, BOT_SETTINGS),
    ...providerIn(layers, input.config),
  };
}

async function ownSettings(
  channel: GatewayChannel,
  account: string,
  { file, environment }: ResolveInput,
  { problems, secrets }: { problems: string[]; secrets: Set<string> },
): Promise<Layer> {
  const table = CHANNEL_SETTINGS[channel];
  const { accounts, ...ofChannel } = file.channels[channel] ?? {};
  const isDefault = account === DEFAULT_ACCOUNT;
  const fromVariables = variablesLayer(environment, table, channel, problems);
  const inherited = isDefault ? ofChannel : withoutOwn(ofChannel, table);
  const layers = [isDefault ? fromVariables : withoutOwn(fromVariables, table), accounts?.[account] ?? {}, inherited];
  const own: Layer = { ...builtIn(channel, account, environment), ...pick(layers, table) };
  for (const [key, setting] of Object.entries(table)) {
    if (!setting.isSecret || own[key] === undefined) continue;
    const read = await readSecret(own[key] as SecretSource, environment);
    if (!read.ok) problems.push(`${channel} (${account}): ${key} cannot be read: ${read.problem}`);
    else if (!setting.kind.isAccepted(read.value))
      problems.push(`${channel} (${account}): what was read for ${key} is not it; ${acceptedBy(setting)}`);
    if (read.ok) secrets.add(read.value);
    own[key] = read.ok ? read.value : '';
  }
  const needed = NEEDED[channel][String(own.mode)] ?? [];
  for (const key of needed.filter((name) => own[name] === undefined))
    problems.push(`${channel} (${account}) needs ${key}: ${commandFor(channel, account, key, isDefault)}`);
  return own;
}

function commandFor(channel: GatewayChannel, account: string, key: string, isDefault: boolean): string {
  const setting = CHANNEL_SETTINGS[channel][key];
  const value = setting?.isSecret ? '-' : `<${key}>`;
  const how = setting?.isSecret ? ' (then paste it)' : '';
  const variable = setting && isDefault ? `, or set ${variableOf(key, setting, channel)}` : '';
  const flag = isDefault ? '' : ` --account ${account}`;
  return `lainclaw gateway config set --channel ${channel}${flag} ${key}=${value}${how}${variable}`;
}

function builtIn(channel: GatewayChannel, account: string, { home }: Environment): Layer {
  if (channel === 'feishu') return { domain: 'feishu', mode: 'websocket' };
  if (channel === 'telegram') return { apiRoot: 'https://api.telegram.org', mode: 'polling' };
  return { folder: join(home, 'channels', account === DEFAULT_ACCOUNT ? 'local' : `local-${account}`) };
}

function withoutOwn(layer: Layer, table: Record<string, Setting>): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([key]) => !table[key]?.isOwn));
}

/** What the environment says, checked like the file. */
function variablesLayer(
  { variables }: Environment,
  table: Record<string, Setting>,
  channel: GatewayChannel | undefined,
  problems: string[],
): Layer {
  const layer: Layer = {};
  for (const [key, setting] of Object.entries(table)) {
    const name = variableOf(key, setting, channel);
    const written = variables[name];
    if (!written) continue;
    const value = setting.isSecret ? written : setting.kind.parse(written);
    if (setting.kind.isAccepted(value)) layer[key] = value;
    else problems.push(`${name} is ${shown(value, setting)}; ${acceptedBy(setting)}`);
  }
  return layer;
}

/** The first layer that has each setting. */
function pick(layers: readonly Layer[], table: Record<string, Setting>): Layer {
  const chosen: Layer = {};
  for (const key of Object.keys(table)) {
    const layer = layers.find((candidate) => candidate[key] !== undefined);
    if (layer) chosen[key] = layer[key];
  }
  return chosen;
}

/** Two bots behind one identity would each take the other's messages. */
function sameBots(bots: readonly ResolvedBot[]): string[] {
  const seen = new Map<string, string>();
  return bots.flatMap(({ channel, account, own }) => {
    const identity = channel === 'feishu' ? own.appId : channel === 'telegram' ? own.botToken : own.folder;
    if (!identity) return [];
    const other = seen.get(`${channel} ${identity}`);
    seen.set(`${channel} ${identity}`, account);
    return other === undefined ? [] : [`${channel}: the accounts ${other} and ${account} are the same bot`];
  });
}
