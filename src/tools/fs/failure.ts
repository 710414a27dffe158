import { WorkspaceError, type WorkspaceErrorCode } from '../../vocabulary/workspace-error.ts';
import { ToolFailure, type ToolFailureReason } from '../tool.ts';

const REASONS: Partial<Record<WorkspaceErrorCode, ToolFailureReason>> = {
  outside: 'denied',
  protected: 'denied',
  too_large: 'limit',
};

/** A refusal of the workspace becomes a failure that the caller sees; anything else is a defect and is thrown on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ToolFailure(error.message, {
    code: error.code === 'invalid_path' ? 'invalid_args' : 'execution_error',
    reason: REASONS[error.code],
    cause: error,
  });
}
