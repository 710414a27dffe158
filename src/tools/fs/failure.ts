import { WorkspaceError, type WorkspaceErrorCode } from '../../vocabulary/workspace-error.ts';
import { ToolFailure, type ToolFailureReason } from '../tool.ts';

const REASONS: Partial<Record<WorkspaceErrorCode, ToolFailureReason>> = {
  outside: 'denied',
  protected: 'denied',
  too_large: 'limit',
};

/** A workspace's refusal speaks to the caller; anything else is a defect and passes on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ToolFailure(error.message, {
    code: error.code === 'invalid_path' ? 'invalid_args' : 'execution_error',
    reason: REASONS[error.code],
    cause: error,
  });
}
