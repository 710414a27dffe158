// Storage on a person's machine: files that the person can read, and one SQLite file for indexed data.
import { join } from 'node:path';
import { lazily } from '../../lib/lazily.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { StorageWithBackups } from '../backups.ts';
import { createTrust } from '../trust-file.ts';
import { createLocalBlobs } from './blobs.ts';
import { createCatalogue } from './catalogue/local-catalogue.ts';
import { eraseRemoved } from './erase-removed.ts';
import { createLainclawDb, lainclawDbPath } from './lainclaw-db/schema.ts';
import { createLocks } from './locks.ts';
import { createSessionNotes } from './notes.ts';
import { createOutputs } from './outputs.ts';
import { createOwnerFiles } from './owner-files.ts';
import { createResultCache } from './result-cache.ts';
import { createSpending } from './spending.ts';
import { createTranscripts } from './transcripts.ts';
import { createWriteAheadLog } from './write-ahead-log.ts';

/** After this long, a person sees what they wait for. */
const SLOW_MS = 1_000;
const AUDIT_BYTES = 256 * 1024 * 1024;

export interface LocalStorageOptions {
  home: string;
  now(): number;
  onRebuild?: (keptAside: string) => void;
  /** Called when the home could not be backed up before a database gets new tables. */
  onNoBackup?: (reason: string) => void;
  /** Called when a backup before a migration takes longer than a moment. */
  onSlowBackup?: () => void;
  /** The version of this Lainclaw, for the backups that it makes. */
  lainclaw?: string;
  /** What the audit log must not hold, besides whatever looks like a secret. */
  secrets?: () => readonly string[];
  /** The oldest files of the audit log are removed when it is larger. */
  auditBytes?: number;
}

