import { ToolFailure } from '../tool.ts';

/** A refusal of the documentation speaks to the caller; anything else is a defect and passes on. */
export function orToolFailure(error: unknown): never {
  // Known by name: the class would bring its whole service into every start.
  if (!(error instanceof Error) || error.name !== 'DocsError') throw error;
  const { code } = error as Error & { code?: string };
  throw new ToolFailure(error.message, {
    code: code === 'DOCS_INVALID_PATH' ? 'invalid_args' : 'execution_error',
    cause: error,
  });
}
