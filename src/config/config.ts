// The owner's settings: <home>/config.json under environment variables. It is read from the home only: a workspace can
// never set a provider, an address or a key.
import { readFile, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import { CONFIG_FILE, notAccepted, parseConfigFile } from './config-file.ts';
import type { Environment } from './environment.ts';
import { type FileSettings, SETTING_KEYS, SETTINGS, type SettingKey } from './settings.ts';

type WithDefault = 'provider' | 'language' | 'sandbox' | 'backgroundRuns' | 'fallback';

export interface Config
  extends Omit<FileSettings, WithDefault>,
    Required<Pick<FileSettings, Exclude<WithDefault, 'provider'>>> {
  /** The provider in use when no flag names one: `stub` when none is configured. */
  provider: string;
  /** Whether a variable or the file names it. */
  isProviderSet: boolean;
  /** The provider that `model` and `profile` belong to; undefined where the owner named none beside them. */
  modelFor?: string;
  workspace: string;
  /** Show which provider and profile answered, in front of the text. */
  debugSource: boolean;
}

type ConfigPlace = Pick<Environment, 'home' | 'cwd' | 'variables'>;

/** Throws ConfigError. */
export async function loadConfig(environment: ConfigPlace): Promise<Config> {
  const path = join(environment.home, CONFIG_FILE);
  return configOf(parseConfigFile(await readSource(path), path), environment);
}

/** As `loadConfig`; the file is read again only when it has changed. For a process that lasts. */
export function createCurrentConfig(environment: ConfigPlace): () => Promise<Config> {
  const path = join(environment.home, CONFIG_FILE);
  let known: { version: string; config: Config } | undefined;
  return async () => {
    const version = versionOf(path);
    if (known?.version === version) return known.config;
    const config = await loadConfig(environment);
    known = { version, config };
    return config;
  };
}

/** Another one after each change. Read before the file is: what is written meanwhile is noticed the next time. */
function versionOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':') : 'none';
}

/** What holds for these settings in this environment. Throws ConfigError for a variable that cannot be used. */
export function configOf(file: FileSettings, { cwd, variables }: Omit<ConfigPlace, 'home'>): Config {
  const settings = { ...file, ...settingsIn(variables) };
  return {
    ...settings,
    modelFor: file.provider,
    provider: settings.provider ?? 'stub',
    isProviderSet: settings.provider !== undefined,
    language: settings.language ?? 'en',
    fallback: settings.fallback ?? [],
    sandbox: settings.sandbox ?? 'auto',
    backgroundRuns: settings.backgroundRuns ?? 4,
    workspace: variables.LAINCLAW_WORKSPACE || cwd,
    debugSource: variables.LAINCLAW_DEBUG_SOURCE === '1',
  };
}

/** The settings that variables set. */
export function settingsIn(variables: Environment['variables']): FileSettings {
  const found: Partial<Record<SettingKey, unknown>> = {};
  for (const key of SETTING_KEYS) {
    const { variable, kind } = SETTINGS[key];
    const written = variable === undefined ? undefined : variables[variable];
    if (!written) continue;
    const value = kind.parse(written);
    if (!kind.isAccepted(value)) throw new ConfigError(notAccepted(key, written, variable));
    found[key] = value;
  }
  return found as FileSettings;
}

/** Not at once: what is in the file's place may never open. Not with `node:fs/promises` either: that would be its only use in a command. */
function readSource(path: string): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  readFile(path, 'utf8', (error, text) => {
    if (!error) resolve(text);
    else if (error.code === 'ENOENT' || error.code === 'ENOTDIR') resolve(undefined);
    else reject(new ConfigError(`cannot read ${path}: ${error.message}`, error));
  });
  return promise;
}
