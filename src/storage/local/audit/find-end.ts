// Where the log ends, for the next writer, who holds the lock. Usually the head says it. A writer that was killed left lines behind the head,
// and perhaps a torn one: whole lines that continue the chain are taken over, a torn one is cut off. Whatever else is found stays as
// it is: the next line says what was missing, and its number and `prev` keep the gap visible for ever.
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AuditEvent } from '../../audit.ts';
import { type Hash, NO_LINE, readLineHead } from '../../audit-line.ts';
import { type AuditHead, firstLineOf, listSegments, segmentName } from './audit-files.ts';

const NEWLINE = 0x0a;

export interface LogEnd {
  segment: string;
  bytes: number;
  n: number;
  hash: string;
  /** What the next line has to tell. */
  repairs: AuditEvent[];
}

/** Undefined where the head does not fit the file any more, and has to be looked into. */
export function endAtHead(head: AuditHead | undefined, folder: string): LogEnd | undefined {
  if (!head) return undefined;
  const size = statSync(join(folder, head.segment), { throwIfNoEntry: false })?.size;
  return size === head.bytes ? { ...head, repairs: [] } : undefined;
}

export async function findEnd(head: AuditHead | undefined, folder: string, hash: Hash): Promise<LogEnd> {
  const segments = await listSegments(folder);
  const last = segments.at(-1);
  if (!head && last === undefined) return { segment: segmentName(1), bytes: 0, n: 0, hash: NO_LINE, repairs: [] };
  const repairs: AuditEvent[] = [];
  const tell = (about: string): void => void repairs.push({ kind: 'repair', who: 'lainclaw', what: 'audit', about });
  const known = head ?? { segment: last ?? '', bytes: 0, n: firstLineOf(last ?? '') - 1, hash: '' };
  if (!head) tell('the head of the log was missing: lines at the end may have been removed before this one');
  let { segment, bytes, n, hash: newest } = known;
  if (!segments.includes(segment)) {
    if (n > 0) tell(`the file ${segment} was missing, up to line ${n}`);
    bytes = 0;
    segment = segmentName(n + 1);
  }
  for (const name of segments.filter((each) => each >= known.segment)) {
    const from = name === known.segment ? bytes : 0;
    ({ bytes, n, newest } = readRest(join(folder, name), { from, n, newest, hash, tell }));
    segment = name;
  }
  return { segment, bytes, n, hash: newest === '' ? NO_LINE : newest, repairs };
}

interface Rest {
  from: number;
  n: number;
  /** The hash of line `n`; empty where it is not known. */
  newest: string;
  hash: Hash;
  tell(about: string): void;
}

/** Takes over the lines from `from` on that continue the chain, and leaves the file with a newline at its end. */
function readRest(path: string, { from, n, newest, hash, tell }: Rest): { bytes: number; n: number; newest: string } {
  const file = openSync(path, constants.O_RDWR);
  try {
    const { size } = fstatSync(file);
    const name = basename(path);
    if (size < from) {
      tell(`${from - size} bytes at the end of ${name} were missing, up to line ${n}`);
      return { bytes: endWithNewline(file, size), n, newest };
    }
    const bytes = Buffer.alloc(size - from);
    readSync(file, bytes, 0, bytes.length, from);
    let foreign = 0;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const line = readLineHead(bytes, start, end, hash);
      if (line?.isWhole && (newest === '' || (line.n === n + 1 && line.prev === newest))) ({ n, hash: newest } = line);
      else foreign += 1;
      start = end + 1;
    }
    if (foreign > 0) tell(`${foreign} lines of ${name} did not belong to the log`);
    const torn = bytes.length - start;
    if (torn > 0) {
      ftruncateSync(file, from + start);
      tell(`a torn last line of ${torn} bytes was cut off: its writer was stopped`);
    }
    return { bytes: from + start, n, newest };
  } finally {
    closeSync(file);
  }
}

function endWithNewline(file: number, size: number): number {
  const byte = Buffer.alloc(1);
  if (size === 0 || (readSync(file, byte, 0, 1, size - 1) === 1 && byte[0] === NEWLINE)) return size;
  writeSync(file, '\n', size);
  return size + 1;
}
