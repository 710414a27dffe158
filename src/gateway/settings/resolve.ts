// What holds for each bot: flag > environment > account > channel > default layer > built-in; for scheduled jobs the same, with
// their own layer in the place of the channel's. A model or profile belongs to the
// provider named beside it: where another layer chose another provider, it is passed over.

import { join, resolve as resolvePath } from 'node:path';
import type { ChannelTable } from '../../channels/channel-table.ts';
import type { ChannelDefinition } from '../../channels/definition.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Environment } from '../../config/environment.ts';
import type { SecretSource } from '../../config/kinds.ts';
import type { Mode } from '../../config/mode.ts';
import { DEFAULT_ACCOUNT } from '../../vocabulary/chat-name.ts';
import type { GatewayFile, Layer } from './gateway-file.ts';
import { acceptedBy, shown } from './gateway-file.ts';
import { readSecret } from './secret.ts';
import {
  BOT_SETTINGS,
  type BotSettings,
  JOB_SETTINGS,
  type JobSettings,
  jobFlag,
  SERVICE_SETTINGS,
  type ServiceSettings,
  type Setting,
  variableOf,
} from './settings.ts';

/** One bot with everything it needs, secrets included: never to be logged or stored. */
export interface ResolvedBot {
  definition: ChannelDefinition;
  /** Its name. */
  channel: string;
  account: string;
  settings: BotSettings;
  /** The channel's own settings. */
  own: Layer;
}

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
  /** Those whose bots are to run. */
  channels: readonly string[];
  definitions: ChannelTable;
  environment: Environment;
  /** What `ask` would use: the provider below all layers. */
  config: Pick<Config, 'provider' | 'model' | 'profile' | 'modelFor'>;
  /** What is wrong with a provider's name, when something is. */
  providerProblem(name: string): string | undefined;
}

