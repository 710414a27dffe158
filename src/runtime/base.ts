// What the whole process shares and everything else is built on: configuration, storage, sessions, budget, clock.
import { type Config, configOf, createCurrentConfig, loadConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { keepMemorySmall } from '../config/lasting-process.ts';
import { createTurnHub, type TurnHub } from '../gateway/turns/turn-hub.ts';
import { lazily } from '../lib/lazily.ts';
import { newId } from '../lib/new-id.ts';
import { createDayBudget, type DayBudget } from '../pipeline/day-budget.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import type { StorageWithBackups } from '../storage/backups.ts';
import { isRestoreUnfinished } from '../storage/local/backup/switch-plan.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Mailbox } from '../storage/mailbox.ts';
import type { ToolSpec } from '../tools/tool.ts';
import { systemTimezone } from './system-timezone.ts';

export interface Base {
  environment: Environment;
  config: Config;
  /** As config.json is now. */
  currentConfig(): Promise<Config>;
  storage: StorageWithBackups;
  sessions: Sessions;
  /** One for the process: writes of the same moment share a commit. */
  mailbox(): Promise<Mailbox>;
  /** One for the process, so that turns running at the same time share what is left of the day. */
  budget: DayBudget;
  /** One for the process: every turn of every workspace. */
  hub: TurnHub;
  /** Calls the listener when a turn of this process has started or ended. Returns what ends that. */
  onTurns(listener: () => void): () => void;
  /** Of the program that uses the runtime, beside the built-in ones. */
  tools: readonly ToolSpec[];
  /** Called at the start of each turn. Counts for the process: an operation opens a workspace, and with it a gateway, for one turn. */
  onTurnStart(): void;
  userHome: string;
  /** The name of this machine where the storage is shared with others; undefined where it is this machine's alone. */
  machine(): Promise<string | undefined>;
  now(): number;
  newId(prefix: string): string;
  systemTimezone(): string;
  warn(text: string): void;
}

export interface BaseOptions {
  environment: Environment;
  /** Called with the second turn: this process lasts. By default it keeps its heap small. */
  onLasting?: () => void;
  /** Tools of the program that uses the runtime, in every workspace beside the built-in ones. */
  tools?: readonly ToolSpec[];
  /** Shows a line to the person who runs the process. */
  warn(text: string): void;
  /** With the defaults where config.json or a variable cannot be used: for what repairs it. */
  ignoreBadConfig?: boolean;
}

export async function createBase({
  environment,
  tools = [],
  onLasting = keepMemorySmall,
  warn,
  ignoreBadConfig = false,
}: BaseOptions): Promise<Base> {
  if (isRestoreUnfinished(environment.home)) {
    const { finishRestore } = await import('../storage/local/backup/unfinished-restore.ts');
    await finishRestore(environment.home);
  }
  const config = await loadConfig(environment).catch((error: unknown) => {
    if (!ignoreBadConfig || !(error instanceof ConfigError)) throw error;
    return configOf({}, { ...environment, variables: {} });
  });
  const { now, userHome } = environment;
  const local = createLocalStorage({
    home: environment.home,
    now,
    lainclaw: environment.version,
    onSlowBackup: () => warn('the home is backed up before it is brought to this version: this happens once'),
    onNoBackup: (reason) => warn(`no backup was made before the home is brought to this version: ${reason}`),
    secrets: lazySecrets(environment.variables),
    auditBytes: (config.auditMegabytes ?? 256) * 1024 * 1024,
    onRebuild: (aside) => warn(`the index of sessions was damaged: rebuilt, the old one is ${aside}`),
  });
  const storage =
    config.store === undefined ? local : await openStore(config.store, { local, config, environment, warn });
  let turns = 0;
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    environment,
    config,
    currentConfig: createCurrentConfig(environment),
    storage,
    sessions: createSessions({ ...storage, now, newId }),
    mailbox: lazily(() => storage.mailbox()),
    budget: createDayBudget({ spending: storage.spending, now }),
    hub: createTurnHub({ now, newId, onChange }),
    onTurns(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tools,
    onTurnStart() {
      turns += 1;
      if (turns === 2) onLasting();
    },
    userHome,
    async machine() {
      if (storage.locks === storage.machineLocks) return undefined;
      return (await import('../storage/machine-name.ts')).machineName(storage.machineFiles, newId);
    },
    now,
    newId,
    systemTimezone: () => systemTimezone(environment.variables),
    warn,
  };
}

/** Connects with the first statement. */
async function openStore(
  url: string,
  { local, config, environment, warn }: Pick<Base, 'config' | 'environment' | 'warn'> & { local: StorageWithBackups },
): Promise<StorageWithBackups> {
  const [{ createPostgresStorage }, { fileSettings }] = await Promise.all([
    import('../storage/postgres/postgres-storage.ts'),
    import('./file-settings.ts'),
  ]);
  const { now, variables } = environment;
  const files = fileSettings(config, variables, warn);
  return createPostgresStorage({ url, local, key: variables.LAINCLAW_STORE_KEY || undefined, files, now, newId });
}

const NAMES_SECRET = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/;
const SHORTEST_SECRET = 8;

/** The values of variables that are named like secrets. */
function lazySecrets(variables: Environment['variables']): () => readonly string[] {
  let secrets: readonly string[] | undefined;
  return () => {
    secrets ??= Object.entries(variables).flatMap(([name, value = '']) =>
      NAMES_SECRET.test(name) && value.length >= SHORTEST_SECRET ? [value] : [],
    );
    return secrets;
  };
}
