// The audit log: who did what, and why it was allowed.
import type { AuditFilter, AuditLine } from '../storage/audit.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { readReasons } from '../vocabulary/reasons.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, REASON_PARTS, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const KINDS = [
  'tool-call',
  'tool-result',
  'approval',
  'message',
  'operation',
  'repair',
  'retention',
  'redaction',
] as const;
const OUTCOMES = ['allowed', 'denied', 'ok', 'failed'] as const;
const FILTER = {
  kind: { enum: KINDS, description: 'only lines of this kind' },
  what: { ...TEXT, description: 'the tool, operation or chat, or how its name begins' },
  who: { ...TEXT, description: 'only what this person, chat or program did' },
  session: { ...TEXT, description: 'only lines of the session with this key' },
  outcome: { enum: OUTCOMES, description: 'only lines with this outcome' },
  since: { ...TEXT, description: 'from then on, ISO 8601' },
  until: { ...TEXT, description: 'before then, ISO 8601' },
} as const;
const LINE = objectWith(
  { n: COUNT, at: TIME, kind: { enum: KINDS }, who: TEXT, what: TEXT, hash: TEXT, prev: TEXT },
  {
    about: TEXT,
    outcome: { enum: OUTCOMES },
    why: TEXT,
    reasons: { ...REASON_PARTS, description: `\`why\` by its codes and values, ${REASON_PARTS.description}` },
    session: TEXT,
    turn: TEXT,
    call: TEXT,
    machine: { ...TEXT, description: 'whose log it is of, where several machines share a store' },
  },
);
const ANCHOR = objectWith({ n: COUNT, hash: TEXT });

export const showAudit = defineOperation({
  name: 'audit.show',
  class: 'read',
  summary: 'Show the newest lines of the audit log: tool calls, approvals, messages, changes of settings and rights.',
  input: {
    type: 'object',
    properties: { ...FILTER, limit: { type: 'integer', minimum: 1, maximum: 100_000, default: 50 } },
    additionalProperties: false,
  },
  output: objectWith({ lines: listOf(LINE) }),
  async run({ limit, ...given }, { runtime }) {
    const lines = await (await runtime.audit()).newest(limit, filterOf(given));
    return { lines: lines.map(withReasons) as never };
  },
});

export const verifyAudit = defineOperation({
  name: 'audit.verify',
  class: 'read',
  summary: 'Check that no line of the audit log was changed, removed or moved, and say where one was.',
  input: {
    type: 'object',
    properties: {
      anchor: { ...TEXT, description: 'a line that was noted before, as verify prints it: <number>:<hash>' },
    },
    additionalProperties: false,
  },
  output: objectWith(
    {
      isSound: YES_OR_NO,
      lines: COUNT,
      bytes: COUNT,
      problemCount: COUNT,
      problems: listOf(
        objectWith(
          {
            problem: { enum: ['changed', 'replaced', 'missing', 'moved', 'foreign', 'no-head', 'wrong-anchor'] },
            n: { ...COUNT, description: 'the number of the line' },
            file: { ...TEXT, description: 'or the machine whose log it is of' },
            line: { ...COUNT, description: 'where in the file' },
            message: TEXT,
          },
          { through: COUNT },
        ),
      ),
      notes: listOf(TEXT),
    },
    {
      anchor: {
        ...ANCHOR,
        description: 'the last line: noted elsewhere, it proves later that nothing before it changed',
      },
    },
  ),
  async run({ anchor: noted }, { runtime, signal }) {
    const anchor = noted === undefined ? undefined : parseAnchor(noted);
    const { anchor: last, ...report } = await (await runtime.audit()).verify({ anchor, signal });
    return { ...report, problems: report.problems.map((problem) => ({ ...problem })), ...(last && { anchor: last }) };
  },
});

export const exportAudit = defineOperation({
  name: 'audit.export',
  class: 'read',
  summary: 'Hand out the audit log as JSON lines, as they are stored, or as CSV.',
  input: {
    type: 'object',
    properties: { ...FILTER, format: { enum: ['jsonl', 'csv'], default: 'jsonl' } },
    additionalProperties: false,
  },
  output: objectWith(
    { lines: COUNT },
    { text: { ...TEXT, description: 'absent where the caller reads it piece by piece' } },
  ),
  async run({ format, ...given }, { runtime, signal, onPiece }) {
    const pieces: string[] = [];
    const write = onPiece ?? ((piece: string) => void pieces.push(piece));
    if (format === 'csv') await write(`${COLUMNS.join(',')}\n`);
    let lines = 0;
    for await (const { json, line } of (await runtime.audit()).read(filterOf(given))) {
      signal.throwIfAborted();
      lines += 1;
      await write(format === 'csv' ? `${COLUMNS.map((name) => cell(line[name])).join(',')}\n` : `${json}\n`);
    }
    return { lines, ...(!onPiece && { text: pieces.join('') }) };
  },
});

function withReasons(line: AuditLine) {
  const reasons = line.why === undefined ? undefined : readReasons(line.why);
  return { ...line, ...(reasons && { reasons }) };
}

const COLUMNS = [
  'n',
  'at',
  'kind',
  'who',
  'what',
  'about',
  'outcome',
  'why',
  'session',
  'turn',
  'call',
  'hash',
  'machine',
] as const;

/** A cell that begins like a formula is not one. */
function cell(value: string | number | undefined): string {
  if (value === undefined || typeof value === 'number') return String(value ?? '');
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function filterOf({
  kind,
  since,
  until,
  ...rest
}: Omit<AuditFilter, 'kinds'> & { kind?: (typeof KINDS)[number] }): AuditFilter {
  return {
    ...rest,
    ...(kind && { kinds: [kind] }),
    ...(since !== undefined && { since: timeOf('since', since) }),
    ...(until !== undefined && { until: timeOf('until', until) }),
  };
}

function timeOf(name: string, written: string): string {
  const time = Date.parse(written);
  if (Number.isNaN(time))
    throw new CodedError('INVALID_INPUT', `${name} is "${written}": write it as 2026-12-01 or 2026-12-01T09:30`);
  return new Date(time).toISOString();
}

function parseAnchor(noted: string): { n: number; hash: string } {
  const [, n, hash] = /^(\d{1,15}):([\da-f]{64})$/i.exec(noted.trim()) ?? [];
  if (n !== undefined && hash !== undefined) return { n: Number(n), hash: hash.toLowerCase() };
  throw new CodedError(
    'INVALID_INPUT',
    `the anchor is "${noted}": give it as "lainclaw audit verify" printed it, <number>:<hash>`,
  );
}
