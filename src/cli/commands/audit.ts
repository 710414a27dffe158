import { resolve } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../lib/counted.ts';
import { localTime } from '../../lib/local-time.ts';
import { newId } from '../../lib/new-id.ts';
import { exportAudit, showAudit, verifyAudit } from '../../operations/audit.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, oneOf, single, text, withOutput } from '../flags.ts';
import { type OutputFile, openOutputFile } from '../output-file.ts';
import { runOperation } from '../run-operation.ts';
import {
  EXIT,
  jsonEscaped,
  type OutputFlags,
  printable,
  readerHasGone,
  type Terminal,
  UsageError,
  wantsJson,
  writeJson,
} from '../terminal.ts';

const { kind, outcome } = showAudit.input.properties as unknown as Record<'kind' | 'outcome', { enum: string[] }>;

interface FilterFlags extends OutputFlags {
  kind?: string;
  what?: string;
  who?: string;
  session?: string;
  outcome?: string;
  since?: string;
  until?: string;
}

interface ShowFlags extends FilterFlags {
  limit?: number;
}

interface ExportFlags extends FilterFlags {
  format?: 'jsonl' | 'csv';
  output?: string;
  force?: boolean;
}

export const configureAudit: ConfigureCommand = (audit, terminal, setExitCode) => {
  const show = audit.command('show').description('Show the newest lines, the last one at the end');
  withOutput(withFilter(show).addOption(single('--limit <N>', 'how many (default: 50)', integerFrom(1)))).action(
    (flags: ShowFlags) => runShow(flags, terminal),
  );
  const verify = audit
    .command('verify')
    .description('Check that no line was changed, removed or moved; says where one was')
    .addOption(single('--anchor <number:hash>', 'also check that the log still has a line that you noted', text));
  withOutput(verify).action((flags: OutputFlags & { anchor?: string }) =>
    runOperation(
      terminal,
      verifyAudit,
      { anchor: flags.anchor },
      (report) => {
        if (wantsJson(terminal, flags)) writeJson(terminal, report);
        else showReport(report, terminal);
        setExitCode(report.isSound ? EXIT.done : EXIT.failed);
      },
      { ignoreBadConfig: true },
    ),
  );
  const exported = withFilter(audit.command('export').description('Write the log as JSON lines or CSV'))
    .addOption(single('--format <format>', 'jsonl or csv (default: jsonl)', oneOf(['jsonl', 'csv'])))
    .addOption(single('--output <file>', 'write a file instead of printing', text))
    .option('--force', 'replace the file when it is there already');
  withOutput(exported).action((flags: ExportFlags) => runExport(flags, terminal));
};

function withFilter(command: Command): Command {
  return command
    .addOption(single('--kind <kind>', `only ${kind.enum.join(', ')}`, oneOf(kind.enum)))
    .addOption(single('--what <name>', 'only this tool, operation or chat; its beginning is enough', text))
    .addOption(single('--who <name>', 'only what this person, chat or program did', text))
    .addOption(single('--session <key>', 'only this session', text))
    .addOption(single('--outcome <outcome>', `only ${outcome.enum.join(', ')}`, oneOf(outcome.enum)))
    .addOption(single('--since <time>', 'from then on: 2026-11-30, or 2026-11-30T08:00', text))
    .addOption(single('--until <time>', 'before then', text));
}

function filterOf({ kind: wanted, outcome: ending, ...flags }: FilterFlags) {
  const { what, who, session, since, until } = flags;
  // The parsers of the flags have checked both words.
  return { what, who, session, since, until, kind: wanted as 'message', outcome: ending as 'ok' };
}

async function runShow({ limit, ...flags }: ShowFlags, terminal: Terminal): Promise<void> {
  await runOperation(
    terminal,
    showAudit,
    { ...filterOf(flags), limit },
    ({ lines }) => {
      if (wantsJson(terminal, flags)) {
        writeJson(terminal, { lines });
        return;
      }
      if (lines.length === 0) terminal.out.write('no line: nothing was done yet that is recorded, or none fits\n');
      for (const line of lines) showLine(line, terminal);
    },
    { ignoreBadConfig: true },
  );
}

function showLine(line: OutputOf<typeof showAudit>['lines'][number], terminal: Terminal): void {
  const { green, red, dim, bold } = colorsFor(terminal.out, terminal);
  const colour = line.outcome === 'denied' || line.outcome === 'failed' ? red : green;
  const ending = line.outcome === undefined ? '' : ` ${colour(line.outcome)}`;
  const where = line.session === undefined ? '' : dim(` in ${printable(line.session)}`);
  const head = `${dim(`${line.n}`)} ${dim(localTime(line.at))} ${line.kind} ${bold(printable(line.what))}${ending}`;
  const machine = line.machine === undefined ? '' : dim(` on ${printable(line.machine)}`);
  terminal.out.write(`${head} by ${printable(line.who)}${where}${machine}\n`);
  for (const detail of [line.about, line.why]) if (detail) terminal.out.write(`    ${dim(oneLine(detail))}\n`);
}

function oneLine(text: string): string {
  const flat = printable(text.replaceAll(/\s+/g, ' '));
  return flat.length > 160 ? `${flat.slice(0, 159)}…` : flat;
}

function showReport(report: OutputOf<typeof verifyAudit>, terminal: Terminal): void {
  const { green, red, dim } = colorsFor(terminal.out, terminal);
  const { isSound, lines, anchor, problems, problemCount, notes } = report;
  for (const note of notes) terminal.out.write(`${dim(`note: ${printable(note)}`)}\n`);
  for (const { message, file, line } of problems)
    terminal.out.write(`${red('✗')} ${printable(message)} ${dim(`(${file}, line ${line})`)}\n`);
  if (problemCount > problems.length) terminal.out.write(`… and ${problemCount - problems.length} more\n`);
  if (isSound) terminal.out.write(`${green('✓')} ${counted(lines, 'line')}, none changed, removed or moved\n`);
  if (anchor) terminal.out.write(`${dim(`anchor: ${anchor.n}:${anchor.hash}`)}\n`);
}

async function runExport({ output, force = false, format, ...flags }: ExportFlags, terminal: Terminal): Promise<void> {
  if (force && output === undefined) throw new UsageError('--force goes with --output <file>');
  const input = { ...filterOf(flags), format };
  if (output === undefined || output === '-') {
    // As stored where a program reads it, so that the hashes fit.
    const onPiece = (piece: string): void => void terminal.out.write(terminal.out.isTTY ? jsonEscaped(piece) : piece);
    const printed = runOperation(terminal, exportAudit, input, () => {}, { onPiece, ignoreBadConfig: true });
    return printed.catch((error: unknown) => {
      if (!readerHasGone(terminal)) throw error;
    });
  }
  const path = resolve(terminal.environment.cwd, output);
  const file: OutputFile = await openOutputFile(path, { force, newId });
  try {
    await runOperation(
      terminal,
      exportAudit,
      input,
      async ({ lines }) => {
        await file.finish();
        if (wantsJson(terminal, flags)) writeJson(terminal, { success: true, output: path, lines });
        else terminal.out.write(`${counted(lines, 'line')} written to ${printable(path)}\n`);
      },
      { onPiece: (piece) => file.write(piece), ignoreBadConfig: true },
    );
  } finally {
    await file.discard();
  }
}
