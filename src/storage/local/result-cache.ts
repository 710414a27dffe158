import type { ResultCache } from '../storage.ts';
import type { Database } from './database.ts';

const ENTRIES_PER_SCOPE = 200;
const LARGEST_VALUE = 1024 * 1024;

export function createResultCache(database: Database): ResultCache {
  return {
    get: (scope, key) =>
      database.use((db) => {
        const row = db.prepare('SELECT value FROM tool_results WHERE scope = ? AND key = ?').get(scope, key);
        return row?.value as string | undefined;
      }),
    forget: (scope) =>
      database.use((db) => {
        db.prepare('DELETE FROM tool_results WHERE scope = ?').run(scope);
      }),
    async put(scope, key, value) {
      if (value.length > LARGEST_VALUE) return;
      await database.use((db) => {
        db.prepare('INSERT OR REPLACE INTO tool_results (scope, key, value) VALUES (?, ?, ?)').run(scope, key, value);
        db.prepare(
          'DELETE FROM tool_results WHERE scope = ? AND rowid NOT IN (SELECT rowid FROM tool_results WHERE scope = ? ORDER BY rowid DESC LIMIT ?)',
        ).run(scope, scope, ENTRIES_PER_SCOPE);
      });
    },
  };
}
