import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditFilter, AuditLine } from '../../audit.ts';
import { fits } from '../../audit-filter.ts';
import { parseLine } from '../../audit-line.ts';
import { listSegments } from './audit-files.ts';

/** From the newest file on: what a person looks for is usually there. */
export async function newestLines(folder: string, limit: number, filter: AuditFilter = {}): Promise<AuditLine[]> {
  const found: AuditLine[][] = [];
  let left = limit;
  for (const segment of (await listSegments(folder)).toReversed()) {
    if (left <= 0) break;
    const text = await readFile(join(folder, segment), 'utf8');
    const fitting: AuditLine[] = [];
    for (let end = text.length; end > 0 && fitting.length < left; ) {
      const start = text.lastIndexOf('\n', end - 1) + 1;
      const line = start < end ? parseLine(text.slice(start, end)) : undefined;
      if (line && fits(line, filter)) fitting.push(line);
      end = start - 1;
    }
    left -= fitting.length;
    found.unshift(fitting.toReversed());
  }
  return found.flat();
}

export async function* readLines(
  folder: string,
  filter: AuditFilter = {},
): AsyncGenerator<{ json: string; line: AuditLine }> {
  for (const segment of await listSegments(folder)) {
    for await (const json of createInterface({ input: createReadStream(join(folder, segment)) })) {
      const line = parseLine(json);
      if (line && fits(line, filter)) yield { json, line };
    }
  }
}
