// Commands that change conversations as a whole.
import type { Command } from 'commander';
import { deleteSession, forkSession, renameSession, rewindSession } from '../../../operations/session-changes.ts';
import type { SessionEntry } from '../../../storage/storage.ts';
import { CommandError } from '../../command-error.ts';
import { json, plainText, single, text } from '../../flags.ts';
import { operationContext, runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../../terminal.ts';
import { terminalPrompter } from '../../terminal-prompter.ts';
import { withRuntime } from '../../with-runtime.ts';

interface ForkFlags extends OutputFlags {
  turn?: string;
  as?: string;
}

export function configureChanges(sessions: Command, terminal: Terminal): void {
  sessions
    .command('rename')
    .description('Give a session a title')
    .argument('<key>', 'the session')
    .argument('<title...>', 'its title')
    .addOption(json())
    .addOption(plainText())
    .action((key: string, words: string[], flags: OutputFlags) => rename(key, words.join(' '), flags, terminal));
  sessions
    .command('rewind')
    .description('Go back to an earlier turn; later turns become a session of their own')
    .argument('<key>', 'the session')
    .addOption(
      single(
        '--turn <id>',
        'the turn to go back to, which stays, by the beginning of its id',
        text,
      ).makeOptionMandatory(),
    )
    .option('--files', 'also take back what later turns changed in files')
    .option('--force', 'with --files: also overwrite what was changed since')
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: RewindFlags) => rewind(key, flags, terminal));
  sessions
    .command('delete')
    .description('Delete a session for good, with everything that was kept of it')
    .argument('<key>', 'the session: its key, or the id of an earlier one')
    .option('--yes', 'do not ask')
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: DeleteFlags) => deleteOne(key, flags, terminal));
  sessions
    .command('fork')
    .description('Begin another session with the history of one; the original stays as it is')
    .argument('<key>', 'the session')
    .addOption(single('--turn <id>', 'the last turn to copy, by the beginning of its id (default: the last one)', text))
    .addOption(single('--as <key>', 'the key of the copy (default: one that is free)', text))
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: ForkFlags) => fork(key, flags, terminal));
}

interface RewindFlags extends OutputFlags {
  turn: string;
  files?: boolean;
  force?: boolean;
}

async function rewind(key: string, { turn, files, force, ...flags }: RewindFlags, terminal: Terminal): Promise<void> {
  await runOperation(
    terminal,
    rewindSession,
    { key, turn, files, force },
    ({ session, turnId, keptAside, restored }) => {
      if (wantsJson(terminal, flags))
        return writeJson(terminal, { success: true, session, turnId, keptAside, restored });
      terminal.out.write(
        `${printable(session.sessionKey)} is back at ${turnId}; what it was before is kept as ${keptAside}\n`,
      );
      for (const path of restored) terminal.out.write(`  restored  ${printable(path)}\n`);
    },
  );
}

interface DeleteFlags extends OutputFlags {
  yes?: boolean;
}

async function deleteOne(key: string, { yes, ...flags }: DeleteFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  await withRuntime(terminal, async (runtime) => {
    const entry = await runtime.sessions.find(key);
    if (!yes && !(await isConfirmed(key, entry, terminal)))
      throw new CommandError('NOT_CONFIRMED', 'nothing was deleted');
    const { sessionKey, deleted } = await deleteSession.run({ key }, operationContext(runtime, terminal));
    if (asJson) writeJson(terminal, { success: true, sessionKey, deleted });
    else terminal.out.write(`deleted ${printable(sessionKey)}: ${deleted.join(', ')}\n`);
  });
}

async function isConfirmed(key: string, entry: SessionEntry | undefined, terminal: Terminal): Promise<boolean> {
  const person = await terminalPrompter(terminal);
  if (!person)
    throw new UsageError(`deleting cannot be taken back: confirm with --yes (lainclaw sessions delete ${key} --yes)`);
  const title = entry?.title === undefined ? '' : ` “${printable(entry.title)}”`;
  const question = `Delete ${printable(key)}${title} for good, with its outputs, undo records and memory?`;
  return person.confirm(question, terminal.signal);
}

async function rename(key: string, title: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, renameSession, { key, title }, (session) => {
    if (wantsJson(terminal, flags)) writeJson(terminal, { success: true, session });
    else terminal.out.write(`${printable(session.sessionKey)} is now "${printable(session.title ?? '')}"\n`);
  });
}

async function fork(key: string, { turn, as, ...flags }: ForkFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, forkSession, { key, turn, as }, ({ session, lastTurn }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { success: true, session, lastTurn });
    const upTo = lastTurn === undefined ? '' : ` up to ${lastTurn}`;
    terminal.out.write(`${printable(session.sessionKey)} has the history of ${printable(key)}${upTo}\n`);
    terminal.out.write(`continue with: lainclaw chat --session ${printable(session.sessionKey)}\n`);
  });
}
