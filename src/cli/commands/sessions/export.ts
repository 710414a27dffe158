import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { newId } from '../../../lib/new-id.ts';
import type { ExportedCounts, Exporter } from '../../../sessions/export/exporter.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import { integerFrom, json, oneOf, plainText, single, text } from '../../flags.ts';
import { localTime } from '../../local-time.ts';
import { openOutputFile } from '../../output-file.ts';
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
import { addSessionChoice, type FoundSession, findSessions } from './find.ts';

const FORMATS = ['markdown', 'json', 'jsonl', 'html'] as const;
type Format = (typeof FORMATS)[number];

const ENDINGS = new Map<string, Format>(
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
  format?: Format;
  output?: string;
  force?: boolean;
  since?: number;
  last?: number;
}

export function configureExport(command: Command): Command {
  return addSessionChoice(command)
    .description('a whole conversation as Markdown, HTML, JSON or JSON lines')
    .option('--all', 'every session that was ever kept under this key')
    .addOption(single('--format <format>', `${FORMATS.join(', ')} (default: by the output's name)`, oneOf(FORMATS)))
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

export async function exportSession(
  key: string,
  flags: ExportFlags,
  sessions: Sessions,
  terminal: Terminal,
): Promise<void> {
  const { output, force = false, since, last } = flags;
  const asJson = wantsJson(terminal, flags);
  if (force && output === undefined) throw new UsageError('--force goes with --output <file>');
  const found = await findSessions(sessions, key, flags);
  const [first] = found;
  const format = flags.format ?? formatOf(output) ?? (asJson ? 'json' : 'markdown');
  const { exportSessions } = await import('../../../sessions/export/exporter.ts');
  const exporter = await exporterOf(format, first?.sessionKey ?? key, terminal.environment.now());
  const pieces = exportSessions({
    sessions: found.map(({ sessionKey, sessionId, createdAt, isCurrent }) => ({
      sessionKey,
      sessionId,
      createdAt,
      isCurrent,
    })),
    exporter,
    selection: { since, last },
    history: (sessionId) => sessions.history(sessionId),
    summaries: (session) => sessions.summaries(session),
    signal: terminal.signal,
  });
  // What a model or a tool wrote must not move the cursor of the person who looks at the document.
  const harmless = format === 'json' || format === 'jsonl' ? jsonEscaped : printable;
  if (output === undefined || output === '-') {
    const counts = await pump(pieces, (piece) => terminal.out.write(harmless(piece))).catch((error: unknown) => {
      if (!readerHasGone(terminal)) throw error;
    });
    if (counts) saySparse(counts, flags, terminal);
    return;
  }
  const file = await openOutputFile(resolve(terminal.environment.cwd, output), { force, newId });
  try {
    const counts = await pump(pieces, (piece) => file.write(harmless(piece)));
    await file.finish();
    saySparse(counts, flags, terminal);
    report(counts, { found, format, output: file.path, asJson }, terminal);
  } finally {
    await file.discard();
  }
}

async function pump(
  pieces: AsyncGenerator<string, ExportedCounts>,
  write: (piece: string) => void | Promise<void>,
): Promise<ExportedCounts> {
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return value;
    if (value !== '') await write(value);
  }
}

function formatOf(output: string | undefined): Format | undefined {
  const [, ending] = /\.(\w+)$/.exec(output ?? '') ?? [];
  if (ending === undefined) return undefined;
  const format = ENDINGS.get(ending.toLowerCase());
  if (!format)
    throw new UsageError(`no format goes by the ending .${ending}: name one with --format (${FORMATS.join(', ')})`);
  return format;
}

async function exporterOf(format: Format, sessionKey: string, now: number): Promise<Exporter> {
  // What cannot be read as a time is not repeated: it could be anything.
  const time = (iso: string): string => (Number.isNaN(Date.parse(iso)) ? '(time unknown)' : localTime(iso));
  const clock = { time, zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  switch (format) {
    case 'markdown':
      return (await import('../../../sessions/export/markdown.ts')).createMarkdownExporter(clock);
    case 'html':
      return (await import('../../../sessions/export/html.ts')).createHtmlExporter(`Session ${sessionKey}`, clock);
    case 'jsonl':
      return (await import('../../../sessions/export/json.ts')).createJsonLinesExporter();
    case 'json': {
      const { createJsonExporter } = await import('../../../sessions/export/json.ts');
      return createJsonExporter({ exportedAt: new Date(now).toISOString(), sessionKey });
    }
  }
}

function saySparse(counts: ExportedCounts, { since }: ExportFlags, terminal: Terminal): void {
  sayDamage(counts, terminal);
  if (counts.turns === 0 && since !== undefined)
    warn(terminal, `no turn began at ${localTime(new Date(since).toISOString())} or later: the document has none`);
}

export function sayDamage({ damage }: Pick<ExportedCounts, 'damage'>, terminal: Terminal): void {
  for (const { sessionId, count, lines } of damage) {
    const named = lines.slice(0, 20).join(', ') + (count > 20 ? ', …' : '');
    warn(terminal, `${count} line(s) of the transcript cannot be read: ${named} of ${sessionId}.jsonl`);
  }
}

interface Reported {
  found: readonly FoundSession[];
  format: Format;
  output: string;
  asJson: boolean;
}

function report(counts: ExportedCounts, { found, format, output, asJson }: Reported, terminal: Terminal): void {
  const { turns, messages, damage } = counts;
  if (asJson) {
    const damagedLineCount = damage.reduce((sum, { count }) => sum + count, 0);
    const sessionIds = found.map(({ sessionId }) => sessionId);
    writeJson(terminal, { success: true, output, format, sessionIds, turns, messages, damagedLineCount });
  } else {
    terminal.out.write(`${turns} turn(s) with ${messages} message(s) are in ${printable(output)}\n`);
  }
}
