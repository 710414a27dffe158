// The door for calls of operations that were not made by our own commands: from a chat, a network, a program. Who asks must be
// allowed to, and the input must fit.
import { valueProblem } from '../tools/validate.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { checkMayCall, ownInput } from './may-call.ts';
import type { Operation, OperationContext } from './operation.ts';

/** Rejects with `NOT_ALLOWED`, or with `INVALID_INPUT`, which names the field, before the operation sees anything. */
export async function invokeOperation<Output>(
  operation: Operation<never, Output>,
  input: Record<string, unknown>,
  context: OperationContext,
): Promise<Output> {
  const { by = { place: 'terminal' } } = context;
  try {
    checkMayCall(operation, by);
  } catch (error) {
    await (await import('./record-operation.ts')).recordRefusal(operation, input, context, error);
    throw error;
  }
  const problem = await valueProblem({ ...operation.input }, input);
  if (problem) throw new CodedError('INVALID_INPUT', `${operation.name}: ${problem}`);
  const given = ownInput(operation, input, by);
  if (by.place !== 'console' || by.isOwner) return operation.run(given as never, context);
  return operation.run(given as never, context).catch((error: unknown) => {
    // Its message names other sessions.
    if (error instanceof CodedError && error.code === 'SESSION_NOT_FOUND')
      throw new CodedError('SESSION_NOT_FOUND', 'there is no such conversation of yours');
    throw error;
  });
}
