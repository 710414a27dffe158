// The contract of undo's records: the agent's changes to files, by session and turn, with the contents before and after. The
// oldest turns are dropped when the records become too large or too old.
import type { Fence } from './locks.ts';
import type { RedactedPlace, Redaction, RedactionMode } from './redaction.ts';

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
  /** Parent directories that were made for the file, outermost first. */
  madeDirectories: readonly string[];
}

/** The turn a change belongs to. */
export interface TurnScope {
  sessionId: string;
  turnId: string;
  /** Root of the workspace, absolute and real. */
  root: string;
}

/** A state as recorded: its content by name. */
export interface RecordedState {
  sha256: string;
  mode: number;
}

export interface RecordedChange {
  /** not-covered: a command changed more than was recorded; the path says why. */
  kind: 'file' | 'made-directory' | 'not-covered';
  tool: string;
  path: string;
  before: RecordedState | undefined;
  after: RecordedState | undefined;
}

export interface MoreOfTurn {
  /** The turn that this one undoes. */
  undoes?: string;
  /** Why a command changed more than was recorded. */
  notCovered?: string;
  fence?: Fence;
}

export interface RecordedTurn extends TurnScope {
  /** Rises with time. */
  number: number;
  recordedAt: number;
  /** The turn that this one undid, when it is an undo. */
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
  /** Rejects when the content is no longer recorded. */
  content(sha256: string): Promise<Buffer>;
  /** Copies the records of these turns, and of their undos, to another session. */
  copy(from: string, to: string, turnIds: ReadonlySet<string>): Promise<void>;
  /** Removes all records of a session, and the contents that no other session needs. */
  forgetSession(sessionId: string): Promise<void>;
  /** Removes the changes of these files from the record of a turn: they were not made. */
  forgetFiles(scope: TurnScope, paths: readonly string[], fence?: Fence): Promise<void>;
  /** Finds or removes contents and paths that hold the text. What needs them to be undone is said to be not covered. */
  redact(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]>;
  /** Removes the record of a turn. */
  forget(scope: TurnScope): Promise<void>;
}
