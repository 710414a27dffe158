// Records every change to a file before it happens, so that it can always be undone.
import type { FileChange } from '../storage/undo-records.ts';

export interface Changes {
  /**
   * Resolves only after the record of the change is durable with both contents; the caller changes the file afterwards. If
   * it does not, no harm is done: undo finds the file as it was.
   */
  record(change: FileChange): Promise<void>;
  /** Records all changes that a command has made. `notCovered`: why some of its changes are missing. */
  recordMade(made: { changes: readonly FileChange[]; notCovered?: string }): Promise<void>;
}
