// Everything about the gateway that the command line does: its settings, who may write, starting, stopping, asking it.
import { NO_MODEL } from '../../adapters/no-model.ts';
import type { ChannelTable } from '../../channels/channel-table.ts';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import { nearest } from '../../lib/nearest.ts';
import type { Locks } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import { createPairing, type Pairing } from '../access/pairing.ts';
import { welcome } from '../access/welcome.ts';
import { sessionKeyOf } from '../chats/session-key-of.ts';
import type { Layer } from '../settings/gateway-file.ts';
import { accountsOf, type ResolvedGateway, resolveBot, resolveGateway, resolveJobs } from '../settings/resolve.ts';
import type { BotSettings, JobSettings } from '../settings/settings.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import { answerProblem } from './answer-problem.ts';
import type { OpenConsole } from './console-parts.ts';
import { type ControlClient, createControlClient } from './control-client.ts';
import { type GatewayContext, type OpenedGateway, runService, type ServiceDependencies } from './run-service.ts';
import { createServiceStates, type ServiceStates } from './service-state.ts';
import { createSettingsFile, type SettingsFile } from './settings-file.ts';

export type OpenGateway = (context: GatewayContext) => Promise<OpenedGateway>;

export type RunOptions = Pick<ServiceDependencies, 'version' | 'command' | 'flags' | 'onLogLine' | 'onReady'> & {
  channels: readonly string[];
};

export interface GatewayAdmin {
  /** The channels there are. */
  channels: ChannelTable;
  settingsFile: SettingsFile;
  states: ServiceStates;
  control: ControlClient;
  /** Throws ConfigError with everything that is wrong or missing. */
  resolve(flags: Layer, channels: readonly string[]): Promise<ResolvedGateway>;
  /** What is wrong with a provider's name, when something is. */
  providerProblem(name: string): Promise<string | undefined>;
  /** What holds for a bot as the gateway that runs has it, with its flags. */
  botSettings(channel: string, account: string): Promise<BotSettings>;
  /** How scheduled jobs are asked, by a gateway or by a command. Throws ConfigError. */
  jobSettings(): Promise<JobSettings>;
  pairing(): Promise<Pairing>;
  /** Why an answer to this chat would be refused, and what to do; undefined when it would go there. Never rejects. */
  answerProblem(chat: string, asker: Asker): Promise<string | undefined>;
  /** The gateway in this process, until the signal fires. */
  run(options: RunOptions, signal: AbortSignal): Promise<void>;
}

export interface GatewayAdminDependencies {
  channels: ChannelTable;
  environment: Environment;
  config: Config;
  files: OwnerFiles;
  /** Where the state of the service is kept. */
  machineFiles: OwnerFiles;
  /** Of this machine. */
  locks: Locks;
  /** Of all gateways on the same storage, where there can be several. */
  sharedLocks?: Locks;
  hub: TurnHub;
  now(): number;
  mailbox(): Promise<Mailbox>;
  hasSession(sessionKey: string): Promise<boolean>;
  /** Of the providers there are. */
  providerNames(): Promise<readonly string[]>;
  /** The provider of turns whose settings name none. */
  defaultProvider(): Promise<string>;
  open: OpenGateway;
  openConsole?: OpenConsole;
}

