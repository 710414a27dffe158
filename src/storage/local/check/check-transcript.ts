// A transcript, line by line: JSON, its checksum, the first line that says whose it is, and a last turn that the index knows of.
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { fileProblem } from '../../file-problems.ts';
import { TRANSCRIPT_VERSION } from '../../storage.ts';
import { checkSum, correctLine } from '../line-sum.ts';
import type { Found, HomeFile } from './home-file.ts';

const NEWLINE = 0x0a;
const NAMED_LINES = 10;

/** Each line without its newline; `isWhole` is false for a last one that has none. */
export async function* linesOf(path: string): AsyncGenerator<{ bytes: Buffer; isWhole: boolean }> {
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      yield { bytes: Buffer.concat([...parts, rest.subarray(0, end)]), isWhole: true };
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(Buffer.from(rest));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), isWhole: false };
}

/** Undefined for a line that is not an object with a type, or not what was written. */
export function readWhole(bytes: Buffer): Record<string, unknown> | undefined {
  if (checkSum(bytes) === 'wrong') return undefined;
  try {
    const value = JSON.parse(bytes.toString('utf8')) as Record<string, unknown> | null;
    return typeof value?.type === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `lastKnown` is the time of the last turn that the index has of this session. */
export async function checkTranscript(file: HomeFile, lastKnown: string | undefined): Promise<Found[]> {
  const id = basename(file.path, '.jsonl');
  const damaged: number[] = [];
  let number = 0;
  let last = '';
  let correctable = 0;
  if (file.size === 0) return [{ problem: fileProblem('empty'), remedy: 'restore' }];
  for await (const { bytes, isWhole } of linesOf(file.location)) {
    number += 1;
    const line = readWhole(bytes);
    if (!line && !isWhole)
      return [
        ...lineFaults(damaged, correctable),
        { problem: fileProblem('cut-line', { line: number }), remedy: 'lines', state: 'advice' },
      ];
    if (!line) {
      damaged.push(number);
      if (correctLine(bytes)) correctable += 1;
    }
    if (number === 1 && line) {
      if (typeof line.version === 'number' && line.version > TRANSCRIPT_VERSION)
        return [
          {
            problem: fileProblem('newer-version', { version: line.version, understood: TRANSCRIPT_VERSION }),
            remedy: 'upgrade',
          },
        ];
      if (line.type !== 'session' || line.sessionId !== id)
        return [{ problem: fileProblem('no-first-line'), remedy: 'lines' }];
    }
    const { entry } = (line ?? {}) as { entry?: { updatedAt?: unknown } };
    if (typeof entry?.updatedAt === 'string' && entry.updatedAt > last) last = entry.updatedAt;
  }
  const found = lineFaults(damaged, correctable);
  if (found.length === 0 && last !== '' && lastKnown !== undefined && lastKnown > last)
    // A power cut while a turn runs leaves this: the transcript is sound, and the next turn corrects the index.
    found.push({
      problem: fileProblem('before-last-turn', { at: lastKnown }),
      remedy: 'lines',
      state: 'advice',
    });
  return found;
}

function lineFaults(damaged: readonly number[], correctable: number): Found[] {
  if (damaged.length === 0) return [];
  const lines = damaged.slice(0, NAMED_LINES).join(', ') + (damaged.length > NAMED_LINES ? ', …' : '');
  const code = correctable === damaged.length ? 'correctable-lines' : 'changed-lines';
  return [{ problem: fileProblem(code, { count: damaged.length, lines }), remedy: 'lines' }];
}
