// The settings of config.json as they are stored now: read, checked and changed one at a time.
import { configProblems, notAccepted, readConfigObject, unknownSetting, withSetting } from '../config/config-file.ts';
import { type SettingEntry, settingEntries, settingEntry } from '../config/setting-entry.ts';
import { type FileSettings, isSettingKey, SETTINGS, type SettingKey } from '../config/settings.ts';
import { nearest } from '../lib/nearest.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { ConfigStore } from './config-store.ts';
import type { Services } from './services.ts';

type SettingValue = FileSettings[SettingKey];

export interface HomeSettings {
  list(): Promise<SettingEntry[]>;
  /** Throws CodedError with the code SETTING_REFUSED for an unknown key. */
  get(key: string): Promise<SettingEntry>;
  /** Changes nothing. Throws SETTING_REFUSED for an unknown key and for a value that is not accepted. */
  check(key: string, written: string): Promise<{ key: SettingKey; value: SettingValue }>;
  /**
   * `written` as on a command line. `problems`: what is still wrong with config.json, with the values that it holds. Throws like
   * `check`, and ConfigError for a file that cannot be changed.
   */
  set(key: string, written: string): Promise<{ entry: SettingEntry; problems: string[] }>;
  /** Stores values that were checked, in one write; undefined takes one out. */
  store(changes: Readonly<Record<string, SettingValue | undefined>>): Promise<void>;
  /** Undefined: it can be used. */
  nameProblem(key: SettingKey, value: unknown): Promise<string | undefined>;
}

export interface HomeSettingsDependencies {
  configFile: ConfigStore;
  modelServices: Services['modelServices'];
}

export function createHomeSettings({ configFile, modelServices }: HomeSettingsDependencies): HomeSettings {
  const { path, variables } = configFile;
  const read = async (): Promise<Record<string, unknown>> => readConfigObject(await configFile.read(), path);

  const settings: HomeSettings = {
    list: async () => settingEntries(await read(), variables),
    get: async (key) => settingEntry(knownKey(key), await read(), variables),
    async check(given, written) {
      const key = knownKey(given);
      const { kind } = SETTINGS[key];
      const value = kind.parse(written);
      if (!kind.isAccepted(value)) throw refused(notAccepted(key, written));
      const problem = await settings.nameProblem(key, value);
      if (problem) throw refused(problem);
      return { key, value: value as SettingValue };
    },
    async set(given, written) {
      const { key, value } = await settings.check(given, written);
      await settings.store({ [key]: value });
      const entry = await settings.get(key);
      return { entry, problems: configProblems(await read()).map(({ message }) => message) };
    },
    async store(changes) {
      await configFile.update((source) => {
        let text = source;
        for (const [key, value] of Object.entries(changes)) text = withSetting(text, path, key, value);
        return text ?? withSetting(undefined, path, 'version', undefined);
      });
    },
    // Names of providers and sign-ins that do not exist would fail later, far from here.
    async nameProblem(key, value) {
      if (key === 'profile') {
        const { profiles } = await (await modelServices()).auth.status();
        const ids = profiles.map(({ profileId }) => profileId);
        return ids.includes(value as string) ? undefined : unknownName('sign-in', value as string, ids);
      }
      if (key !== 'provider' && key !== 'fallback') return undefined;
      const names = ['stub', ...(await modelServices()).names()];
      const named =
        key === 'provider' ? [value as string] : (value as string[]).map((entry) => entry.split('/')[0] ?? '');
      const unknown = named.find((name) => !names.includes(name));
      return unknown === undefined ? undefined : unknownName('provider', unknown, names);
    },
  };
  return settings;
}

/** Throws SETTING_REFUSED. */
export function knownKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw refused(unknownSetting(key));
}

function unknownName(what: string, name: string, names: readonly string[]): string {
  const close = nearest(name, names);
  const hint = close ? ` (did you mean "${close}"?)` : '';
  return `there is no ${what} "${name}"${hint}; accepted: ${names.join(', ') || 'none yet'}`;
}

function refused(message: string): CodedError {
  return new CodedError('SETTING_REFUSED', message);
}
