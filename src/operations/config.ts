// What a person can do with the settings of config.json.

import { ConfigError } from '../config/config-error.ts';
import {
  configProblems,
  parseConfigFile,
  readConfigObject,
  unknownSetting,
  withSetting,
} from '../config/config-file.ts';
import { type SettingEntry, settingEntries, settingEntry } from '../config/setting-entry.ts';
import { type FileSettings, isSettingKey, SETTINGS, type SettingKey } from '../config/settings.ts';
import { nearest } from '../lib/nearest.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT } from './schemas.ts';

const ENTRY = objectWith(
  { key: TEXT, source: { enum: ['environment', 'file', 'default'] }, accepted: TEXT, about: TEXT },
  { value: {}, problem: TEXT, default: {}, variable: TEXT, flag: TEXT },
);
const KEY_INPUT = {
  type: 'object',
  properties: { key: TEXT },
  required: ['key'],
  additionalProperties: false,
} as const;

export const listSettings = defineOperation({
  name: 'config.list',
  class: 'read',
  summary: 'List every setting with its value, where that comes from, and what is accepted.',
  input: NO_INPUT,
  output: listOf(ENTRY),
  run: async (_input, { runtime }) => settingEntries(await fileOf(runtime), runtime.configFile.variables),
});

export const getSetting = defineOperation({
  name: 'config.get',
  class: 'read',
  summary: 'Read one setting.',
  input: KEY_INPUT,
  output: ENTRY,
  run: async ({ key }, { runtime }) => entryOf(knownKey(key), runtime),
});

export const setSetting = defineOperation({
  name: 'config.set',
  class: 'change',
  summary: 'Set a setting, written as on a command line.',
  input: {
    type: 'object',
    properties: { key: TEXT, value: TEXT },
    required: ['key', 'value'],
    additionalProperties: false,
  },
  output: ENTRY,
  async run({ key: written, value: text }, { runtime, warn }) {
    const key = knownKey(written);
    const { kind } = SETTINGS[key];
    const value = kind.parse(text);
    if (!kind.isAccepted(value)) throw refused(`"${key}" is ${JSON.stringify(text)}; accepted: ${kind.accepted}`);
    const problem = await nameProblem(key, value, runtime);
    if (problem) throw refused(problem);
    await storeSetting(runtime, key, value as FileSettings[SettingKey]);
    const entry = await entryOf(key, runtime);
    if (entry.source === 'environment') warn(`${entry.variable} is set and comes before config.json`);
    for (const { message } of configProblems(await fileOf(runtime)))
      warn(`config.json still cannot be used: ${message}`);
    return entry;
  },
});

export const unsetSetting = defineOperation({
  name: 'config.unset',
  class: 'change',
  summary: 'Take a setting out of config.json, so that its default holds.',
  input: KEY_INPUT,
  output: objectWith({ key: TEXT, removed: { type: 'boolean' } }),
  async run({ key }, { runtime }) {
    const file = await fileOf(runtime);
    // An unknown key in the file can be removed too.
    if (!Object.hasOwn(file, key)) knownKey(key);
    const removed = Object.hasOwn(file, key);
    if (removed) await storeSetting(runtime, key, undefined);
    return { key, removed };
  },
});

export const configPath = defineOperation({
  name: 'config.path',
  class: 'read',
  summary: 'Tell where config.json is.',
  input: NO_INPUT,
  output: objectWith({ path: TEXT }),
  run: async (_input, { runtime }) => ({ path: runtime.configFile.path }),
});

export const replaceConfig = defineOperation({
  name: 'config.replace',
  class: 'change',
  summary: 'Replace config.json by a text that was checked as a whole.',
  input: {
    type: 'object',
    properties: { text: TEXT },
    required: ['text'],
    additionalProperties: false,
  },
  output: objectWith({ path: TEXT }),
  async run({ text }, { runtime }) {
    const { path, update, read } = runtime.configFile;
    refuseNewer(await read(), path);
    const settings = parseConfigFile(text, path);
    for (const [key, value] of Object.entries(settings)) {
      const problem = await nameProblem(key as SettingKey, value, runtime);
      if (problem) throw refused(problem);
    }
    await update(() => (text.endsWith('\n') ? text : `${text}\n`));
    return { path };
  },
});

/** Stores a value that was checked; undefined takes it out. Throws ConfigError for a file that cannot be changed. */
export async function storeSetting(
  runtime: Runtime,
  key: string,
  value: FileSettings[SettingKey] | undefined,
): Promise<void> {
  await storeSettings(runtime, { [key]: value });
}

/** Stores several in one write; undefined takes one out. */
export async function storeSettings(
  { configFile: { path, update } }: Runtime,
  changes: Readonly<Record<string, FileSettings[SettingKey] | undefined>>,
): Promise<void> {
  await update((source) => {
    let text = source;
    for (const [key, value] of Object.entries(changes)) text = withSetting(text, path, key, value);
    return text ?? withSetting(undefined, path, 'version', undefined);
  });
}

/** Names of providers and sign-ins that do not exist would fail later, far from here. */
async function nameProblem(key: SettingKey, value: unknown, runtime: Runtime): Promise<string | undefined> {
  if (key === 'profile') {
    const { profiles } = await (await runtime.modelServices()).auth.status();
    const ids = profiles.map(({ profileId }) => profileId);
    return ids.includes(value as string) ? undefined : unknownName('sign-in', value as string, ids);
  }
  if (key !== 'provider' && key !== 'fallback') return undefined;
  const names = ['stub', ...(await runtime.modelServices()).names()];
  const named = key === 'provider' ? [value as string] : (value as string[]).map((entry) => entry.split('/')[0] ?? '');
  const unknown = named.find((name) => !names.includes(name));
  return unknown === undefined ? undefined : unknownName('provider', unknown, names);
}

function unknownName(what: string, name: string, names: readonly string[]): string {
  const close = nearest(name, names);
  const hint = close ? ` (did you mean "${close}"?)` : '';
  return `there is no ${what} "${name}"${hint}; accepted: ${names.join(', ') || 'none yet'}`;
}

function refuseNewer(source: string | undefined, path: string): void {
  try {
    readConfigObject(source, path);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code === 'STORAGE_NEWER_VERSION') throw error;
  }
}

async function fileOf({ configFile: { path, read } }: Runtime): Promise<Record<string, unknown>> {
  return readConfigObject(await read(), path);
}

async function entryOf(key: SettingKey, runtime: Runtime): Promise<SettingEntry> {
  return settingEntry(key, await fileOf(runtime), runtime.configFile.variables);
}

function knownKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw refused(unknownSetting(key));
}

function refused(message: string): CodedError {
  return new CodedError('SETTING_REFUSED', message);
}
