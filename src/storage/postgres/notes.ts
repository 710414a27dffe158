import type { SessionNotes } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';
import type { Fencing } from './fencing.ts';

export function createPostgresNotes({ query, address }: PostgresDatabase, fencing: Fencing): SessionNotes {
  return {
    path: (sessionKey) => `postgres://${address}/session_notes/${sessionKey}`,
    async read(sessionKey) {
      const [row] = await query<{ content: Buffer }>(
        'SELECT content FROM lainclaw.session_notes WHERE session_key = $1',
        [sessionKey],
      );
      return row?.content.toString('utf8');
    },
    async write(sessionKey, text, fence) {
      await fencing.write({
        statement: `INSERT INTO lainclaw.session_notes (session_key, content) SELECT $3, $4 FROM held
          ON CONFLICT (session_key) DO UPDATE SET content = excluded.content RETURNING 1`,
        values: [sessionKey, Buffer.from(text)],
        fence,
      });
    },
    async remove(sessionKey, fence) {
      await fencing.write({
        statement: 'DELETE FROM lainclaw.session_notes USING held WHERE session_key = $3 RETURNING 1',
        values: [sessionKey],
        fence,
      });
    },
  };
}
