import { ConfigError } from '../../config/config-error.ts';
import type { SettingEntry } from '../../config/setting-entry.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { maySee } from '../../vocabulary/memory-scope.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';

/** The settings of config.json, for the tools that read and change them. */
export interface Settings {
  list(): Promise<SettingEntry[]>;
  get(key: string): Promise<SettingEntry>;
  /** Changes nothing. Throws CodedError for an unknown key and for a value that is not accepted. */
  check(key: string, written: string): Promise<unknown>;
  /** `written` as on a command line. `problems`: what is still wrong with the file, with the values that it holds. */
  set(key: string, written: string): Promise<{ entry: SettingEntry; problems: string[] }>;
}

/** Throws ToolFailure for everybody but the owner. */
export function requireOwner({ reader }: ToolContext): void {
  if (!maySee(reader, 'owner')) throw new ToolFailure('the settings are for the owner', { reason: 'denied' });
}

export function orToolFailure(error: unknown): never {
  // The message of a file that cannot be read may quote its values.
  if (error instanceof ConfigError)
    throw new ToolFailure('config.json cannot be used: "lainclaw config list" shows what is wrong', { cause: error });
  if (error instanceof CodedError) throw new ToolFailure(error.message, { code: 'invalid_args', cause: error });
  throw error;
}
