// What goes with a message besides its words: files that it names, pictures in it, and what commands of the person have printed since the last one.
import { isContinue } from '../../gateway/chats/continuing.ts';
import { parseManualTrigger } from '../../pipeline/manual-trigger.ts';
import type { Terminal } from '../terminal.ts';
import { readClipboardPicture } from './clipboard.ts';
import { type ReadMentions, readMentions } from './mentions.ts';
import { createPictures, type Pictures } from './pictures.ts';
import { createShellCommands, type ShellCommands, type ShellCommandsDependencies } from './shell-commands.ts';

export interface MessagePartsDependencies extends Pick<ShellCommandsDependencies, 'add' | 'put' | 'now'> {
  root: string;
  terminal: Terminal;
  /** Writes into the input, where the cursor is. */
  insert(text: string): void;
  notice(text: string): void;
}

export interface MessageParts {
  pictures: Pictures;
  runShell: ShellCommands['run'];
  /** Rejects with why something that the text names cannot be attached. */
  attachments(text: string): Promise<ReadMentions>;
  /** The files and pictures alone: what commands of the person printed stays for the next question. */
  files(text: string): Promise<ReadMentions>;
  /** Whether a text can join a turn that runs: it is neither a call by hand nor the word that continues a turn. */
  canSteer(text: string): boolean;
}

export function createMessageParts(dependencies: MessagePartsDependencies): MessageParts {
  const { root, terminal, insert, notice, ...shown } = dependencies;
  const { variables, userHome } = terminal.environment;
  const shell = createShellCommands({ cwd: root, env: variables, ...shown });
  const pictures = createPictures({
    root,
    userHome,
    readClipboard: () => readClipboardPicture({ platform: process.platform, variables }),
    insert,
    notice,
  });
  async function files(text: string): Promise<ReadMentions> {
    const { attachments, notices } = await readMentions(text, root, terminal);
    return { attachments: [...attachments, ...(await pictures.attachmentsIn(text))], notices };
  }

  return {
    pictures,
    runShell: shell.run,
    files,
    async attachments(text) {
      const { attachments, notices } = await files(text);
      return { attachments: [...attachments, ...shell.take()], notices };
    },
    canSteer: (text) => !isContinue(text) && !parseManualTrigger(text),
  };
}
