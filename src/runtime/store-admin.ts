// The database that the setting `store` names: its tables, and what of Lainclaw's records is in it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/environment.ts';
import { newId } from '../lib/new-id.ts';
import type { CopyOptions } from '../storage/copy/copy-records.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { PostgresDatabase } from '../storage/postgres/database.ts';
import type { StoreStatus } from '../storage/postgres/store-status.ts';
import { bucketSettings } from './file-settings.ts';
import type { StoreCopied } from './store-copy.ts';

export interface StepRun {
  number: number;
  name: string;
}

export interface StoreAdmin {
  /** Makes the tables, or brings them to this version; resolves with the steps that were run. Running it again changes nothing. */
  migrate(
    onStep?: (step: StepRun) => void,
  ): Promise<{ address: string; steps: StepRun[]; version: number; role?: string; memoryInHome: number }>;
  /** Changes nothing. `home`: no database is named. `sessionsInHome`: conversations that were kept in the home before, which the database does not have. `memoryInHome`: so many texts of memory, where it has none of them. */
  status(): Promise<
    | { place: 'home'; home: string }
    | ({ place: 'database' } & StoreStatus & { sessionsInHome: number; memoryInHome: number; bucket?: string })
  >;
  /** Stores, reads and removes an object in the bucket for larger files; resolves with where it is. Undefined: none is configured. Rejects with the reason. */
  tryBucket(): Promise<string | undefined>;
  /** Copies the records of the home into the database, or back, and verifies that. The source is only read; killed, it continues when it is run again. */
  copy(to: 'postgres' | 'local', options: CopyOptions): Promise<StoreCopied>;
}

export function createStoreAdmin(config: Config, environment: Environment): StoreAdmin {
  const { store } = config;
  const { home, now, variables } = environment;
  function addressOf(): string {
    if (store !== undefined) return store;
    throw new ConfigError(
      'the records are in the home: name a database first, with "lainclaw config set store postgres://…" or LAINCLAW_STORE',
    );
  }

  return {
    async migrate(onStep) {
      const url = addressOf();
      // Tables belong to a role of their own, so that the one that gateways use can change rows alone.
      const owner = variables.LAINCLAW_STORE_OWNER || undefined;
      const role = owner === undefined ? undefined : roleOf(url);
      const [{ openDatabase }, { KNOWN_VERSION, migrate }] = await Promise.all([
        import('../storage/postgres/connect.ts'),
        import('../storage/postgres/migrations.ts'),
      ]);
      const database = openDatabase({ url: owner ?? url, requiresTables: false });
      try {
        const steps = await migrate(database, { role, onStep });
        const memoryInHome = await memoryOf(home, database);
        return {
          address: database.address,
          steps,
          version: KNOWN_VERSION,
          ...(role !== undefined && { role }),
          memoryInHome,
        };
      } finally {
        await database.close();
      }
    },
    async status() {
      if (store === undefined) return { place: 'home', home };
      const [{ openDatabase }, { missingTranscripts, readStoreStatus }] = await Promise.all([
        import('../storage/postgres/connect.ts'),
        import('../storage/postgres/store-status.ts'),
      ]);
      const database = openDatabase({ url: store, requiresTables: false, waitMs: 0 });
      try {
        const status = await readStoreStatus(database);
        const inHome = await sessionsOf(home, now);
        const missing = status.tables === 'ready' ? await missingTranscripts(database, inHome) : inHome.length;
        const bucket = bucketSettings(config, variables);
        return {
          place: 'database',
          ...status,
          sessionsInHome: missing,
          memoryInHome: status.tables === 'ready' ? await memoryOf(home, database) : 0,
          ...(bucket && { bucket: `${bucket.bucket} at ${bucket.endpoint}` }),
        };
      } finally {
        await database.close();
      }
    },
    async tryBucket() {
      const settings = bucketSettings(config, variables);
      if (!settings) return undefined;
      const { createBucket, tryBucket } = await import('../storage/s3/bucket.ts');
      const bucket = createBucket(settings, { now });
      await tryBucket(bucket, newId('trial'));
      return bucket.address;
    },
    async copy(to, options) {
      const url = addressOf();
      const { copyStore } = await import('./store-copy.ts');
      return copyStore(url, to, { environment, config }, options);
    },
  };
}

/** The role that gateways use. Known before a table is made: without a name nothing could be granted to it. */
function roleOf(url: string): string {
  const role = decodeURIComponent(new URL(url).username);
  if (role !== '') return role;
  throw new ConfigError(
    'the address in "store" names no role, so LAINCLAW_STORE_OWNER cannot give it rights: write the role into it, as in postgres://lainclaw@host/database',
  );
}

/** How many texts of memory the home has from before `store` kept memory; 0 where they were copied. Looking makes no file. */
async function memoryOf(home: string, database: PostgresDatabase): Promise<number> {
  const [{ createLocalRecordSets }, { hasMemoryOf }] = await Promise.all([
    import('../storage/local/record-sets.ts'),
    import('../storage/postgres/store-status.ts'),
  ]);
  const local = createLocalRecordSets(home);
  try {
    const ids = (await local.rows('SELECT id FROM archive_documents')).map(({ id }) => String(id));
    return ids.length === 0 || (await hasMemoryOf(database, ids)) ? 0 : ids.length;
  } finally {
    await local.close();
  }
}

/** The ids of the conversations that the index of the home names. Looking makes no file. */
async function sessionsOf(home: string, now: () => number): Promise<string[]> {
  if (!existsSync(join(home, 'sessions'))) return [];
  const local = createLocalStorage({ home, now });
  try {
    return (await local.catalogue.list()).map(({ sessionId }) => sessionId);
  } finally {
    await local.close();
  }
}
