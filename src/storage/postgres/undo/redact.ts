// A text in the contents and paths of undo's records.
import type { RedactedPlace, Redaction, RedactionMode } from '../../redaction.ts';
import { type Packed, unpack } from '../../undo-content.ts';
import type { PostgresDatabase } from '../database.ts';
import { dropUnused } from './remove.ts';

const FORGOTTEN = 'its content was forgotten';

export async function redactUndo(
  { query, transaction }: PostgresDatabase,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const held = new Set<string>();
  for (const { sha256 } of await query<{ sha256: string }>('SELECT sha256 FROM lainclaw.undo_contents')) {
    const [row] = await query<Packed>('SELECT encoding, data FROM lainclaw.undo_contents WHERE sha256 = $1', [sha256]);
    if (row && redaction.holds((await unpack(row)).toString('utf8'))) held.add(sha256);
  }
  const changes = await query<{ number: number; path: string; before: string | null; after: string | null }>(
    'SELECT number, path, before_sha256 AS before, after_sha256 AS after FROM lainclaw.undo_changes',
  );
  const touched = changes.filter(
    ({ path, before, after }) => held.has(before ?? '') || held.has(after ?? '') || redaction.holds(path),
  );
  if (touched.length === 0 && held.size === 0) return [];
  if (mode === 'remove')
    await transaction(async (inside) => {
      await inside(
        `UPDATE lainclaw.undo_changes
         SET kind = 'not-covered', path = $2, before_sha256 = NULL, before_mode = NULL, after_sha256 = NULL, after_mode = NULL
         WHERE number = ANY($1::bigint[])`,
        [touched.map(({ number }) => number), FORGOTTEN],
      );
      await dropUnused(inside, [...held, ...touched.flatMap(({ before, after }) => [before, after])]);
    });
  return [{ place: 'undo record', name: '', count: touched.length }];
}
