// The lines of the log after a number, to be brought somewhere else. A place in a file is remembered: lines are only appended, or overwritten by as many bytes.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditTail, TailLine } from '../../audit.ts';
import { parseLine } from '../../audit-line.ts';
import { firstLineOf, listSegments } from './audit-files.ts';

const BLOCK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

interface Place {
  segment: string;
  offset: number;
  /** The last line before it. */
  n: number;
}

export function createAuditTail(folder: string): AuditTail {
  let place: Place | undefined;

  return async (after, limit) => {
    const segments = await listSegments(folder);
    if (place?.n !== after || !segments.includes(place.segment)) {
      const holding = segments.findLast((segment) => firstLineOf(segment) <= after + 1) ?? segments[0];
      if (holding === undefined) return [];
      place = { segment: holding, offset: 0, n: firstLineOf(holding) - 1 };
    }
    const found: TailLine[] = [];
    for (const segment of segments.slice(segments.indexOf(place.segment))) {
      let offset: number = segment === place.segment ? place.offset : 0;
      while (found.length < limit) {
        const { lines, bytes } = await readLines(join(folder, segment), offset);
        if (bytes === 0) break;
        for (const { json, end } of lines) {
          const line = parseLine(json);
          if (line && line.n > after) found.push({ n: line.n, at: line.at, hash: line.hash, json });
          place = { segment, offset: offset + end, n: line?.n ?? place.n };
          if (found.length === limit) return found;
        }
        offset += bytes;
      }
    }
    return found;
  };
}

/** Whole lines from an offset on: where each ends, and how many bytes they have. */
async function readLines(
  path: string,
  from: number,
): Promise<{ lines: { json: string; end: number }[]; bytes: number }> {
  const file = await open(path, 'r');
  try {
    for (let size = BLOCK_BYTES; ; size *= 2) {
      const buffer = Buffer.alloc(size);
      const { bytesRead } = await file.read(buffer, 0, size, from);
      const last = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
      if (last < 0 && bytesRead === size) continue;
      const lines: { json: string; end: number }[] = [];
      for (
        let start = 0, end = buffer.indexOf(NEWLINE);
        end >= 0 && end <= last;
        end = buffer.indexOf(NEWLINE, start)
      ) {
        lines.push({ json: buffer.toString('utf8', start, end), end: end + 1 });
        start = end + 1;
      }
      return { lines, bytes: last + 1 };
    }
  } finally {
    await file.close();
  }
}
