import { MemoryError } from '../../memory/memory-error.ts';
import { ToolFailure } from '../tool.ts';

/** What memory refuses is for the caller; anything else is a defect and passes through. */
export function orToolFailure(error: unknown): never {
  if (error instanceof MemoryError) throw new ToolFailure(error.message, { cause: error });
  throw error;
}
