import { DocsError } from '../../docs/docs-error.ts';
import { ToolFailure } from '../tool.ts';

/** A refusal of the documentation becomes a failure that the caller sees; anything else is a defect and is thrown on. */
export function orToolFailure(error: unknown): never {
  if (!(error instanceof DocsError)) throw error;
  throw new ToolFailure(error.message, {
    code: error.code === 'DOCS_INVALID_PATH' ? 'invalid_args' : 'execution_error',
    cause: error,
  });
}
