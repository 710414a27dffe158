// What a person can do with the settings of config.json.

import { ConfigError } from '../config/config-error.ts';
import { parseConfigFile, readConfigObject } from '../config/config-file.ts';
import type { FileSettings, SettingKey } from '../config/settings.ts';
import { createHomeSettings, knownKey } from '../runtime/home-settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT } from './schemas.ts';

const ENTRY = objectWith(
  { key: TEXT, source: { enum: ['environment', 'file', 'default'] }, accepted: TEXT, about: TEXT },
  { value: {}, problem: TEXT, default: {}, variable: TEXT, flag: TEXT },
);
/** A process that lasts reads these again for each turn. */
const READ_AGAIN: readonly SettingKey[] = ['webSearch', 'webSearchUrl'];
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
  output: listOf({
    ...ENTRY,
    properties: {
      ...ENTRY.properties,
      needsRestart: { const: true, description: 'the process that answers began with another value, and uses it' },
    },
  }),
  async run(_input, { runtime }) {
    const { config } = runtime;
    const [entries, current] = await Promise.all([
      createHomeSettings(runtime).list(),
      runtime.currentConfig().catch(() => config),
    ]);
    const isPending = (key: SettingKey): boolean =>
      !READ_AGAIN.includes(key) && JSON.stringify(config[key]) !== JSON.stringify(current[key]);
    return entries.map((entry) => ({ ...entry, ...(isPending(entry.key) && { needsRestart: true as const }) }));
  },
});

export const getSetting = defineOperation({
  name: 'config.get',
  class: 'read',
  summary: 'Read one setting.',
  input: KEY_INPUT,
  output: ENTRY,
  run: ({ key }, { runtime }) => createHomeSettings(runtime).get(key),
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
  async run({ key, value }, { runtime, warn }) {
    const { entry, problems } = await createHomeSettings(runtime).set(key, value);
    if (entry.source === 'environment') warn(`${entry.variable} is set and comes before config.json`);
    for (const problem of problems) warn(`config.json still cannot be used: ${problem}`);
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
    const { path, read } = runtime.configFile;
    const file = readConfigObject(await read(), path);
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
      const problem = await createHomeSettings(runtime).nameProblem(key as SettingKey, value);
      if (problem) throw new CodedError('SETTING_REFUSED', problem);
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
  runtime: Runtime,
  changes: Readonly<Record<string, FileSettings[SettingKey] | undefined>>,
): Promise<void> {
  await createHomeSettings(runtime).store(changes);
}

function refuseNewer(source: string | undefined, path: string): void {
  try {
    readConfigObject(source, path);
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code === 'STORAGE_NEWER_VERSION') throw error;
  }
}