type BotInput = Omit<ResolveInput, 'channels' | 'definitions' | 'providerProblem'>;

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
    consoleOrigins: [],
    consoleBasePath: '',
    consoleProxies: [],
    consolePort: 4_748,
    consolePlainHttp: false,
    openaiApi: false,
    ...pick(layers, SERVICE_SETTINGS),
  };
  const jobs = jobSettings(input, problems);
  const jobsProblem = input.providerProblem(jobs.provider);
  if (jobsProblem) problems.push(jobsProblem);
  const secrets = new Set<string>();
  const bots: ResolvedBot[] = [];
  for (const channel of new Set(input.channels)) {
    const definition = input.definitions.get(channel);
    if (!definition) {
      problems.push(`there is no channel "${channel}"; accepted: ${[...input.definitions.keys()].join(', ')}`);
      continue;
    }
    for (const account of accountsOf(definition, file, environment)) {
      const settings = botSettings(channel, account, input, problems);
      const providerProblem = input.providerProblem(settings.provider);
      if (providerProblem) problems.push(providerProblem);
      const own = await ownSettings(definition, account, input, { problems, secrets });
      bots.push({ definition, channel, account, settings, own });
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
export function resolveBot(channel: string, account: string, input: BotInput): BotSettings {
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

/**
 * Whether anything of a channel is set in the file, or anything that belongs to one bot in the environment: an address or a mode alone
 * makes no bot.
 */
export function isSetUp(
  { name, settings }: ChannelDefinition,
  file: GatewayFile,
  { variables }: Pick<Environment, 'variables'>,
): boolean {
  const { accounts, ...own } = file.channels[name] ?? {};
  if (Object.keys({ ...own, ...accounts }).length > 0) return true;
  return Object.entries(settings).some(
    ([key, setting]) => setting.isOwn && Boolean(variables[variableOf(key, setting, name)]),
  );
}

/** The named accounts; the channel itself is one more bot when it has what makes a bot, or when none is named. */
export function accountsOf(
  { name, settings, identity }: ChannelDefinition,
  file: GatewayFile,
  { variables }: Pick<Environment, 'variables'>,
): string[] {
  const layer = file.channels[name] ?? {};
  const named = Object.keys(layer.accounts ?? {});
  const setting = settings[identity];
  const isBot = identity in layer || Boolean(setting && variables[variableOf(identity, setting, name)]);
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

/** The provider, and the model and profile beside it. */
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
  // What is chosen for chats, where a person can be asked, says nothing about jobs.
  const mode = modeIn([Object.fromEntries(ownFlags), input.file.jobs ?? {}]) ?? 'never';
  return { withTools: true, ...allowedTools(pick(layers, JOB_SETTINGS)), ...providerIn(layers, input.config), mode };
}

function botSettings(channel: string, account: string, input: BotInput, problems: string[]): BotSettings {
  const { accounts, ...ofChannel } = input.file.channels[channel] ?? {};
  const layers = layersWith([accounts?.[account] ?? {}, ofChannel], input, problems);
  return {
    withTools: true,
    toolMaxSteps: 25,
    pairingPolicy: 'pairing',
    pairingAllowFrom: [],
    pairingPendingTtlMs: 3_600_000,
    pairingPendingMax: 3,
    groups: false,
    sendAllow: [],
    ...allowedTools(pick(layers, BOT_SETTINGS)),
    ...providerIn(layers, input.config),
    mode: modeIn(layers) ?? 'ask',
  };
}

/** The first layer that says so, by the name of today or by the older one. */
function modeIn(layers: readonly Layer[]): Mode | undefined {
  return layers.map(({ mode, approve }) => (mode ?? approve) as Mode | undefined).find((mode) => mode !== undefined);
}

/** An empty list of tools means all of them; `withTools: false` means none. */
function allowedTools(settings: Layer): Layer {
  const { toolAllow, ...rest } = settings;
  return Array.isArray(toolAllow) && toolAllow.length === 0 ? rest : settings;
}

async function ownSettings(
  definition: ChannelDefinition,
  account: string,
  { file, environment }: ResolveInput,
  { problems, secrets }: { problems: string[]; secrets: Set<string> },
): Promise<Layer> {
  const { name: channel, settings: table } = definition;
  const { accounts, ...ofChannel } = file.channels[channel] ?? {};
  const isDefault = account === DEFAULT_ACCOUNT;
  const fromVariables = variablesLayer(environment, table, channel, problems);
  const inherited = isDefault ? ofChannel : withoutOwn(ofChannel, table);
  const layers = [isDefault ? fromVariables : withoutOwn(fromVariables, table), accounts?.[account] ?? {}, inherited];
  const own: Layer = { ...definition.defaults({ account, home: environment.home }), ...pick(layers, table) };
  for (const [key, setting] of Object.entries(table)) {
    if (!setting.isSecret || own[key] === undefined) continue;
    const read = await readSecret(own[key] as SecretSource, environment);
    if (!read.ok) problems.push(`${channel} (${account}): ${key} cannot be read: ${read.problem}`);
    else if (!setting.kind.isAccepted(read.value))
      problems.push(`${channel} (${account}): what was read for ${key} is not it; ${acceptedBy(setting)}`);
    if (read.ok) secrets.add(read.value);
    own[key] = read.ok ? read.value : '';
  }
  for (const key of definition.needed(own).filter((name) => own[name] === undefined))
    problems.push(`${channel} (${account}) needs ${key}; set it with ${commandFor(definition, account, key)}`);
  return own;
}

function commandFor({ name: channel, settings }: ChannelDefinition, account: string, key: string): string {
  const isDefault = account === DEFAULT_ACCOUNT;
  const setting = settings[key];
  const value = setting?.isSecret ? '-' : `<${key}>`;
  const how = setting?.isSecret ? ' (then paste it)' : '';
  const variable = setting && isDefault ? `, or set ${variableOf(key, setting, channel)}` : '';
  const flag = isDefault ? '' : ` --account ${account}`;
  return `lainclaw gateway config set --channel ${channel}${flag} ${key}=${value}${how}${variable}`;
}

function withoutOwn(layer: Layer, table: Readonly<Record<string, Setting>>): Layer {
  return Object.fromEntries(Object.entries(layer).filter(([key]) => !table[key]?.isOwn));
}

/** What the environment says, checked like the file. */
function variablesLayer(
  { variables }: Environment,
  table: Readonly<Record<string, Setting>>,
  channel: string | undefined,
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
function pick(layers: readonly Layer[], table: Readonly<Record<string, Setting>>): Layer {
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
  return bots.flatMap(({ definition, channel, account, own }) => {
    const identity = own[definition.identity];
    if (!identity) return [];
    const other = seen.get(`${channel} ${identity}`);
    seen.set(`${channel} ${identity}`, account);
    return other === undefined ? [] : [`${channel}: the accounts ${other} and ${account} are the same bot`];
  });
}
