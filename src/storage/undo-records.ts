// The contract of undo's records: what the agent changed in files, by session and turn, with the contents before and after. The
// oldest turns are dropped when the whole becomes too large or too old.
import type { Fence } from './locks.ts';

export interface FileState {
  bytes: Uint8Array;
  /** Permission bits. */
  mode: number;
}

export interface FileChange {
  tool: string;
  /** Relative to the workspace root, links resolved. */
  path: string;
  /** Undefined: the file does not exist (yet, or any more). */
  before: FileState | undefined;
  after: FileState | undefined;
  /** Directories made on the way to it, outermost first. */
  madeDirectories: readonly string[];
}

/** The turn a change belongs to. */
export interface TurnScope {
  sessionId: string;
  turnId: string;
  /** Of the workspace, absolute and real. */
  root: string;
}

/** A state as recorded: its content by name. */
export interface RecordedState {
  sha256: string;
  mode: number;
}

export interface RecordedChange {
  /** not-covered: a command changed more than is on record; the path says why. */
  kind: 'file' | 'made-directory' | 'not-covered';
  tool: string;
  path: string;
  before: RecordedState | undefined;
  after: RecordedState | undefined;
}

export interface MoreOfTurn {
  /** The turn that this one takes back. */
  undoes?: string;
  /** That a command changed more than is on record, and why. */
  notCovered?: string;
  fence?: Fence;
}

export interface RecordedTurn extends TurnScope {
  /** Rises with time. */
  number: number;
  recordedAt: number;
  /** The turn that this one took back, when it is an undo. */
  undoes: string | undefined;
}

export interface UndoRecords {
  /** Resolves once all changes are durable, in this order, under the turn. With a fence, only while its lock is held. */
  add(scope: TurnScope, changes: readonly FileChange[], more?: MoreOfTurn): Promise<void>;
  /** Every turn of a session that changed something, oldest first. */
  turns(sessionId: string): Promise<RecordedTurn[]>;
  changes(turn: RecordedTurn): Promise<RecordedChange[]>;
  /** The newest turn that left the path with this content. */
  whoLeft(root: string, path: string, sha256: string): Promise<string | undefined>;
  /** Rejects when it is no longer on record. */
  content(sha256: string): Promise<Buffer>;
  /** The same turns, and what undid them, on the record of another session too. */
  copy(from: string, to: string, turnIds: ReadonlySet<string>): Promise<void>;
  /** Takes everything of a session off the record, and the contents that nobody else needs. */
  forgetSession(sessionId: string): Promise<void>;
  /** Takes a turn off the record. */
  forget(scope: TurnScope): Promise<void>;
}
