// The door for calls of operations that were not made by our own commands: from a chat, a network, a program. Who asks must be
// allowed to, and the input must fit.
import { valueProblem } from '../tools/validate.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { checkMayCall } from './may-call.ts';
import type { Operation, OperationContext } from './operation.ts';

/** Rejects with `NOT_ALLOWED`, or with `INVALID_INPUT`, which names the field, before the operation sees anything. */
export async function invokeOperation<Output>(
  operation: Operation<never, Output>,
  input: Record<string, unknown>,
  context: OperationContext,
): Promise<Output> {
  checkMayCall(operation, context.by ?? { place: 'terminal' });
  const problem = await valueProblem({ ...operation.input }, input);
  if (problem) throw new CodedError('INVALID_INPUT', `${operation.name}: ${problem}`);
  return operation.run(input as never, context);
}
