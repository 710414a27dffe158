// Copies the records of a home into the database that `store` names, or back. Nobody may write meanwhile: the lock of the gateway is held,
// a home or database that others use is refused, and a conversation that changed in the source until the end is noticed.
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { newId } from '../lib/new-id.ts';
import { createTermsOf } from '../memory/terms-of.ts';
import { copiedRecords } from '../storage/copy/copied-kind.ts';
import { type CopiedKindReport, type CopyOptions, copyRecords, StoreCopyError } from '../storage/copy/copy-records.ts';
import { copiedFiles } from '../storage/copy/file-records.ts';
import { memoryRecords } from '../storage/copy/memory-records.ts';
import type { RecordSet } from '../storage/copy/record-set.ts';
import { catalogueRecords, notesRecords, ownerFileRecords } from '../storage/copy/storage-records.ts';
import { copiedTranscripts } from '../storage/copy/transcripts.ts';
import { refuseHomeInUse } from '../storage/local/backup/home-in-use.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { createLocalRecordSets } from '../storage/local/record-sets.ts';
import type { Lock } from '../storage/locks.ts';
import { openDatabase } from '../storage/postgres/connect.ts';
import type { PostgresDatabase } from '../storage/postgres/database.ts';
import { createPostgresStorage } from '../storage/postgres/postgres-storage.ts';
import { createPostgresRecordSets, rowsOf } from '../storage/postgres/record-sets.ts';
import type { Records } from '../storage/storage.ts';
import { fileSettings } from './file-settings.ts';

export interface StoreCopied {
  /** Host, port and name of the database. */
  address: string;
  kinds: CopiedKindReport[];
  /** Lines of conversations that nobody can read. */
  damagedLines: number;
  /** Files that only other machines have. */
  filesElsewhere: number;
}

interface Side {
  records: Records;
  sets: readonly RecordSet[];
}

/** The lock that a gateway of this home holds. */
const GATEWAY_LOCK = 'gateway-service';

export async function copyStore(
  url: string,
  to: 'postgres' | 'local',
  { environment, config }: { environment: Environment; config: Config },
  options: CopyOptions,
): Promise<StoreCopied> {
  const { home, now, variables } = environment;
  const local = createLocalStorage({ home, now, lainclaw: environment.version });
  const key = variables.LAINCLAW_STORE_KEY || undefined;
  // What the bucket does not take is reported by the verification, where it matters.
  const warn = (): void => {};
  const shared = createPostgresStorage({ url, local, key, files: fileSettings(config, variables, warn), now, newId });
  const database = openDatabase({ url });
  const rows = createLocalRecordSets(home);
  let lock: Lock | undefined;
  try {
    await refuseDatabaseInUse(database);
    lock = await local.machineLocks.tryAcquire(GATEWAY_LOCK);
    if (!lock)
      throw inUse(
        'a gateway or another copy runs on this home: stop the gateway (lainclaw gateway stop), or wait until the copy has ended',
      );
    await refuseHomeInUse(home, GATEWAY_LOCK).catch((error: Error) => {
      throw inUse(error.message, error);
    });
    const termsOf = createTermsOf();
    const homeMemory = memoryRecords({ rows: rows.rows, schema: '', archive: local.archive }, termsOf);
    const sharedMemory = memoryRecords(
      { rows: rowsOf(database), schema: 'lainclaw.', archive: shared.archive },
      termsOf,
    );
    // Facts name documents of memory.
    const inHome: Side = { records: local, sets: [...homeMemory, ...rows.sets] };
    const inDatabase: Side = { records: shared, sets: [...sharedMemory, ...createPostgresRecordSets(database)] };
    const [source, target] = to === 'postgres' ? [inHome, inDatabase] : [inDatabase, inHome];
    const before = await lastChange(source);
    const transcripts = copiedTranscripts(source.records.transcripts, target.records.transcripts);
    const files = await copiedFiles(source.records, target.records);
    const kinds = await copyRecords([transcripts, ...pairs(source, target), files], options);
    await refuseDatabaseInUse(database);
    if ((await lastChange(source)) !== before)
      throw new StoreCopyError('STORE_COPY_NOT_VERIFIED', 'a conversation changed during the copy: run it again');
    return {
      address: database.address,
      kinds,
      damagedLines: transcripts.damagedLines(),
      filesElsewhere: files.elsewhere(),
    };
  } finally {
    await lock?.release();
    await rows.close();
    await database.close();
    await shared.close();
  }
}

function pairs(source: Side, target: Side) {
  const [from, into] = [source, target].map(({ records, sets }) => [
    // Notes are found by the index of the source, on both sides.
    notesRecords(records.notes, source.records.catalogue),
    catalogueRecords(records.catalogue),
    ownerFileRecords(records.ownerFiles),
    ...sets,
  ]);
  return (from ?? []).flatMap((set) => {
    const same = into?.find(({ kind }) => kind === set.kind);
    return same ? [copiedRecords(set, same)] : [];
  });
}

async function refuseDatabaseInUse({ query, address }: PostgresDatabase): Promise<void> {
  const [lease] = await query<{ name: string }>('SELECT name FROM lainclaw.leases WHERE expires_at > now() LIMIT 1');
  if (lease)
    throw inUse(
      `a gateway or a command uses ${address} (it holds "${lease.name}"): stop the gateways that use it, then copy`,
    );
}

/** Every turn changes the index of conversations. */
async function lastChange({ records: { catalogue } }: Side): Promise<string> {
  return JSON.stringify([await catalogue.count(), await catalogue.list({ limit: 1 })]);
}

function inUse(message: string, cause?: unknown): StoreCopyError {
  return new StoreCopyError('STORE_COPY_IN_USE', message, cause);
}
