// The record stores in PostgreSQL, beside the local storage of the machine: files with a path, caches and indexes that can be made again stay there.
import { lazily } from '../../lib/lazily.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { StorageWithBackups } from '../backups.ts';
import { machineName } from '../machine-name.ts';
import type { RedactedPlace } from '../redaction.ts';
import type { BucketSettings } from '../s3/bucket.ts';
import type { OwnerFiles, Records } from '../storage.ts';
import { createTrust } from '../trust-file.ts';
import { createPostgresCatalogue } from './catalogue.ts';
import { openDatabase } from './connect.ts';
import { createFencing } from './fencing.ts';
import { createSharedOutputs } from './files/shared-outputs.ts';
import { createPostgresLocks } from './leases.ts';
import { createPostgresNotes } from './notes.ts';
import { createPostgresOwnerFiles } from './owner-files.ts';
import { createSealing } from './sealed-text.ts';
import { createSessionReads } from './session-reads.ts';
import { createSignals } from './signals.ts';
import { createPostgresSpending } from './spending.ts';
import { createPostgresTranscripts } from './transcripts.ts';
import { createPostgresCluster } from './unclaimed-chats.ts';

export interface PostgresStorageOptions {
  url: string;
  /** Of this machine. Closed with this storage. */
  local: StorageWithBackups;
  /** Encrypts sign-ins; without it, the one in `store.key` of the home, which is made when there is none. */
  key?: string;
  files?: FileSettings;
  now(): number;
  newId(prefix: string): string;
}

/** Where files of conversations are kept. */
export interface FileSettings {
  /** Of a file in the database. */
  databaseBytes?: number;
  /** For larger ones. */
  bucket?: BucketSettings;
  /** Called when a file could not be stored where others read it. */
  warn?(text: string): void;
}

const KEY_FILE = 'store.key';
const DATABASE_BYTES = 8 * 1024 * 1024;

export function createPostgresStorage(options: PostgresStorageOptions): StorageWithBackups {
  const { url, local, key, files = {}, now, newId } = options;
  const database = openDatabase({ url });
  // A connection of its own for what must not wait behind turns. It is opened with the first renewal or listener.
  const signals = createSignals({ connect: database.connectApart });
  const sessionReads = createSessionReads();
  const { query, queries } = database;
  const reads = { queries, sessions: sessionReads };
  const onReleased = (listener: () => void): (() => void) => signals.on('locks', listener);
  const locks = createPostgresLocks({
    query,
    reads,
    renewalQuery: signals.query,
    presence: signals,
    newId,
    now,
    onReleased,
  });
  const fencing = createFencing(database, locks.lose);
  const sealing = createSealing({ database, ...keyOf(local.machineFiles, key) });
  const ownerFiles = createPostgresOwnerFiles({ database, fencing, sealing, machine: local.machineFiles });
  const machine = lazily(() => machineName(local.machineFiles, newId));
  const audit = lazily(async () => {
    const { createPostgresAudit } = await import('./audit/postgres-audit.ts');
    const [own, tail] = [await local.audit(), await local.auditTail()];
    return createPostgresAudit({ database, own, tail, machine });
  });
  const blobs = lazily(async () => {
    const [{ createPostgresBlobs }, bucket] = await Promise.all([
      import('./files/postgres-blobs.ts'),
      files.bucket &&
        import('../s3/bucket.ts').then(({ createBucket }) => createBucket(files.bucket as BucketSettings, { now })),
    ]);
    const { databaseBytes = DATABASE_BYTES, warn = () => {} } = files;
    return createPostgresBlobs({ database, local: await local.blobs(), machine, databaseBytes, bucket, warn });
  });
  const spending = createPostgresSpending(database, newId('process'));
  const sharedLimits = lazily(async () => (await import('./limits.ts')).createPostgresLimits(query));
  /** Named one by one: a store that is forgotten here would silently stay on its machine. */
  const records: Omit<Records, 'resultCache'> = {
    locks,
    audit,
    transcripts: createPostgresTranscripts(database, fencing, sessionReads),
    catalogue: createPostgresCatalogue(database, fencing, sessionReads),
    spending,
    notes: createPostgresNotes(database, fencing),
    archive: async () => (await import('./archive/postgres-archive.ts')).createPostgresArchive({ database, locks }),
    historyIndex: async () => (await import('./history-index.ts')).createPostgresHistoryIndex(database, locks),
    jobs: async () => (await import('./jobs/postgres-jobs.ts')).createPostgresJobs({ database, fencing, signals }),
    agentRuns: async () => (await import('./agent-runs.ts')).createPostgresAgentRuns(database),
    mailbox: async () => (await import('./mailbox.ts')).createPostgresMailbox(database),
    undoRecords: async () =>
      (await import('./undo/postgres-undo-records.ts')).createPostgresUndoRecords({ database, fencing, now }),
    async redactRows(redaction, mode) {
      const { redactRows } = await import('./redact-rows.ts');
      return mergePlaces([
        ...(await redactRows(database, redaction, mode)),
        ...(await local.redactRows(redaction, mode)),
      ]);
    },
    limits: lazily(async () => {
      const [{ createBothLimits }, own, shared] = await Promise.all([
        import('../both-limits.ts'),
        local.limits(),
        sharedLimits(),
      ]);
      return createBothLimits({ own, shared, now: monotonicMs });
    }),
    blobs,
    ownerFiles,
    trust: createTrust({ files: ownerFiles, now }),
  };
  return {
    ...local,
    ...records,
    outputs: createSharedOutputs({ local: local.outputs, blobs }),
    cluster: createPostgresCluster(database, signals, sealing),
    async close() {
      spending.close();
      (await sharedLimits.made())?.close();
      await (await audit.made())?.close();
      await locks.close();
      await signals.close();
      await database.close();
      await local.close();
    },
  };
}

/** One line for each kind of place, wherever it was. */
function mergePlaces(places: readonly RedactedPlace[]): RedactedPlace[] {
  const byPlace = Map.groupBy(places, ({ place }) => place);
  return [...byPlace].map(([place, found]) => ({
    place,
    name: '',
    count: found.reduce((sum, { count }) => sum + count, 0),
  }));
}

function keyOf(files: OwnerFiles, given: string | undefined) {
  return {
    keyPlace: files.location(KEY_FILE),
    readKey: async () => given ?? files.read(KEY_FILE),
    async keepKey(made: string): Promise<string> {
      let kept = made;
      await files.update(KEY_FILE, (current) => {
        kept = current ?? made;
        return current === undefined ? `${made}\n` : undefined;
      });
      return kept;
    },
  };
}
