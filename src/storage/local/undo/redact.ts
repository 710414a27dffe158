// A text in the contents and paths of undo's records.
import type { DatabaseSync } from 'node:sqlite';
import type { RedactedPlace, Redaction, RedactionMode } from '../../redaction.ts';
import { type Packed, unpack } from '../../undo-content.ts';
import { inTransaction } from '../open-database.ts';

type Use = <T>(statements: (db: DatabaseSync) => T) => Promise<T>;

const FORGOTTEN = 'its content was forgotten';

export async function redactUndo(
  use: Use,
  redaction: Redaction,
  mode: RedactionMode,
  dropUnused: (db: DatabaseSync) => void,
): Promise<RedactedPlace[]> {
  const names = await use((db) =>
    db
      .prepare('SELECT sha256 FROM contents')
      .all()
      .map((row) => String(row.sha256)),
  );
  const held = new Set<string>();
  for (const sha256 of names) {
    const row = await use((db) => db.prepare('SELECT encoding, data FROM contents WHERE sha256 = ?').get(sha256));
    if (row && redaction.holds((await unpack(row as unknown as Packed)).toString('utf8'))) held.add(sha256);
  }
  const changes = await use((db) =>
    db.prepare('SELECT number, path, before_sha256 AS before, after_sha256 AS after FROM changes').all(),
  );
  const touched = changes.filter(
    ({ path, before, after }) => held.has(String(before)) || held.has(String(after)) || redaction.holds(String(path)),
  );
  if (touched.length === 0 && held.size === 0) return [];
  if (mode === 'remove')
    await use((db) =>
      inTransaction(db, () => {
        const forget = db.prepare(
          `UPDATE changes SET kind = 'not-covered', path = ?, before_sha256 = NULL, before_mode = NULL, after_sha256 = NULL, after_mode = NULL
           WHERE number = ?`,
        );
        for (const { number } of touched) forget.run(FORGOTTEN, Number(number));
        dropUnused(db);
      }),
    );
  return [{ place: 'undo record', name: '', count: touched.length }];
}
