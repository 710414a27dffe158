import type { DatabaseSync } from 'node:sqlite';

/** For a table that an earlier version made. Two processes may try at the same moment. */
export function addMissingColumn(db: DatabaseSync, table: string, column: string): void {
  const [name = ''] = column.split(' ');
  const isThere = (): boolean =>
    db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, name) !== undefined;
  if (isThere()) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    if (!isThere()) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
