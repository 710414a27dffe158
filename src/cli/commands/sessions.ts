import { counted } from '../../lib/counted.ts';
import { localTime } from '../../lib/local-time.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { listKeptSessions, listSessions, searchSessions, showSession } from '../../operations/sessions.ts';
import { diffSession } from '../../operations/undo.ts';
import { aboutSession } from '../about-session.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, json, plainText, single, text } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { configureChanges } from './sessions/change.ts';
import { configureExport, type ExportFlags, runExport } from './sessions/export.ts';
import { configureReplay, type ReplayFlags, replay } from './sessions/replay.ts';

interface ListFlags extends OutputFlags {
  all?: boolean;
  limit?: number;
}

interface ShowFlags extends OutputFlags {
  last?: number;
}

const LISTED_BY_DEFAULT = 20;

export const configureSessions: ConfigureCommand = (sessions, terminal, setExitCode) => {
  sessions
    .command('list')
    .description('List sessions, the last used first')
    .option('--all', 'also those that another one under the same key has followed, oldest first')
    .addOption(
      single(
        '--limit <N>',
        `only the last N used (default: ${LISTED_BY_DEFAULT} as text, every one as JSON)`,
        integerFrom(1),
      ),
    )
    .addOption(json())
    .addOption(plainText())
    .action((flags: ListFlags) => list(flags, terminal));
  sessions
    .command('show')
    .description('Show the messages of a session')
    .argument('<key>')
    .addOption(single('--last <N>', 'only the newest N messages (default: 50)', integerFrom(1)))
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: ShowFlags) => show(key, flags, terminal));
  sessions
    .command('diff')
    .description('Show what the agent changed in files, as a diff')
    .argument('[key]', 'the session (default: main)')
    .addOption(single('--turn <id>', 'only this turn, by the beginning of its id', text))
    .addOption(json())
    .addOption(plainText())
    .action((key: string | undefined, flags: DiffFlags) => diff(key ?? 'main', flags, terminal));
  configureChanges(sessions, terminal);
  sessions
    .command('search')
    .description('Find sessions by words in their titles and messages, the newest first')
    .argument(
      '<words...>',
      'all of them, in any of their forms, must be in one message, or in the title; "last week" and the like bring that time first',
    )
    .addOption(single('--limit <N>', 'at most N sessions (default: 20)', integerFrom(1)))
    .addOption(single('--since <when>', 'only from then on: 2026-12-31, "last week", 上周, "в марте"', text))
    .addOption(single('--until <when>', 'only until then, the day included', text))
    .addOption(json())
    .addOption(plainText())
    .action((words: string[], flags: SearchFlags) => search(words.join(' '), flags, terminal));
  configureExport(sessions.command('export')).action((key: string, flags: ExportFlags) =>
    runExport(key, flags, terminal),
  );
  configureReplay(sessions.command('replay')).action(async (key: string, flags: ReplayFlags) =>
    setExitCode(await replay(key, flags, terminal)),
  );
};

interface SearchFlags extends OutputFlags {
  limit?: number;
  since?: string;
  until?: string;
}

async function search(
  words: string,
  { limit, since, until, ...flags }: SearchFlags,
  terminal: Terminal,
): Promise<void> {
  const show = (found: OutputOf<typeof searchSessions>): void => {
    if (wantsJson(terminal, flags)) return void writeJson(terminal, found);
    if (found.length === 0) return void terminal.out.write('no session has these words\n');
    const colors = colorsFor(terminal.out, terminal);
    for (const { sessionKey, sessionId, title, date, snippet, matches, isCurrent } of found) {
      const name = isCurrent ? sessionKey : `${sessionKey} (${sessionId})`;
      const about = title === undefined ? '' : `  ${printable(title)}`;
      const count = colors.dim(`  ${counted(matches, 'message')}`);
      terminal.out.write(
        `${colors.bold(printable(name))}  ${localTime(date)}${about}${count}\n  ${printable(snippet)}\n`,
      );
    }
  };
  await runOperation(terminal, searchSessions, { words, limit, since, until }, show, { counting: 'indexed' });
}

interface DiffFlags extends OutputFlags {
  turn?: string;
}

async function diff(session: string, { turn, ...flags }: DiffFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, diffSession, { session, turn }, (files) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, files);
    if (files.length === 0) terminal.out.write('the agent changed no file in this session\n');
    for (const file of files) terminal.out.write(`${printable(file.diff.trimEnd())}\n`);
  });
}

async function list({ limit, all, ...flags }: ListFlags, terminal: Terminal): Promise<void> {
  if (all)
    return runOperation(terminal, listKeptSessions, {}, (kept) =>
      showKept(kept.slice(limit === undefined ? 0 : -limit), flags, terminal),
    );
  const asJson = wantsJson(terminal, flags);
  const shown = limit ?? (asJson ? undefined : LISTED_BY_DEFAULT);
  await runOperation(terminal, listSessions, { limit: shown, firstWords: !asJson }, ({ sessions, total }) => {
    if (asJson) return writeJson(terminal, sessions);
    if (sessions.length === 0) return void terminal.out.write('no sessions yet: lainclaw ask "hello" starts one\n');
    const colors = colorsFor(terminal.out, terminal);
    const width = Math.max(...sessions.map(({ sessionKey }) => sessionKey.length));
    for (const { sessionKey, updatedAt, provider = '', sessionId, title, firstWords } of sessions) {
      terminal.out.write(
        `${colors.bold(sessionKey.padEnd(width))}  ${localTime(updatedAt)}  ${provider}  ${colors.dim(sessionId)}\n`,
      );
      const about = aboutSession({ title, firstWords });
      if (about !== '') terminal.out.write(`  ${printable(about)}\n`);
    }
    const left = limit === undefined ? total - sessions.length : 0;
    if (left > 0) terminal.out.write(colors.dim(`${left} more: --limit ${total}\n`));
  });
}

function showKept(kept: OutputOf<typeof listKeptSessions>, flags: OutputFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) return void writeJson(terminal, kept);
  const colors = colorsFor(terminal.out, terminal);
  for (const { sessionKey = '(key unknown)', sessionId, createdAt = '', isCurrent } of kept) {
    const state = isCurrent ? '' : colors.dim(' (followed by another)');
    terminal.out.write(`${colors.bold(printable(sessionKey))}  ${printable(createdAt)}  ${sessionId}${state}\n`);
  }
}

async function show(key: string, { last, ...flags }: ShowFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, showSession, { key, last }, async ({ session, messages, permissions, damagedLines }) => {
    if (damagedLines.length > 0)
      warn(
        terminal,
        `${counted(damagedLines.length, 'line')} of the transcript cannot be read: ${damagedLines.slice(0, 20).join(', ')} of ${session.sessionId}.jsonl`,
      );
    if (wantsJson(terminal, flags)) return writeJson(terminal, { session, messages, permissions, damagedLines });
    const colors = colorsFor(terminal.out, terminal);
    const { grantLine } = await import('../render.ts');
    for (const { id, role, timestamp, model, content } of messages) {
      const facts = [localTime(timestamp), ...(model ? [printable(model)] : [])].join(' · ');
      terminal.out.write(`${colors.bold(role)} ${colors.dim(facts)}\n${printable(content)}\n\n`);
      for (const permission of permissions.filter(({ afterMessageId }) => afterMessageId === id))
        terminal.out.write(`${colors.dim(`${printable(permission.tool)} ${grantLine(permission)}`)}\n\n`);
    }
  });
}
