import { CodedError } from '../../vocabulary/coded-error.ts';
import { ToolFailure } from '../tool.ts';

/** What a schedule refuses is for the caller; anything else is a defect and passes through. */
export function orToolFailure(error: unknown): never {
  if (error instanceof CodedError) throw new ToolFailure(error.message, { cause: error });
  throw error;
}
