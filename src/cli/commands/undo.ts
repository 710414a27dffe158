import type { OutputOf } from '../../operations/operation.ts';
import { listChanges, undoTurn, WITHOUT_SESSION } from '../../operations/undo.ts';
import { UndoError } from '../../undo/undo-error.ts';
import { type Colors, colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText, single, text } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

interface UndoFlags extends OutputFlags {
  session?: string;
  turn?: string;
  force?: boolean;
  list?: boolean;
}

const DEFAULT_SESSION = 'main';

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
    .action(async (flags: UndoFlags) => setExitCode(await run(flags, terminal)));
};

async function run({ session, turn, force, list, ...flags }: UndoFlags, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  try {
    if (list) await runOperation(terminal, listChanges, { session }, (turns) => showTurns(turns, asJson, terminal));
    else
      await runOperation(terminal, undoTurn, { session, turn: turn === 'last' ? undefined : turn, force }, (undone) => {
        if (asJson) writeJson(terminal, { success: true, ...undone });
        else showUndone(undone, terminal);
      });
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof UndoError)) throw error;
    return showRefusal(error, asJson, terminal);
  }
}

function showTurns(turns: OutputOf<typeof listChanges>, asJson: boolean, terminal: Terminal): void {
  if (asJson) writeJson(terminal, turns);
  else if (turns.length === 0) terminal.out.write('no turn of this session changed a file\n');
  else for (const turn of turns) terminal.out.write(turnLine(turn, colorsFor(terminal.out, terminal)));
}

function turnLine(
  { turnId, recordedAt, undone, undoes, paths, notCovered }: OutputOf<typeof listChanges>[number],
  colors: Colors,
): string {
  const state = undone ? ' (undone)' : undoes ? ` (undid ${undoes})` : '';
  const files = paths.slice(0, 10).map(printable).join(', ') + (paths.length > 10 ? ', …' : '');
  const lost = notCovered.length > 0 ? colors.dim(' (and a command whose changes are not covered)') : '';
  return `${colors.bold(turnId)}  ${recordedAt}${state}  ${files}${lost}\n`;
}

function showUndone(
  { sessionKey, turnId, recordedAt, root, undoId, files, notCovered }: OutputOf<typeof undoTurn>,
  terminal: Terminal,
): void {
  const { out } = terminal;
  const colors = colorsFor(out, terminal);
  const what = files.length > 0 ? 'undone' : 'nothing to put back';
  out.write(`${what}: ${colors.bold(turnId)} of ${recordedAt} in ${printable(root)}\n`);
  for (const { path, action } of files) out.write(`  ${action.padEnd(9)}  ${printable(path)}\n`);
  for (const reason of new Set(notCovered))
    out.write(
      `${colors.yellow('!')} a command of this turn may have changed more, which is not covered: ${printable(reason)}\n`,
    );
  const sessionFlag = sessionKey === DEFAULT_SESSION ? '' : `--session ${sessionKey} `;
  out.write(colors.dim(`bring it back: lainclaw undo ${sessionFlag}--turn ${undoId}\n`));
}

function showRefusal({ code, message, conflicts }: UndoError, asJson: boolean, terminal: Terminal): number {
  if (asJson) writeJson(terminal, { success: false, error: { code, message }, conflicts });
  terminal.err.write(`error ${code}: ${printable(message)}\n`);
  return EXIT.failed;
}
