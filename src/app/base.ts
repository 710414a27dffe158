// What everything else is built on: settings, storage, sessions, clock.
import { type Config, loadConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { newId } from '../lib/new-id.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Storage } from '../storage/storage.ts';

export interface Base {
  environment: Environment;
  config: Config;
  /** The address of an openai-compatible server: a flag's, or the configured one. */
  baseUrl: string | undefined;
  storage: Storage;
  sessions: Sessions;
  userHome: string;
  now(): number;
  newId(prefix: string): string;
  systemTimezone(): string;
  warn(text: string): void;
}

export interface BaseOptions {
  environment: Environment;
  baseUrl?: string;
  warn(text: string): void;
}

export async function createBase({ environment, baseUrl, warn }: BaseOptions): Promise<Base> {
  const config = await loadConfig(environment);
  const { now, userHome } = environment;
  const storage = createLocalStorage({
    home: environment.home,
    now,
    onRebuild: (aside) => warn(`the index of sessions was damaged: rebuilt, the old one is ${aside}`),
  });
  return {
    environment,
    config,
    baseUrl: baseUrl ?? config.baseUrl,
    storage,
    sessions: createSessions({ ...storage, now, newId }),
    userHome,
    now,
    newId,
    systemTimezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    warn,
  };
}
