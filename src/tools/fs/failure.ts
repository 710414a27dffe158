import { WorkspaceError } from '../../workspace/workspace.ts';
import { ToolFailure } from '../tool.ts';

/** A workspace's refusal speaks to the caller; anything else is a defect and passes on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new ToolFailure(error.message, {
    code: error.code === 'invalid_path' ? 'invalid_args' : 'execution_error',
    reason: error.code === 'outside' ? 'denied' : undefined,
    cause: error,
  });
}
