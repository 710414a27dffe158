// The door for input that nobody has typed: from a network, a file, a test.
import { valueProblem } from '../tools/validate.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { Operation, OperationContext } from './operation.ts';

/** Rejects with `INVALID_INPUT`, which names the field, before the operation sees anything. */
export async function invokeOperation(
  operation: Operation,
  input: Record<string, unknown>,
  context: OperationContext,
): Promise<unknown> {
  const problem = await valueProblem({ ...operation.input }, input);
  if (problem) throw new CodedError('INVALID_INPUT', `${operation.name}: ${problem}`);
  return operation.run(input as never, context);
}