export function createGatewayAdmin(dependencies: GatewayAdminDependencies): GatewayAdmin {
  const {
    channels: definitions,
    environment,
    files,
    machineFiles,
    locks,
    sharedLocks,
    hub,
    now,
    mailbox,
    providerNames,
    open,
    openConsole,
  } = dependencies;
  /** The one that is configured or signed in to; nobody in a chat should see how to set one up. */
  async function configNow(): Promise<Config> {
    const { config, defaultProvider } = dependencies;
    const provider = await defaultProvider();
    return { ...config, provider: provider === 'stub' && !config.isProviderSet ? NO_MODEL : provider };
  }
  const { home } = environment;
  const settingsFile = createSettingsFile(files, definitions);
  const states = createServiceStates(machineFiles);

  const resolve: GatewayAdmin['resolve'] = async (flags, channels) => {
    const [file, names, config] = await Promise.all([settingsFile.read(), providerNames(), configNow()]);
    const providerProblem = (name: string): string | undefined =>
      name === NO_MODEL ? undefined : unknownProvider(name, names);
    return resolveGateway({ file, flags, channels, definitions, environment, config, providerProblem });
  };

  const control = createControlClient(states);

  return {
    channels: definitions,
    settingsFile,
    states,
    control,
    resolve,
    providerProblem: async (name) => unknownProvider(name, await providerNames()),
    async botSettings(channel, account) {
      const [file, running, config] = await Promise.all([settingsFile.read(), states.running(), configNow()]);
      return resolveBot(channel, account, { file, flags: running?.flags ?? {}, environment, config });
    },
    async jobSettings() {
      const [file, running, config] = await Promise.all([settingsFile.read(), states.running(), configNow()]);
      return resolveJobs({ file, flags: running?.flags ?? {}, environment, config });
    },
    async pairing() {
      const { config } = dependencies;
      const [file, running] = await Promise.all([settingsFile.read(), states.running()]);
      const lists = await files.list().catch(() => []);
      const settingsOf = ({ channel, account }: { channel: string; account: string }) =>
        resolveBot(channel, account, { file, flags: running?.flags ?? {}, environment, config });
      const limits = (bot: { channel: string; account: string }) => {
        const { pairingPendingTtlMs, pairingPendingMax } = settingsOf(bot);
        return { ttlMs: pairingPendingTtlMs, max: pairingPendingMax };
      };
      return createPairing({
        files,
        limits,
        // Those of the settings, and those that only their lists remember.
        accounts: (channel) => {
          const definition = definitions.get(channel);
          const configured = definition ? accountsOf(definition, file, environment) : [];
          const listed = lists.flatMap((name) => accountInName(name, channel));
          return [...new Set([...configured, ...listed])];
        },
        now,
        async tell(request, chat) {
          const { pairingPolicy } = settingsOf(chat);
          if (pairingPolicy === 'disabled') return false;
          await welcome(request, chat, { mailbox: await mailbox(), now });
          // One that does not run sends it when it starts, one that does not listen within a minute.
          await control.wake().catch(() => {});
          return true;
        },
      });
    },
    async answerProblem(name, asker) {
      try {
        const [file, running] = await Promise.all([settingsFile.read(), states.running()]);
        return await answerProblem(name, asker, {
          definitions,
          file,
          running,
          environment,
          config: dependencies.config,
          files,
          now,
          people: async (chat) => (await mailbox()).people(chat),
          hasSession: (chat) => dependencies.hasSession(sessionKeyOf(chat)),
        });
      } catch (error) {
        return `whether ${name} may be written to is unknown: ${(error as Error).message}`;
      }
    },
    run: ({ channels, ...options }, signal) =>
      runService(
        {
          ...options,
          home,
          files,
          machineFiles,
          locks,
          sharedLocks,
          hub,
          otlp: otlpOf(environment),
          now,
          open,
          openConsole,
          channels,
          readSettings: () => resolve(options.flags, channels),
        },
        signal,
      ),
  };
}

function otlpOf({ variables }: Environment): { endpoint: string; headers?: string } | undefined {
  const { LAINCLAW_OTLP_ENDPOINT: endpoint, LAINCLAW_OTLP_HEADERS: headers } = variables;
  return endpoint ? { endpoint, headers } : undefined;
}

function unknownProvider(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const close = nearest(name, names);
  return `there is no provider "${name}"; accepted: ${names.join(', ')}${close ? ` (did you mean ${close}?)` : ''}`;
}

function accountInName(name: string, channel: string): string[] {
  const prefix = `${channel}-`;
  const suffix = '-allowFrom.json';
  return name.startsWith(prefix) && name.endsWith(suffix) && name.length > prefix.length + suffix.length
    ? [name.slice(prefix.length, -suffix.length)]
    : [];
}
