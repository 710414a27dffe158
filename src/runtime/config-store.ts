// config.json as it is stored now: the configuration of this process was read when it began.
import { join } from 'node:path';
import { CONFIG_FILE } from '../config/config-file.ts';
import type { Environment } from '../config/environment.ts';
import type { OwnerFiles } from '../storage/storage.ts';

export interface ConfigStore {
  path: string;
  /** Of this process, which come before the file. */
  variables: Environment['variables'];
  /** Undefined when there is no file. */
  read(): Promise<string | undefined>;
  /** One change at a time, also of other processes; durable when it resolves. */
  update(change: (source: string | undefined) => string): Promise<void>;
}

export function createConfigStore({ home, variables }: Environment, files: OwnerFiles): ConfigStore {
  return {
    path: join(home, CONFIG_FILE),
    variables,
    read: () => files.read(CONFIG_FILE),
    update: (change) => files.update(CONFIG_FILE, change),
  };
}
