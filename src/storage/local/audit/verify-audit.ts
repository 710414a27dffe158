// Reads the whole log and has each line checked.
//
// It takes no lock. Lines may be appended meanwhile: the head is read first, so that the files have at least what it names.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { AuditAnchor, AuditReport } from '../../audit.ts';
import { createAuditCheck } from '../../audit-check.ts';
import { storageError } from '../../private-files.ts';
import { AUDIT_HEAD, auditPlaces, bootId, firstLineOf, listSegments, readHead } from './audit-files.ts';

const BLOCK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface VerifyOptions {
  anchor?: AuditAnchor;
  signal?: AbortSignal;
}

export async function verifyAudit(home: string, { anchor, signal }: VerifyOptions = {}): Promise<AuditReport> {
  const { folder, head: headPath } = auditPlaces(home);
  const head = readHead(headPath);
  const segments = await listSegments(folder);
  const check = createAuditCheck([head, anchor], { headName: AUDIT_HEAD });
  for (const segment of segments) {
    check.beginFile(segment, firstLineOf(segment));
    try {
      await readLines(join(folder, segment), check.line, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw storageError(join(folder, segment), error);
    }
  }
  const restarted = head !== undefined && head.boot !== '' && head.boot !== bootId();
  const end = head && { ...head, file: head.segment, mayLackLines: restarted };
  check.end({ head: end, hasLines: segments.length > 0, anchor });
  return check.report();
}

/** `take` gets each line without its newline, and the last one also where it has none. */
async function readLines(
  path: string,
  take: (bytes: Buffer, from: number, to: number, isTorn: boolean) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of createReadStream(path, { highWaterMark: BLOCK_BYTES, signal })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, block as Buffer]) : (block as Buffer);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      take(bytes, start, end, false);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) take(rest, 0, rest.length, true);
}
