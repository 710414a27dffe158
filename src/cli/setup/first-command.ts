import type { Terminal } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

/** What `lainclaw` alone does on a terminal: set-up as long as no model is connected, afterwards the chat. */
export function firstCommand(terminal: Terminal): Promise<'setup' | 'chat'> {
  return withRuntime(terminal, async (runtime) =>
    runtime.config.isProviderSet || (await runtime.defaultProvider()) !== 'stub' ? 'chat' : 'setup',
  );
}
