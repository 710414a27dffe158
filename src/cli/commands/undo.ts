import type { Runtime } from '../../runtime/runtime.ts';
import type { SessionEntry } from '../../storage/storage.ts';
import type { ListedTurn, Undo, Undone } from '../../undo/undo.ts';
import { UndoError } from '../../undo/undo-error.ts';
import { type Colors, colorsFor } from '../colors.ts';
import { CommandError } from '../command-error.ts';
import { json, plainText, single, text } from '../flags.ts';
import type { ConfigureCommand } from '../program.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface UndoFlags extends OutputFlags {
  session?: string;
  turn?: string;
  force?: boolean;
  list?: boolean;
}

const DEFAULT_SESSION = 'main';
/** Tools called without a session (`tools invoke`) are on record under this name. */
const WITHOUT_SESSION = 'cli';

export const configureUndo: ConfigureCommand = (command, terminal, setExitCode) => {
  command
    .addOption(
      single('--session <key>', `whose turn (default: ${DEFAULT_SESSION}; ${WITHOUT_SESSION}: tools invoke)`, text),
    )
    .addOption(single('--turn <id>', 'which turn, by the beginning of its id (default: last)', text))
    .option('--force', 'also overwrite what was changed since')
    .option('--list', 'only show the turns that changed files')
    .addOption(json())
    .addOption(plainText())
    .action(async (flags: UndoFlags) =>
      setExitCode(await withRuntime(terminal, (runtime) => run(runtime, flags, terminal))),
    );
};

async function run(runtime: Runtime, flags: UndoFlags, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  try {
    const undo = await runtime.undo();
    const session = await findSession(runtime, flags.session ?? DEFAULT_SESSION);
    if (flags.list) return showTurns(await undo.turns(session.sessionId), asJson, terminal);
    const undone = await undo.undo({
      ...session,
      turnId: flags.turn === 'last' ? undefined : flags.turn,
      force: flags.force ?? false,
      signal: terminal.signal,
      onWait: () => warn(terminal, 'a turn of this session is running; waiting for it'),
    });
    if (asJson) writeJson(terminal, { success: true, sessionKey: session.sessionKey, ...undone });
    else showUndone(undone, terminal);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof UndoError)) throw error;
    return showRefusal(error, asJson, terminal);
  }
}

/** By key, or by the id of a session that is no longer its key's current one. */
export async function findSession(
  runtime: Pick<Runtime, 'sessions'>,
  name: string,
): Promise<Pick<SessionEntry, 'sessionKey' | 'sessionId'>> {
  const entry = await runtime.sessions.find(name);
  if (entry) return entry;
  if (name === WITHOUT_SESSION || /^session-[\w-]+$/.test(name)) return { sessionKey: name, sessionId: name };
  throw new CommandError(
    'SESSION_NOT_FOUND',
    `there is no session "${name}"; "lainclaw sessions list" shows what there is`,
  );
}

function showTurns(turns: Awaited<ReturnType<Undo['turns']>>, asJson: boolean, terminal: Terminal): number {
  if (asJson) writeJson(terminal, turns);
  else if (turns.length === 0) terminal.out.write('no turn of this session changed a file\n');
  else for (const turn of turns) terminal.out.write(turnLine(turn, colorsFor(terminal.out, terminal)));
  return EXIT.done;
}

function turnLine({ turnId, recordedAt, undone, undoes, paths, notCovered }: ListedTurn, colors: Colors): string {
  const state = undone ? ' (undone)' : undoes ? ` (undid ${undoes})` : '';
  const files = paths.slice(0, 10).map(printable).join(', ') + (paths.length > 10 ? ', …' : '');
  const lost = notCovered.length > 0 ? colors.dim(' (and a command whose changes are not covered)') : '';
  return `${colors.bold(turnId)}  ${recordedAt}${state}  ${files}${lost}\n`;
}

function showUndone({ turnId, recordedAt, root, undoId, files, notCovered }: Undone, terminal: Terminal): void {
  const { out } = terminal;
  const colors = colorsFor(out, terminal);
  const what = files.length > 0 ? 'undone' : 'nothing to put back';
  out.write(`${what}: ${colors.bold(turnId)} of ${recordedAt} in ${printable(root)}\n`);
  for (const { path, action } of files) out.write(`  ${action.padEnd(9)}  ${printable(path)}\n`);
  for (const reason of new Set(notCovered))
    out.write(
      `${colors.yellow('!')} a command of this turn may have changed more, which is not covered: ${printable(reason)}\n`,
    );
  out.write(colors.dim(`bring it back: lainclaw undo --turn ${undoId}\n`));
}

function showRefusal({ code, message, conflicts }: UndoError, asJson: boolean, terminal: Terminal): number {
  if (asJson) writeJson(terminal, { success: false, error: { code, message }, conflicts });
  terminal.err.write(`error ${code}: ${printable(message)}\n`);
  return EXIT.failed;
}
