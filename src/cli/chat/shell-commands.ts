// Commands behind `!`: each is shown as an entry of the chat, and what it printed goes to the model with the next question, as a file that the
// person attached would: they ran it, so it is their word and taints nothing.
import { stripTerminalSequences } from '@earendil-works/pi-tui';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { Entry, NewEntry, ShellEnd } from './entries.ts';
import { runShellCommand } from './shell-command.ts';

const COMMAND = /^!\s*(\S[\s\S]*)$/;

/** The command of a message that is one. */
export function shellCommandIn(text: string): string | undefined {
  return COMMAND.exec(text)?.[1];
}

export interface ShellCommandsDependencies {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  add(entry: NewEntry): number;
  put(entry: Entry): void;
  now(): number;
}

export interface ShellCommands {
  /** Resolves when it has ended; `signal` stops it. */
  run(command: string, signal: AbortSignal): Promise<void>;
  /** Removes and returns what the commands since the last question have printed. */
  take(): Attachment[];
}

export function createShellCommands({ cwd, env, add, put, now }: ShellCommandsDependencies): ShellCommands {
  let printed: Attachment[] = [];

  return {
    async run(command, signal) {
      const begun = now();
      const id = add({ kind: 'shell', command, output: '', end: { state: 'running' } });
      const show = (output: string, end: ShellEnd): void => put({ kind: 'shell', id, command, output, end });
      const onOutput = (output: string): void => show(output, { state: 'running' });
      const { output, code, wasStopped } = await runShellCommand({ command, cwd, env, signal, onOutput });
      show(output, { state: 'ended', code, wasStopped, durationMs: now() - begun });
      const ending = wasStopped ? ', stopped by the person' : code === 0 ? '' : `, exit code ${code}`;
      const text = stripTerminalSequences(output).trimEnd() || '(no output)';
      printed.push({ kind: 'text', name: `output of !${command}${ending}`, text });
    },
    take() {
      const taken = printed;
      printed = [];
      return taken;
    },
  };
}
