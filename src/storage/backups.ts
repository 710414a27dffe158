// The contract of backups: one file with everything that belongs to a home.

import { CodedError } from '../vocabulary/coded-error.ts';
import type { HomeCheck } from './home-check.ts';
import type { RedactionMode } from './redaction.ts';
import type { SessionEntry, Storage, Transcripts } from './storage.ts';

export type BackupErrorCode =
  | 'BACKUP_DAMAGED'
  | 'BACKUP_EXISTS'
  | 'BACKUP_FAILED'
  | 'BACKUP_HOME_DAMAGED'
  | 'BACKUP_HOME_IN_USE'
  | 'BACKUP_HOME_NOT_EMPTY'
  | 'BACKUP_NEWER_VERSION'
  | 'BACKUP_NO_PASSPHRASE'
  | 'BACKUP_NOT_FOUND'
  | 'BACKUP_WRONG_PASSPHRASE';

export class BackupError extends CodedError<BackupErrorCode> {}

/** What the beginning of a backup says of it. */
export interface BackupOrigin {
  /** The version of Lainclaw that wrote it. */
  lainclaw: string;
  /** ISO 8601. */
  createdAt: string;
}

export interface BackupContents extends BackupOrigin {
  isEncrypted: boolean;
  files: number;
  /** Of the files in it. */
  bytes: number;
}

export interface CreateBackup extends BackupOrigin {
  /** Absolute. */
  output: string;
  /** Encrypts the backup. */
  passphrase?: string;
  /** Replaces a file of this name. */
  force?: boolean;
  signal: AbortSignal;
}

export interface CreatedBackup extends BackupContents {
  /** What belongs to the home and is not in the backup: paths, with a reason. */
  leftOut: { path: string; reason: string }[];
}

export interface CreateAutomaticBackup extends BackupOrigin {
  /** How many are kept, this one included. */
  keep: number;
  signal: AbortSignal;
}

export interface AutomaticBackup extends CreatedBackup {
  file: string;
  /** The names of older ones that were removed. */
  removed: string[];
}

export interface ReadBackup {
  /** Absolute. */
  file: string;
  passphrase?: string;
  signal: AbortSignal;
}

export interface RestoreBackup extends ReadBackup {
  /** The version of this Lainclaw: a backup of a newer one is refused. */
  lainclaw: string;
  /** Restores over a home that is not empty. */
  replace: boolean;
}

export interface RestoredBackup extends BackupContents {
  /** The folder that holds what was there before; undefined where the home was empty. */
  setAside: string | undefined;
}

/** A conversation in a backup; valid while `useSession` runs. */
export interface BackedUpSession {
  entry: SessionEntry;
  scan: Transcripts['scan'];
  /** Its summaries. */
  notes: string | undefined;
}

export interface Backups {
  /**
   * Resolves only after the file is whole, durable, read again and found right. Turns and a gateway may run meanwhile. When it
   * rejects, or its process is killed, there is no file under that name that was not there before.
   */
  create(request: CreateBackup): Promise<CreatedBackup>;
  /**
   * Makes one in the home's folder `backups`, and removes the oldest. Rejects with BACKUP_HOME_DAMAGED, and keeps all that there are, when a
   * file of the home is damaged.
   */
  createAutomatic(request: CreateAutomaticBackup): Promise<AutomaticBackup>;
  newestAutomatic(): { file: string; createdAt: string } | undefined;
  /** Removes those of the home's folder, because they hold what is forgotten; durable when it resolves. Returns their number. */
  removeAutomatic(mode: RedactionMode): Promise<number>;
  /** Reads every byte. Rejects with BackupError when one is not as it was written. */
  verify(request: ReadBackup): Promise<BackupContents>;
  /**
   * Puts the whole home back. When it rejects, the home is as it was. When its process is killed, the next one that opens the
   * home finds it as it was, or finishes the restoring.
   */
  restore(request: RestoreBackup): Promise<RestoredBackup>;
  /** Passes one file of the backup to `write`, after the whole backup was found right. */
  readFile(
    request: ReadBackup & { path: string; write(bytes: Buffer): void | Promise<void> },
  ): Promise<{ bytes: number }>;
  /** Hands a conversation to `use`, by its key or the id of its transcript, after the whole backup was found right. */
  useSession<T>(request: ReadBackup & { session: string }, use: (found: BackedUpSession) => Promise<T>): Promise<T>;
}

/** A storage that can be written into one file. */
export interface StorageWithBackups extends Storage {
  /** Loaded on first use. */
  backups(): Promise<Backups>;
  homeCheck(): Promise<HomeCheck>;
}
