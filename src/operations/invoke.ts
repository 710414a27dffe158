// The door for calls of operations that were not made by our own commands: from a chat, a network, a program. Who asks must be
// allowed to, and the input must fit.
import { CodedError } from '../vocabulary/coded-error.ts';
import { checkMayCall, ownInput } from './may-call.ts';
import type { Operation, OperationContext } from './operation.ts';

/**
 * Rejects with `NOT_ALLOWED`, or with `INVALID_INPUT`, which names the field, before the operation sees anything. `prepare` completes the
 * context once it is clear that the operation runs.
 */
export async function invokeOperation<Output>(
  operation: Operation<never, Output>,
  input: Record<string, unknown>,
  given: OperationContext,
  { prepare = async () => given }: { prepare?(context: OperationContext): Promise<OperationContext> } = {},
): Promise<Output> {
  const { by = { place: 'terminal' } } = given;
  try {
    checkMayCall(operation, by);
  } catch (error) {
    await (await import('./record-operation.ts')).recordRefusal(operation, input, given, error);
    throw error;
  }
  const problem = await operation.inputProblem(input);
  if (problem) throw new CodedError('INVALID_INPUT', `${operation.name}: ${problem}`);
  const own = ownInput(operation, input, by);
  const context = await prepare(given);
  if (by.place !== 'console' || by.isOwner) return operation.run(own as never, context);
  return operation.run(own as never, context).catch((error: unknown) => {
    // Its message names other sessions.
    if (error instanceof CodedError && error.code === 'SESSION_NOT_FOUND')
      throw new CodedError('SESSION_NOT_FOUND', 'there is no such conversation of yours');
    throw error;
  });
}
