// The contract of storage: what the domain services may rely on, whatever the implementation.
// A person's machine uses storage/local (files and SQLite).
import type { FileHandle } from 'node:fs/promises';
import { newerVersionMessage } from '../lib/newer-version.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { AgentRuns } from './agent-runs.ts';
import type { Audit, AuditTail } from './audit.ts';
import type { Blobs } from './blobs.ts';
import type { Cluster } from './cluster.ts';
import type { HistoryIndex } from './history-index.ts';
import type { Jobs } from './jobs.ts';
import type { Limits } from './limits.ts';
import type { Fence, Locks } from './locks.ts';
import type { Mailbox } from './mailbox.ts';
import type { RedactedPlace, Redaction, RedactionMode } from './redaction.ts';
import type { SharedArchive } from './shared-archive.ts';
import type { UndoRecords } from './undo-records.ts';

export type StorageErrorCode =
  | 'STORAGE_FULL'
  | 'STORAGE_READ_ONLY'
  | 'STORAGE_NO_PERMISSION'
  | 'STORAGE_NOT_A_DIRECTORY'
  | 'STORAGE_NO_HANDLES'
  | 'STORAGE_BUSY'
  | 'STORAGE_UNREACHABLE'
  | 'STORAGE_NEWER_VERSION'
  | 'STORAGE_LOCK_LOST'
  /** The machine that has it is another one. */
  | 'STORAGE_ELSEWHERE'
  | 'STORAGE_FAILED';

/** Every failure of storage: the message names what could not be stored and what to do about it. */
export class StorageError extends CodedError<StorageErrorCode> {}

/** The error for a file of a newer version, which is left unchanged. */
export function newerVersion(path: string, found: number, understood: number): StorageError {
  return new StorageError('STORAGE_NEWER_VERSION', newerVersionMessage(path, found, understood));
}

/** The error for a write under a lock that is no longer held. */
export function lockLost(name: string): StorageError {
  return new StorageError(
    'STORAGE_LOCK_LOST',
    `the lock "${name}" was lost: another process may be writing, so nothing more was written; ask again`,
  );
}

/** Version of the lines of a transcript; the first line names it. */
export const TRANSCRIPT_VERSION = 1;

/** One line of a transcript. Messages are for people and models, every other type is the turn's journal. */
export type TranscriptLine = { type: string } & Record<string, unknown>;

export interface Transcript {
  /** Adds lines in order, all or none as far as a reader can tell. Not durable before `sync`; with `thenSync` it resolves as `sync` does, in one step where the store can. */
  append(lines: readonly TranscriptLine[], options?: { thenSync?: boolean }): Promise<void>;
  /** Resolves only after every appended line, and the transcript's own existence, would survive a power cut. */
  sync(): Promise<void>;
  /**
   * Lines from the newest to the oldest, reading only as far back as the caller iterates.
   * Damaged lines are skipped here; `scan` reports them.
   */
  newestFirst(): AsyncIterable<TranscriptLine>;
  /**
   * Names the lines that there are now: the same name at another time means the same lines. Undefined when somebody else has
   * written since this transcript was opened.
   */
  revision(): string | undefined;
  /** Bytes of a half-written last line that were cut off when this transcript was opened. */
  readonly repairedBytes: number;
  /** True when the transcript was empty when it was opened. */
  readonly isEmpty: boolean;
  close(): Promise<void>;
}

export type ScannedLine = { number: number; line: TranscriptLine } | { number: number; damaged: string };

export interface Transcripts {
  /**
   * Opens for one writer (who holds the session's lock), creating it when absent and repairing a torn last line. With the
   * fence of that lock, a line is appended only while the lock is held.
   */
  open(sessionId: string, fence?: Fence): Promise<Transcript>;
  /**
   * Every line, oldest first, damaged ones included. Needs no lock; an unfinished last line is not an error. `isWanted` may
   * leave out lines by their JSON, which is quicker than reading them.
   */
  scan(sessionId: string, isWanted?: (json: string) => boolean): AsyncIterable<ScannedLine>;
  /** As `revision` of an open transcript, without opening it; undefined when there is no transcript. */
  revision(sessionId: string): Promise<string | undefined>;
  /** True when the lines of the earlier revision are still the first ones of the later one. */
  isContinued(earlier: string, later: string): boolean;
  /** The ids of all transcripts, also of those that the catalogue no longer names; unordered. */
  list(): Promise<string[]>;
  /** Durable when it resolves; does nothing when there is no transcript. */
  remove(sessionId: string, fence?: Fence): Promise<void>;
  /**
   * Replaces the text in every line that holds it, damaged ones included, and journals that with `note`; readers see the old file or the new
   * one. Durable when it resolves. Returns the number of lines. The caller holds the session's lock.
   */
  redact(sessionId: string, redaction: Redaction, note: TranscriptLine, fence?: Fence): Promise<number>;
}

