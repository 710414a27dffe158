// A damaged transcript, put right as far as it can be. A transcript only grows, and a damaged disk moves no bytes: so where a backup has the file, its
// bytes are the first ones, and what was written since follows. Then each line is looked at: one changed byte is corrected from the line's checksum,
// also where the byte was, or became, the newline between two lines. A line that stays damaged is left out: the file as it was is kept.
import { correctLine } from '../line-sum.ts';
import { readWhole } from './check-transcript.ts';

const NEWLINE = Buffer.from('\n');
/** Between the end of a line and the beginning of the next. */
const BOUNDARY = /"\}[\s\S]\{"/g;

export interface RepairedLines {
  bytes: Buffer;
  corrected: number;
  fromBackup: boolean;
  /** Numbers of lines that could not be repaired. */
  lost: number[];
}

export function repairLines(damaged: Buffer, backup: Buffer | undefined): RepairedLines {
  const fromBackup = backup !== undefined && isOlderPart(backup, damaged);
  const whole = fromBackup ? Buffer.concat([backup, damaged.subarray(backup.length)]) : damaged;
  const lines = split(whole);
  const kept: Buffer[] = [];
  const lost: number[] = [];
  let corrected = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? NEWLINE;
    if (readWhole(line)) {
      kept.push(line);
      continue;
    }
    const next = lines[index + 1];
    const joined = next && !readWhole(next) ? correctLine(Buffer.concat([line, NEWLINE, next])) : undefined;
    const found = correctLine(line) ?? joined;
    const parts = found ? [found] : apart(line);
    if (parts.length === 0) lost.push(index + 1);
    else corrected += 1;
    kept.push(...parts);
    if (!correctLine(line) && joined) index += 1;
  }
  return { bytes: Buffer.concat(kept.flatMap((line) => [line, NEWLINE])), corrected, fromBackup, lost };
}

/** Where every line is sound, nothing of the present file is given up: it is completed, or a part in the same place is replaced. */
function isOlderPart(backup: Buffer, present: Buffer): boolean {
  if (present.subarray(0, backup.length).equals(backup)) return false;
  if (!split(present).every(readWhole)) return true;
  if (present.length < backup.length) return backup.subarray(0, present.length).equals(present);
  return present[backup.length - 1] === NEWLINE[0];
}

function split(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

/** Two lines whose newline was changed. */
function apart(line: Buffer): Buffer[] {
  for (const { index } of line.toString('latin1').matchAll(BOUNDARY)) {
    const halves = [line.subarray(0, index + 2), line.subarray(index + 3)];
    if (halves.every(readWhole)) return halves;
  }
  return [];
}
