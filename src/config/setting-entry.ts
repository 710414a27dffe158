// One setting as a person looks at it: what holds, where that comes from, and what else could be there.
import { settingProblem } from './config-file.ts';
import type { Environment } from './environment.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings.ts';

export interface SettingEntry {
  key: SettingKey;
  /** What holds; absent when it is the default and that is not a plain value. */
  value?: unknown;
  source: 'environment' | 'file' | 'default';
  /** Why what is set cannot be used. */
  problem?: string;
  default?: string | number | boolean;
  accepted: string;
  about: string;
  variable?: string;
  flag?: string;
}

export function settingEntries(
  file: Readonly<Record<string, unknown>>,
  variables: Environment['variables'],
): SettingEntry[] {
  return SETTING_KEYS.map((key) => settingEntry(key, file, variables));
}

export function settingEntry(
  key: SettingKey,
  file: Readonly<Record<string, unknown>>,
  variables: Environment['variables'],
): SettingEntry {
  const { kind, about, default: usual, variable, flag } = SETTINGS[key];
  const written = variable === undefined ? undefined : variables[variable];
  const [value, source]: [unknown, SettingEntry['source']] = written
    ? [kind.parse(written), 'environment']
    : Object.hasOwn(file, key)
      ? [file[key], 'file']
      : [isPlain(key) ? usual : undefined, 'default'];
  const problem = source === 'default' ? undefined : settingProblem(key, value);
  return {
    key,
    ...(value !== undefined && { value: shownValue(key, value) }),
    source,
    ...(problem !== undefined && { problem: `${source === 'environment' ? `${variable}: ` : ''}${problem}` }),
    ...(usual !== undefined && { default: usual }),
    accepted: kind.accepted,
    about,
    ...(variable !== undefined && { variable }),
    ...(flag !== undefined && { flag }),
  };
}

/** Whether its default is a value that could be set, not a description. */
function isPlain(key: SettingKey): boolean {
  const { kind, default: usual } = SETTINGS[key];
  return usual !== undefined && (typeof usual !== 'string' || (kind.options?.includes(usual) ?? key === 'provider'));
}

/** Nothing here is meant to hold a secret; an address may, before its @ or among its parameters. */
function shownValue(key: SettingKey, value: unknown): unknown {
  const { isAccepted, mayHoldPassword = false } = SETTINGS[key].kind;
  if (mayHoldPassword && !isAccepted(value)) return '***';
  if (typeof value !== 'string' || !URL.canParse(value)) return value;
  const { protocol, username, password, host, pathname } = new URL(value);
  // A password with an @ in it was not written as an address needs it.
  if (mayHoldPassword && pathname.includes('@')) return '***';
  const hasName = username !== '' || password !== '';
  if (!hasName && !mayHoldPassword) return value;
  return `${protocol}//${hasName ? '***@' : ''}${host}${pathname}`;
}