export interface SessionEntry {
  sessionKey: string;
  sessionId: string;
  createdAt: string;
  updatedAt: string;
  provider?: string;
  profileId?: string;
  route?: string;
  memoryEnabled?: boolean;
  compactedMessageCount?: number;
  /** Title of the conversation: made of its first question, or given by a person. */
  title?: string;
  /** The root of the workspace in which the session began, absolute and real. */
  workspace?: string;
}

export interface ListSessions {
  /** No limit by default. */
  limit?: number;
  /** Only entries after this one of an earlier page. */
  after?: Pick<SessionEntry, 'updatedAt' | 'sessionKey'>;
  /** Only keys that begin with this. */
  prefix?: string;
  /** Only sessions of the workspace with this root. */
  workspace?: string;
}

/** The index of sessions: the current session of each key. No operation on one key costs more with more keys. */
export interface Catalogue {
  /** With the fence of the session's lock, the first call may answer with what was read when that was acquired. */
  get(sessionKey: string, fence?: Fence): Promise<SessionEntry | undefined>;
  /**
   * Resolves only after the entry is durable. Writers in other processes never lose each other's entries. With the fence of
   * the session's lock, nothing is written once that is lost.
   */
  put(entry: SessionEntry, fence?: Fence): Promise<void>;
  /** The same without waiting for the disk: a kill does not undo it, a power cut may. */
  putSoon(entry: SessionEntry, fence?: Fence): Promise<void>;
  /** The last updated first; equal times in the order of keys. */
  list(options?: ListSessions): Promise<SessionEntry[]>;
  count(): Promise<number>;
  /** Removes the key, never the transcript. False when there was no such key; durable when it resolves. */
  remove(sessionKey: string): Promise<boolean>;
}

/** Values kept for reuse within a scope (a session). Losing one is harmless; size is bounded. */
export interface ResultCache {
  get(scope: string, key: string): Promise<string | undefined>;
  put(scope: string, key: string, value: string): Promise<void>;
  /** Removes every value of the scope. */
  forget(scope: string): Promise<void>;
}

export interface Spent {
  tokens: number;
  costUsd: number;
}

/** The cost of models, by day (`2026-12-01`), over all processes. */
export interface Spending {
  add(day: string, spent: Spent): Promise<void>;
  on(day: string): Promise<Spent>;
  /**
   * Counts a model call that begins now with the most tokens that it may use, over every process. Undefined where processes do not see the calls of others. One
   * of a process that is lost counts for half a minute more.
   */
  begin?(tokens: number): Promise<RunningCall>;
}

export interface RunningCall {
  /** What the calls that were counted before it, and have not ended, may use together. */
  othersTokens: number;
  /** After what it used was added. Never rejects. */
  end(): Promise<void>;
}

/** Whole texts whose shortened form was shown to a model. */
export interface Outputs {
  /** Returns a path that a person can open. */
  keep(scope: string, name: string, text: string): Promise<string>;
  /** A path in a directory that exists, for the caller to create itself. */
  place(scope: string, name: string): Promise<string>;
  /** Makes files that the caller created readable on every machine that shares the storage; durable when it resolves. Paths without a file are passed over. */
  share(paths: readonly string[]): Promise<void>;
  /**
   * Opens a kept file by the path that a transcript names, whichever machine or home it was kept in; the caller closes it. Undefined for any other path, for a
   * file that is gone, and for one of another scope than the given one. Rejects with STORAGE_ELSEWHERE when only another machine has it.
   */
  open(path: string, scope?: string): Promise<FileHandle | undefined>;
  /** Removes everything of the scope, or one file of it; durable when it resolves. */
  remove(scope: string, name?: string): Promise<void>;
  /** Finds or removes every file that holds the text. */
  redact(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]>;
}

