// The commands of a chat, and how one is read from what was written. `/help` is made of the others.
import { nearest } from '../../../lib/nearest.ts';
import type { ChatMessage } from '../chat.ts';
import { isContinue, queuedText } from '../continuing.ts';
import { parseButton } from '../question-text.ts';
import { approveCommand } from './approve.ts';
import type { ChatCommand } from './command.ts';
import { compactCommand } from './compact.ts';
import { contextCommand } from './context.ts';
import { denyCommand } from './deny.ts';
import { createHelpCommand } from './help.ts';
import { memoryCommand } from './memory.ts';
import { modeCommand } from './mode.ts';
import { modelCommand } from './model.ts';
import { modelsCommand } from './models.ts';
import { newCommand } from './new.ts';
import { showCommand } from './show.ts';
import { statusCommand } from './status.ts';
import { stopCommand } from './stop.ts';
import { undoCommand } from './undo.ts';

const helpCommand = createHelpCommand(() => COMMANDS);

/** In the order of `/help`. */
export const COMMANDS: readonly ChatCommand[] = [
  newCommand,
  stopCommand,
  statusCommand,
  modelCommand,
  modelsCommand,
  memoryCommand,
  modeCommand,
  contextCommand,
  compactCommand,
  undoCommand,
  approveCommand,
  denyCommand,
  showCommand,
  helpCommand,
];

export interface ReadCommand {
  command: ChatCommand;
  argument: string;
}

/** A command that was written, or a button that was pressed; undefined for everything else. */
export function readCommand({ message: { text, pressed, isForwarded } }: ChatMessage): ReadCommand | undefined {
  if (isForwarded) return undefined;
  if (pressed) {
    const [, wanted] = /^show:([\w-]+)$/.exec(pressed.value) ?? [];
    if (wanted !== undefined) return { command: showCommand, argument: wanted };
    const answer = parseButton(pressed.value);
    if (!answer) return { command: unknownButton, argument: '' };
    const { id, scope } = answer;
    return scope ? { command: approveCommand, argument: `${id} ${scope}` } : { command: denyCommand, argument: id };
  }
  const [, name, rest = ''] = /^\/([a-zA-Z_]{1,32})(?:@\S+)?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === undefined || isContinue(text) || queuedText(text) !== undefined) return undefined;
  // What Telegram sends when a person opens the chat for the first time.
  const wanted = name.toLowerCase() === 'start' ? 'help' : name.toLowerCase();
  const command = COMMANDS.find((each) => each.name === wanted);
  return { command: command ?? unknownCommand(name), argument: rest.trim() };
}

function unknownCommand(name: string): ChatCommand {
  const close = nearest(name, [...COMMANDS.map((command) => command.name), 'continue', 'queue']);
  const hint = close ? `did you mean \`/${close}\`?` : '`/help` lists what there is.';
  return { ...helpCommand, name, run: async () => `There is no command \`/${name}\`: ${hint}` };
}

const unknownButton: ChatCommand = {
  ...helpCommand,
  name: 'button',
  run: async () => 'That button is not known any more.',
};
