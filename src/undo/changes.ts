// What a change is, for whoever makes one: told to the recorder before it happens, so that it can always be undone.

export interface FileState {
  bytes: Uint8Array;
  /** Permission bits. */
  mode: number;
}

export interface Change {
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

export interface Changes {
  /**
   * Resolves only after the change is durable on record with both contents; the caller makes it afterwards. One that
   * is then not made does no harm: undoing it finds the file as it was.
   */
  record(change: Change): Promise<void>;
  /** What a command has changed already, all at once, and why that is not everything. */
  recordMade(made: { changes: readonly Change[]; notCovered?: string }): Promise<void>;
}
