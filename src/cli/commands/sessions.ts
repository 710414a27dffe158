import type { KeptSession } from '../../sessions/kept.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { UndoError } from '../../undo/undo-error.ts';
import { colorsFor } from '../colors.ts';
import { CommandError } from '../command-error.ts';
import { integerFrom, json, plainText, single, text } from '../flags.ts';
import { localTime } from '../local-time.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import { configureExport, type ExportFlags, exportSession } from './sessions/export.ts';
import { unknownKey } from './sessions/find.ts';
import { configureReplay, type ReplayFlags, replay } from './sessions/replay.ts';

interface ListFlags extends OutputFlags {
  all?: boolean;
  limit?: number;
}

interface ShowFlags extends OutputFlags {
  last?: number;
}

const SHOWN_BY_DEFAULT = 50;
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
    .action((flags: ListFlags) => withSessions(flags, terminal, (service) => list(service, flags, terminal)));
  sessions
    .command('show')
    .description('the messages of a session')
    .argument('<key>')
    .addOption(single('--last <N>', `only the newest N messages (default: ${SHOWN_BY_DEFAULT})`, integerFrom(1)))
    .addOption(json())
    .addOption(plainText())
    .action((key: string, flags: ShowFlags) =>
      withSessions(flags, terminal, (service) => show(key, service, flags, terminal)),
    );
  sessions
    .command('diff')
    .description('what the agent changed in files, as a diff')
    .argument('[key]', 'the session (default: main)')
    .addOption(single('--turn <id>', 'only this turn, by the beginning of its id', text))
    .addOption(json())
    .addOption(plainText())
    .action((key: string | undefined, flags: DiffFlags) => diff(key ?? 'main', flags, terminal));
  configureExport(sessions.command('export')).action((key: string, flags: ExportFlags) =>
    withSessions(flags, terminal, (service) => exportSession(key, flags, service, terminal)),
  );
  configureReplay(sessions.command('replay')).action((key: string, flags: ReplayFlags) =>
    withRuntime(terminal, async (runtime) => setExitCode(await replay(key, flags, runtime, terminal))),
  );
};

interface DiffFlags extends OutputFlags {
  turn?: string;
}

async function diff(key: string, flags: DiffFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  await withRuntime(terminal, async (runtime) => {
    const { findSession } = await import('./undo.ts');
    try {
      const { sessionId } = await findSession(runtime, key);
      const files = await (await runtime.undo()).diff({ sessionId, turnId: flags.turn });
      if (asJson) return writeJson(terminal, files);
      if (files.length === 0) terminal.out.write('the agent changed no file in this session\n');
      for (const file of files) terminal.out.write(`${printable(file.diff.trimEnd())}\n`);
    } catch (error) {
      if (!(error instanceof UndoError)) throw error;
      throw new CommandError(error.code, error.message);
    }
  });
}

async function withSessions(
  flags: OutputFlags,
  terminal: Terminal,
  use: (sessions: Sessions) => Promise<void>,
): Promise<void> {
  wantsJson(terminal, flags);
  await withRuntime(terminal, ({ sessions }) => use(sessions));
}

async function list(sessions: Sessions, flags: ListFlags, terminal: Terminal): Promise<void> {
  const { limit } = flags;
  if (flags.all) return listKept((await sessions.kept()).slice(limit === undefined ? 0 : -limit), flags, terminal);
  if (wantsJson(terminal, flags)) return writeJson(terminal, await sessions.list({ limit }));
  const entries = await sessions.list({ limit: limit ?? LISTED_BY_DEFAULT });
  if (entries.length === 0) return void terminal.out.write('no sessions yet: lainclaw ask "hello" starts one\n');
  const colors = colorsFor(terminal.out, terminal);
  const width = Math.max(...entries.map(({ sessionKey }) => sessionKey.length));
  for (const { sessionKey, updatedAt, provider = '', sessionId } of entries) {
    terminal.out.write(
      `${colors.bold(sessionKey.padEnd(width))}  ${localTime(updatedAt)}  ${provider}  ${colors.dim(sessionId)}\n`,
    );
  }
  const count = limit === undefined ? await sessions.count() : 0;
  if (count > entries.length) terminal.out.write(colors.dim(`${count - entries.length} more: --limit ${count}\n`));
}

function listKept(kept: readonly KeptSession[], flags: ListFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) return void writeJson(terminal, kept);
  const colors = colorsFor(terminal.out, terminal);
  for (const { sessionKey = '(key unknown)', sessionId, createdAt = '', isCurrent } of kept) {
    const state = isCurrent ? '' : colors.dim(' (followed by another)');
    terminal.out.write(`${colors.bold(printable(sessionKey))}  ${printable(createdAt)}  ${sessionId}${state}\n`);
  }
}

async function show(key: string, sessions: Sessions, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const shown = await sessions.show(key, flags.last ?? SHOWN_BY_DEFAULT);
  if (!shown) throw await unknownKey(key, sessions);
  const { entry, messages, permissions, damagedLines } = shown;
  if (damagedLines.length > 0) {
    warn(
      terminal,
      `${damagedLines.length} line(s) of the transcript cannot be read: ${damagedLines.slice(0, 20).join(', ')} of ${entry.sessionId}.jsonl`,
    );
  }
  if (wantsJson(terminal, flags)) return writeJson(terminal, { session: entry, messages, permissions, damagedLines });
  const colors = colorsFor(terminal.out, terminal);
  const { grantLine } = await import('../render.ts');
  for (const { id, role, timestamp, model, content } of messages) {
    const facts = [localTime(timestamp), ...(model ? [printable(model)] : [])].join(' · ');
    terminal.out.write(`${colors.bold(role)} ${colors.dim(facts)}\n${printable(content)}\n\n`);
    for (const permission of permissions.filter(({ afterMessageId }) => afterMessageId === id))
      terminal.out.write(`${colors.dim(`${printable(permission.tool)} ${grantLine(permission)}`)}\n\n`);
  }
}
