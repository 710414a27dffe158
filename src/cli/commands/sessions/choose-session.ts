// How a command names a session.
import type { Command } from 'commander';
import { single, text } from '../../flags.ts';
import { UsageError } from '../../terminal.ts';

export function addSessionChoice(command: Command): Command {
  return command
    .argument('<key>', 'the session')
    .addOption(single('--session-id <id>', 'an earlier session under this key (default: the current one)', text));
}

export function checkKey(key: string): void {
  if (key.trim() === '') throw new UsageError('the key of the session is empty: "lainclaw sessions list" shows them');
}
