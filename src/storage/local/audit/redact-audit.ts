// A text in the audit log, overwritten in place. Every letter of it becomes a star, so that a line keeps its length, its number and the hash that the next line
// names: the chain holds. What the line is now is named by a line of the kind `redaction`, which is part of the chain and is written
// first: a line that is not as it was written is sound when it is as a later line says.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEvent } from '../../audit.ts';
import type { Redaction } from '../../redaction.ts';
import { listSegments } from './audit-files.ts';
import { type Hash, parseLine, redactedLine } from './audit-line.ts';

export interface RedactedAuditLine {
  segment: string;
  /** Of the file. */
  offset: number;
  n: number;
  bytes: Buffer;
  /** The beginning of the hash of what the line is now. */
  mark: string;
}

const NAMED_AT_ONCE = 40;
/** What somebody said or gave, in a line; the others say who did what, where and when. */
const WORDS = ['about', 'why'] as const;

/** What the lines that hold the text become. */
export function linesToRedact(folder: string, redaction: Redaction, hash: Hash): Promise<RedactedAuditLine[]> {
  return changedLines(folder, (json) =>
    holdsWords(json, redaction) ? redactedLine(json, redaction, hash, WORDS) : undefined,
  );
}

/** What the lines of a conversation become: who did what stays, with what it was about and why goes. */
export function linesOfSession(folder: string, sessionKey: string, hash: Hash): Promise<RedactedAuditLine[]> {
  const whole = { replaced: (text: string, by = (found: string) => found) => by(text) };
  return changedLines(folder, (json) =>
    concerns(json, sessionKey) ? redactedLine(json, whole, hash, WORDS) : undefined,
  );
}

async function changedLines(
  folder: string,
  change: (json: string) => ReturnType<typeof redactedLine>,
): Promise<RedactedAuditLine[]> {
  const found: RedactedAuditLine[] = [];
  for (const segment of await listSegments(folder)) {
    let offset = 0;
    for (const json of (await readFile(join(folder, segment), 'utf8')).split('\n')) {
      const length = Buffer.byteLength(json);
      const line = change(json);
      if (line && line.bytes.length === length) found.push({ segment, offset, ...line });
      offset += length + 1;
    }
  }
  return found;
}

function holdsWords(json: string, redaction: Redaction): boolean {
  const line = json === '' ? undefined : parseLine(json);
  return line !== undefined && WORDS.some((name) => redaction.holds(line[name] ?? ''));
}

/** A line of the session, or of an operation whose input names it. */
function concerns(json: string, sessionKey: string): boolean {
  const line = parseLine(json);
  if (!line) return false;
  if (line.kind !== 'operation') return line.session === sessionKey;
  // The input may be cut.
  return line.about?.includes(`:${JSON.stringify(sessionKey)}`) === true;
}

/** The lines that name them. `what`: the operation. */
export function redactionEvents(lines: readonly RedactedAuditLine[], what: string): AuditEvent[] {
  const events: AuditEvent[] = [];
  for (let from = 0; from < lines.length; from += NAMED_AT_ONCE) {
    const some = lines.slice(from, from + NAMED_AT_ONCE);
    const about = some.map(({ n, mark }) => `${n}:${mark}`).join(' ');
    events.push({ kind: 'redaction', who: 'lainclaw', what, about });
  }
  return events;
}

/** The caller holds the lock of the log. */
export function overwriteLines(folder: string, lines: readonly RedactedAuditLine[]): void {
  for (const [segment, own] of Map.groupBy(lines, (line) => line.segment)) {
    const file = openSync(join(folder, segment), 'r+');
    try {
      for (const { bytes, offset } of own) writeSync(file, bytes, 0, bytes.length, offset);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}