/** The summary of a session's older part: Markdown that a person can read and edit. */
export interface SessionNotes {
  read(sessionKey: string): Promise<string | undefined>;
  /** Resolves once durable. The caller holds the session's lock, and passes its fence where it can. */
  write(sessionKey: string, text: string, fence?: Fence): Promise<void>;
  /** Durable when it resolves; does nothing when there are no notes. */
  remove(sessionKey: string, fence?: Fence): Promise<void>;
  path(sessionKey: string): string;
}

/**
 * Small named texts that a person or a program writes: settings, permissions, pairing lists, sign-ins, core memory. Local
 * storage keeps each as a private file of the home; a database can keep each as a row.
 */
export interface OwnerFiles {
  /** Undefined when there is no such file. A JSON file of a newer version is refused, also by `update`, and stays unchanged. */
  read(name: string): Promise<string | undefined>;
  /**
   * Reads, changes and writes without another process in between; durable when it resolves. Undefined changes nothing, null
   * removes the file.
   */
  update(
    name: string,
    change: (current: string | undefined) => string | undefined | null,
    fence?: Fence,
  ): Promise<void>;
  /** Appends one line, creating the file when absent; durable when it resolves. */
  append(name: string, line: string, fence?: Fence): Promise<void>;
  /** Keeps the file, byte for byte, under a free name. */
  rename(name: string, to: string): Promise<void>;
  /** The names of all files, without folders; unordered. */
  list(): Promise<string[]>;
  /** Where a person finds the file, for messages. */
  location(name: string): string;
}

/** A folder whose instructions a person allowed to be read. */
export interface TrustedFolder {
  /** Absolute. */
  folder: string;
  /** ISO 8601. */
  grantedAt: string;
}

/** Folders that a person trusts. */
export interface Trust {
  /** In the order in which trust was granted. */
  list(): Promise<TrustedFolder[]>;
  /** Durable when it resolves. False: the folder was trusted already. */
  add(folder: string): Promise<boolean>;
  /** False: the folder was not trusted. A person who revoked trust is not asked again. */
  remove(folder: string): Promise<boolean>;
  /** Folders that a person was asked about and did not trust. */
  declined(): Promise<string[]>;
  decline(folder: string): Promise<void>;
}

/** State that can live in a database that several gateways share. Stores behind a function are loaded on first use. */
export interface Records {
  transcripts: Transcripts;
  catalogue: Catalogue;
  locks: Locks;
  resultCache: ResultCache;
  spending: Spending;
  notes: SessionNotes;
  ownerFiles: OwnerFiles;
  trust: Trust;
  archive(): Promise<SharedArchive>;
  /** The messages of transcripts, to be searched. */
  historyIndex(): Promise<HistoryIndex>;
  agentRuns(): Promise<AgentRuns>;
  /** Scheduled jobs. */
  jobs(): Promise<Jobs>;
  mailbox(): Promise<Mailbox>;
  undoRecords(): Promise<UndoRecords>;
  /** Files of conversations. */
  blobs(): Promise<Blobs>;
  /** How often something may be tried, over all processes that share the storage; locally, in this process. */
  limits(): Promise<Limits>;
  /** Who did what, and why it was allowed. */
  audit(): Promise<Audit>;
  /** Finds or removes a text in what is queued or cached: results of tools, messages, jobs, runs, proposals. */
  redactRows(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]>;
}

/** State that has a path on the machine that runs the turn, wherever the records are. */
export interface LocalFiles {
  outputs: Outputs;
  /** Files about this machine alone: which gateway runs on it, and how to reach it. */
  machineFiles: OwnerFiles;
  /** Locks between the processes of this machine that use this home. The same as `locks` where nothing is shared with other machines. */
  machineLocks: Locks;
  /** The lines of the audit log in this home, for a store that keeps them as well. */
  auditTail(): Promise<AuditTail>;
  /** Every file of the home, relative to it, whose bytes hold the text. */
  filesHolding(redaction: Redaction): Promise<string[]>;
}

export interface Storage extends Records, LocalFiles {
  /** Absent where only the gateway of this home uses the storage. */
  cluster?: Cluster;
  /**
   * Resolves when no file of the storage contains anything that was removed before. Takes longer the more is stored. Rejects
   * while another process keeps reading; then it can be repeated.
   */
  erase(): Promise<void>;
  /** Resolves when everything is closed. Locks that are still held are lost. */
  close(): Promise<void>;
}
