import { CodedError } from '../../../vocabulary/coded-error.ts';
import { NotAllowed } from '../../../vocabulary/not-allowed.ts';
import type { ReadCommand } from './all.ts';
import type { CommandContext } from './command.ts';

/** Never rejects because of the command itself: what went wrong is the answer. */
export async function runCommand(
  { command, argument }: ReadCommand,
  context: Omit<CommandContext, 'argument'> & { signal: AbortSignal },
): Promise<string | undefined> {
  try {
    return await command.run({ ...context, argument });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const name = `\`/${command.name}\``;
    if (error instanceof NotAllowed) return `${name} is ${error.reason}.`;
    if (error instanceof CodedError) return `⚠️ ${error.message}`;
    return `⚠️ ${name} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
