import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Prepare = (sql: string) => StatementSync;

/** Statements are prepared once for each connection: preparing costs more than running them. */
export function createStatements(): (db: DatabaseSync) => Prepare {
  const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
  return (db) => (sql) => {
    const own = prepared.get(db) ?? new Map<string, StatementSync>();
    prepared.set(db, own);
    const statement = own.get(sql) ?? db.prepare(sql);
    own.set(sql, statement);
    return statement;
  };
}
