// Small text files: JSON documents, files of JSON lines, Markdown.
import { readFile } from 'node:fs/promises';
import { newerVersionIn } from '../../../lib/newer-version.ts';
import { fileProblem } from '../../file-problems.ts';
import { linesOf } from './check-transcript.ts';
import type { Found, HomeFile } from './home-file.ts';

/** Of every JSON file that has one. */
const VERSION = 1;

export async function checkJson({ location, size }: HomeFile): Promise<Found[]> {
  if (size === 0) return [{ problem: fileProblem('empty'), remedy: 'restore' }];
  const bytes = await readFile(location);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return [{ problem: fileProblem('not-utf8'), remedy: 'restore' }];
  let value: { version?: unknown } | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch (error) {
    return [{ problem: fileProblem('not-json', { detail: (error as Error).message }), remedy: 'restore' }];
  }
  const newer = newerVersionIn(text, VERSION);
  if (newer !== undefined)
    return [{ problem: fileProblem('newer-version', { version: newer, understood: VERSION }), remedy: 'upgrade' }];
  if (typeof value !== 'object' || value === null) return [{ problem: fileProblem('not-object'), remedy: 'restore' }];
  const { version = VERSION } = value;
  return version === VERSION
    ? []
    : [{ problem: fileProblem('other-version', { version: JSON.stringify(version) }), remedy: 'restore' }];
}

/** What a running process wrote of itself: its `version` is that of the program. It is written again at the next start. */
export async function checkServiceState(file: HomeFile): Promise<Found[]> {
  try {
    JSON.parse(await readFile(file.location, 'utf8'));
    return [];
  } catch (error) {
    return [{ problem: fileProblem('not-json', { detail: (error as Error).message }), remedy: 'set-aside' }];
  }
}

type Line = Readonly<Record<string, unknown>> | null;

/** A last line without its end is a writer that was stopped. `isOfFile`: false for a line that belongs in another file. */
export async function checkJsonLines({ location }: HomeFile, isOfFile = (_line: Line) => true): Promise<Found[]> {
  let number = 0;
  for await (const { bytes, isWhole } of linesOf(location)) {
    number += 1;
    if (!isWhole || bytes.length === 0) continue;
    let line: Line;
    try {
      line = JSON.parse(bytes.toString('utf8')) as Line;
    } catch {
      return [{ problem: fileProblem('line-not-json', { line: number }), remedy: 'restore' }];
    }
    if (!isOfFile(line)) return [{ problem: fileProblem('line-of-another', { line: number }), remedy: 'restore' }];
  }
  return [];
}

export async function checkText({ location }: HomeFile): Promise<Found[]> {
  const bytes = await readFile(location);
  if (bytes.includes(0)) return [{ problem: fileProblem('not-text'), remedy: 'restore' }];
  return Buffer.from(bytes.toString('utf8')).equals(bytes)
    ? []
    : [{ problem: fileProblem('not-utf8'), remedy: 'restore' }];
}
