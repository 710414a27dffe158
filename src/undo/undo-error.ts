import { CodedError } from '../vocabulary/coded-error.ts';
import type { Conflict } from './restore.ts';

export type UndoErrorCode = 'UNDO_NOTHING' | 'UNDO_UNKNOWN_TURN' | 'UNDO_ALREADY' | 'UNDO_CONFLICT' | 'UNDO_FAILED';

/** Nothing was changed; the message says why and what to do. */
export class UndoError extends CodedError<UndoErrorCode> {
  readonly conflicts: readonly Conflict[];

  constructor(
    code: UndoErrorCode,
    message: string,
    options: { conflicts?: readonly Conflict[]; cause?: unknown } = {},
  ) {
    super(code, message, options.cause);
    this.conflicts = options.conflicts ?? [];
  }
}
