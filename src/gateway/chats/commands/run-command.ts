import type { ReadCommand } from './all.ts';
import type { CommandContext } from './command.ts';

/** Never rejects because of the command itself: what went wrong is the answer. */
export async function runCommand(
  { command, argument }: ReadCommand,
  context: Omit<CommandContext, 'argument'>,
): Promise<string | undefined> {
  if (command.isForOwner && !context.request.isOwner) return `\`/${command.name}\` is for the owner.`;
  try {
    return await command.run({ ...context, argument });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return `⚠️ \`/${command.name}\` failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
