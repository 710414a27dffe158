// Commands that change conversations as a whole.
import type { Command } from 'commander';
import { forkSession, renameSession } from '../../../operations/session-changes.ts';
import { json, plainText, single, text } from '../../flags.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';

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
    .command('fork')
    .description('Begin another session with the history of one; the original stays as it is')
    .argument('<key>', 'the session')
    .addOption(single('--turn <id>', 'the last turn to copy, by the beginning of its id (default: the last one)', text))
    .addOption(single('--as <key>', 'the key of the copy (default: one that is free)', text))
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: ForkFlags) => fork(key, flags, terminal));
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
