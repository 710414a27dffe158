// A text in the audit log, overwritten in place. Every letter of it becomes a star, so that a line keeps its length, its number and the hash that the next line
// names: the chain holds. What the line is now is named by a line of the kind `redaction`, which is part of the chain and is written
// first: a line that is not as it was written is sound when it is as a later line says.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hash } from '../../audit-line.ts';
import { type RedactedLine, withoutSession, withoutText } from '../../audit-redaction.ts';
import type { Redaction } from '../../redaction.ts';
import { listSegments } from './audit-files.ts';

export interface RedactedAuditLine extends RedactedLine {
  segment: string;
  /** Of the file. */
  offset: number;
}

/** What the lines that hold the text become. */
export function linesToRedact(folder: string, redaction: Redaction, hash: Hash): Promise<RedactedAuditLine[]> {
  return changedLines(folder, (json) => withoutText(json, redaction, hash));
}

/** What the lines of a conversation become. */
export function linesOfSession(folder: string, sessionKey: string, hash: Hash): Promise<RedactedAuditLine[]> {
  return changedLines(folder, (json) => withoutSession(json, sessionKey, hash));
}

async function changedLines(
  folder: string,
  change: (json: string) => RedactedLine | undefined,
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
