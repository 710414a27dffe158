// What a change is told to before it happens, so that it can always be undone.
import type { FileChange } from '../storage/undo-records.ts';

export interface Changes {
  /**
   * Resolves only after the change is durable on record with both contents; the caller makes it afterwards. One that
   * is then not made does no harm: undoing it finds the file as it was.
   */
  record(change: FileChange): Promise<void>;
  /** What a command has changed already, all at once, and why that is not everything. */
  recordMade(made: { changes: readonly FileChange[]; notCovered?: string }): Promise<void>;
}
