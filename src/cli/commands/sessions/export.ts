import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { counted } from '../../../lib/counted.ts';
import { localTime } from '../../../lib/local-time.ts';
import { newId } from '../../../lib/new-id.ts';
import type { OutputOf } from '../../../operations/operation.ts';
import { EXPORT_FORMATS, type ExportFormat, exportSession } from '../../../operations/session-export.ts';
import { integerFrom, json, oneOf, plainText, single, text } from '../../flags.ts';
import { type OutputFile, openOutputFile } from '../../output-file.ts';
import { runOperation } from '../../run-operation.ts';
import {
  jsonEscaped,
  type OutputFlags,
  printable,
  readerHasGone,
  type Terminal,
  UsageError,
  wantsJson,
  warn,
  writeJson,
} from '../../terminal.ts';
import { addSessionChoice, checkKey } from './choose-session.ts';

type Exported = OutputOf<typeof exportSession>;

const ENDINGS = new Map<string, ExportFormat>(
  Object.entries({
    md: 'markdown',
    markdown: 'markdown',
    json: 'json',
    jsonl: 'jsonl',
    ndjson: 'jsonl',
    html: 'html',
    htm: 'html',
    txt: 'markdown',
  } as const),
);

export interface ExportFlags extends OutputFlags {
  sessionId?: string;
  all?: boolean;
  format?: ExportFormat;
  output?: string;
  force?: boolean;
  since?: number;
  last?: number;
}

export function configureExport(command: Command): Command {
  return addSessionChoice(command)
    .description('Write a whole conversation as Markdown, HTML, JSON or JSON lines')
    .option('--all', 'every session that was ever kept under this key')
    .addOption(
      single(
        '--format <format>',
        `${EXPORT_FORMATS.join(', ')} (default: by the output's name)`,
        oneOf(EXPORT_FORMATS),
      ),
    )
    .addOption(single('--output <file>', 'write a file of your own instead of printing', text))
    .option('--force', 'replace the file when it is there already')
    .addOption(single('--since <time>', 'only turns from then on: 2026-11-30, or 2026-11-30T08:00', moment))
    .addOption(single('--last <N>', 'only the newest N turns of each session', integerFrom(1)))
    .addOption(json())
    .addOption(plainText());
}

/** A day begins where the reader is. */
function moment(value: string): number {
  const [, day, rest = 'T00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}.*))?$/.exec(value) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T${rest.replace(/^T/, '')}`);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('Accepted: a day (2026-11-30) or a moment (2026-11-30T08:00).');
  return time;
}

export async function runExport(key: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const { output, force = false, all, sessionId, since, last } = flags;
  const asJson = wantsJson(terminal, flags);
  checkKey(key);
  if (force && output === undefined) throw new UsageError('--force goes with --output <file>');
  if (all && sessionId !== undefined)
    throw new UsageError('--all and --session-id exclude each other: give one of them');
  const format = flags.format ?? formatOf(output) ?? (asJson ? 'json' : 'markdown');
  // What a model or a tool wrote must not move the cursor of the person who looks at the document.
  const harmless = format === 'json' || format === 'jsonl' ? jsonEscaped : printable;
  const input = { key, sessionId, all, format, last, ...(since !== undefined && { since: isoOf(since) }) };

  if (output === undefined || output === '-') {
    const onPiece = (piece: string): void => void terminal.out.write(harmless(piece));
    const printed = runOperation(terminal, exportSession, input, (done) => warnOf(done, flags, terminal), { onPiece });
    return printed.catch((error: unknown) => {
      if (!readerHasGone(terminal)) throw error;
    });
  }
  const path = resolve(terminal.environment.cwd, output);
  let file: OutputFile | undefined;
  // Opened with the first piece: a session that does not exist leaves no file.
  const onPiece = async (piece: string): Promise<void> => {
    file ??= await openOutputFile(path, { force, newId });
    await file.write(harmless(piece));
  };
  try {
    await runOperation(
      terminal,
      exportSession,
      input,
      async (done) => {
        await file?.finish();
        warnOf(done, flags, terminal);
        report(done, { output: path, asJson }, terminal);
      },
      { onPiece },
    );
  } finally {
    await file?.discard();
  }
}

function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}

function formatOf(output: string | undefined): ExportFormat | undefined {
  const [, ending] = /\.(\w+)$/.exec(output ?? '') ?? [];
  if (ending === undefined) return undefined;
  const format = ENDINGS.get(ending.toLowerCase());
  if (!format)
    throw new UsageError(
      `no format goes by the ending .${ending}: name one with --format (${EXPORT_FORMATS.join(', ')})`,
    );
  return format;
}

function warnOf({ turns, damage }: Exported, { since }: ExportFlags, terminal: Terminal): void {
  warnOfDamage(damage, terminal);
  if (turns === 0 && since !== undefined)
    warn(terminal, `no turn began at ${localTime(isoOf(since))} or later: the document has none`);
}

export function warnOfDamage(damage: Exported['damage'], terminal: Terminal): void {
  for (const { sessionId, count, lines } of damage) {
    const named = lines.slice(0, 20).join(', ') + (count > 20 ? ', …' : '');
    warn(terminal, `${counted(count, 'line')} of the transcript cannot be read: ${named} of ${sessionId}.jsonl`);
  }
}

function report(
  { turns, messages, damage, format, sessionIds }: Exported,
  { output, asJson }: { output: string; asJson: boolean },
  terminal: Terminal,
): void {
  if (asJson) {
    const damagedLineCount = damage.reduce((sum, { count }) => sum + count, 0);
    writeJson(terminal, { success: true, output, format, sessionIds, turns, messages, damagedLineCount });
  } else {
    terminal.out.write(
      `${counted(turns, 'turn')} with ${counted(messages, 'message')} ${turns === 1 ? 'is' : 'are'} in ${printable(output)}\n`,
    );
  }
}