export function createLocalStorage({
  home,
  now,
  onRebuild,
  onNoBackup,
  onSlowBackup,
  lainclaw = '0.0.0',
  secrets = () => [],
  auditBytes: keptBytes = AUDIT_BYTES,
}: LocalStorageOptions): StorageWithBackups {
  const sessions = join(home, 'sessions');
  const locks = createLocks(join(home, 'locks'));
  const transcripts = createTranscripts(sessions, locks.verify);
  let backingUp: Promise<void> | undefined;
  /** One for all databases. The steps are one transaction: where no backup can be made, they are applied all the same. */
  const backUpBefore =
    (database: string) =>
    (version: number): Promise<void> => {
      if (backingUp) return backingUp;
      const slow = setTimeout(() => onSlowBackup?.(), SLOW_MS).unref();
      backingUp = import('./backup/before-migration.ts')
        .then(({ backUpBeforeMigration }) => backUpBeforeMigration({ home, locks, database, version, lainclaw, now }))
        .catch((error: unknown) => onNoBackup?.((error as Error).message))
        .finally(() => clearTimeout(slow));
      return backingUp;
    };
  const backUp = backUpBefore('lainclaw.db');
  const catalogue = createCatalogue({
    directory: sessions,
    locks,
    transcripts,
    now,
    onRebuild,
    beforeMigration: backUpBefore('sessions/sessions.db'),
  });
  const database = createLainclawDb(home, backUp);
  // Connections of their own to the same file: what these save is synced with each commit.
  const archiveDatabase = createLainclawDb(home, backUp);
  const runsDatabase = createLainclawDb(home, backUp);
  const jobsDatabase = createLainclawDb(home, backUp);
  const mailboxDatabase = createLainclawDb(home, backUp);
  const ownerFiles = createOwnerFiles(home, locks);
  const blobs = createLocalBlobs(home);
  const undoRecords = lazily(async () =>
    (await import('./undo/local-undo-records.ts')).createLocalUndoRecords({
      home,
      locks,
      now,
      beforeMigration: backUpBefore('undo/undo.db'),
    }),
  );
  const audit = lazily(async () =>
    (await import('./audit/local-audit.ts')).createLocalAudit({ home, locks, now, secrets, keptBytes }),
  );
  const history = lazily(async () => {
    const [{ createHistoryDb, historyDbPath }, { createLocalHistoryIndex }] = await Promise.all([
      import('./history/history-db.ts'),
      import('./history/local-history-index.ts'),
    ]);
    const [database, path] = [createHistoryDb(home), historyDbPath(home)];
    return { database, path, index: createLocalHistoryIndex({ database, path, locks }) };
  });
  let closeLog = async (): Promise<void> => {};
  return {
    locks,
    transcripts,
    catalogue: {
      ...catalogue,
      async put(entry, fence) {
        locks.verify(fence);
        await catalogue.put(entry);
      },
      async putSoon(entry, fence) {
        locks.verify(fence);
        await catalogue.putSoon(entry);
      },
    },
    resultCache: createResultCache(database),
    spending: createSpending(join(home, 'spending')),
    archive: async () =>
      (await import('./archive/local-archive.ts')).createLocalArchive({ database: archiveDatabase, locks }),
    historyIndex: async () => (await history()).index,
    agentRuns: async () => (await import('./agent-runs.ts')).createAgentRuns(runsDatabase),
    jobs: async () => {
      const [{ createLocalJobs }, { createChangeFile }] = await Promise.all([
        import('./jobs/local-jobs.ts'),
        import('./jobs/change-file.ts'),
      ]);
      const changes = createChangeFile(join(home, 'schedule', 'changed'), now);
      return createLocalJobs({ database: jobsDatabase, changes, locks });
    },
    async mailbox() {
      const { createLocalMailbox } = await import('./mailbox.ts');
      const log = createWriteAheadLog(lainclawDbPath(home));
      closeLog = () => log.close().catch(() => {});
      return createLocalMailbox({ database: mailboxDatabase, log, locks });
    },
    undoRecords,
    limits: lazily(async () => (await import('../memory-limits.ts')).createMemoryLimits(monotonicMs)),
    audit,
    async auditTail() {
      const [{ createAuditTail }, { auditPlaces }] = await Promise.all([
        import('./audit/audit-tail.ts'),
        import('./audit/audit-files.ts'),
      ]);
      return createAuditTail(auditPlaces(home).folder);
    },
    redactRows: async (redaction, mode) => (await import('./redact-rows.ts')).redactRows(database, redaction, mode),
    filesHolding: async (redaction) => (await import('./files-holding.ts')).filesHolding(home, redaction),
    notes: createSessionNotes(join(home, 'memory'), locks.verify),
    ownerFiles,
    trust: createTrust({ files: ownerFiles, now }),
    outputs: createOutputs(join(home, 'outputs'), blobs),
    blobs: async () => blobs,
    machineFiles: ownerFiles,
    machineLocks: locks,
    backups: async () => (await import('./backup/local-backups.ts')).createLocalBackups(home, locks),
    async homeCheck() {
      const [{ checkHome }, { repairHome }] = await Promise.all([
        import('./check/check-home.ts'),
        import('./check/repair-home.ts'),
      ]);
      return {
        check: ({ signal }) => checkHome(home, signal),
        repair: (findings, options) => repairHome(home, locks, findings, options),
      };
    },
    async erase() {
      await catalogue.erase();
      await eraseRemoved(database.use, lainclawDbPath(home));
      const { database: historyDatabase, path: historyPath } = await history();
      await eraseRemoved(historyDatabase.use, historyPath);
      await (await undoRecords()).erase();
    },
    async close() {
      // It needs its lock for what is still to be written.
      await (await audit.made())?.close();
      await Promise.all([
        locks.close(),
        ...[catalogue, database, archiveDatabase, runsDatabase, jobsDatabase, mailboxDatabase].map((each) =>
          each.close(),
        ),
      ]);
      await (await history.made())?.database.close();
      await (await undoRecords.made())?.close();
      await closeLog();
    },
  };
}
