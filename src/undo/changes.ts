// Records every change to a file before it happens, so that it can always be undone.
import type { FileChange } from '../storage/undo-records.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import type { ChangeSet } from './change-sets.ts';
import type { Applied } from './restore.ts';

export interface MadeChanges {
  changes: readonly FileChange[];
  notCovered?: string;
  /** Where content from outside came from that the command has fetched into the files. */
  fetchedFrom?: readonly TaintSource[];
}

export interface Changes {
  /**
   * Resolves only after the record of the change is durable with both contents; the caller changes the file afterwards. If
   * it does not, no harm is done: undo finds the file as it was.
   */
  record(change: FileChange): Promise<void>;
  /** Records several changes and makes them, all or none; a kill between two files is finished by the next command. */
  applyTogether(changeSet: ChangeSet): Promise<Applied>;
  /** Records all changes that a command has made. `notCovered`: why some of its changes are missing. */
  recordMade(made: MadeChanges): Promise<void>;
}
