// config.json as a text: what it holds, what is wrong with it, and the text with a setting changed. `version` is 1 or
// absent; a file of a newer version is refused and never written.
import { nearest } from '../lib/nearest.ts';
import { newerVersionMessage } from '../lib/newer-version.ts';
import { ConfigError } from './config-error.ts';
import { type FileSettings, isSettingKey, SETTING_KEYS, SETTINGS, type SettingKey } from './settings.ts';

export const CONFIG_FILE = 'config.json';
const VERSION = 1;

/** Throws ConfigError with every problem. */
export function parseConfigFile(source: string | undefined, path: string): FileSettings {
  const file = readConfigObject(source, path);
  const problems = configProblems(file);
  if (problems.length > 0) throw new ConfigError(`${path}: ${problems.map(({ message }) => message).join('; ')}`);
  const { version: _, ...settings } = file;
  return settings;
}

/** What it holds, with settings that cannot be used; throws ConfigError when it is not an object of a known version. */
export function readConfigObject(source: string | undefined, path: string): Record<string, unknown> {
  if (source === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ConfigError(`${path} is not valid JSON: ${(error as Error).message}`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${path} must hold a JSON object`);
  const { version } = value as { version?: unknown };
  if (typeof version === 'number' && version > VERSION)
    throw new ConfigError(newerVersionMessage(path, version, VERSION), undefined, 'STORAGE_NEWER_VERSION');
  return value as Record<string, unknown>;
}

/** Up to the last @: a password may hold one. */
const PASSWORD_IN_ADDRESS = /\/\/[^"]*@/g;

export interface ConfigProblem {
  key: string;
  message: string;
}

export function configProblems(file: Readonly<Record<string, unknown>>): ConfigProblem[] {
  return Object.entries(file).flatMap(([key, value]) => {
    const message = key === 'version' ? versionProblem(value) : settingProblem(key, value);
    return message === undefined ? [] : [{ key, message }];
  });
}

function versionProblem(value: unknown): string | undefined {
  return value === VERSION ? undefined : `"version" is ${JSON.stringify(value)}; accepted: ${VERSION}`;
}

/** What is wrong with a setting: the key, the value and what is accepted. */
export function settingProblem(key: string, value: unknown): string | undefined {
  if (!isSettingKey(key)) return unknownSetting(key);
  return SETTINGS[key].kind.isAccepted(value) ? undefined : notAccepted(key, value);
}

/** The words for a value that is not accepted. One that may hold a password is not quoted: a mistyped address has no certain place for it. */
export function notAccepted(key: SettingKey, value: unknown, name = `"${key}"`): string {
  const { accepted, mayHoldPassword } = SETTINGS[key].kind;
  if (mayHoldPassword) return `${name} cannot be used (not shown: it may hold a password); accepted: ${accepted}`;
  const quoted = JSON.stringify(value)?.replaceAll(PASSWORD_IN_ADDRESS, '//***@').slice(0, 200);
  return `${name} is ${quoted}; accepted: ${accepted}`;
}

export function unknownSetting(key: string): string {
  const close = nearest(key, SETTING_KEYS);
  const hint = close ? ` (did you mean "${close}"?)` : `; accepted: ${SETTING_KEYS.join(', ')}`;
  return `"${key.slice(0, 60)}" is not a setting${hint}`;
}

/** The text with a setting changed; undefined takes it out. Settings keep their order. */
export function withSetting(
  source: string | undefined,
  path: string,
  key: string,
  value: FileSettings[SettingKey] | undefined,
): string {
  const { [key]: _, ...others } = readConfigObject(source, path);
  const before = readConfigObject(source, path);
  const changed = value === undefined ? others : { ...before, [key]: value };
  return `${JSON.stringify({ version: VERSION, ...changed }, undefined, 2)}\n`;
}
