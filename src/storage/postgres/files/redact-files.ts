// Finds or removes the files of conversations that hold a text: those in the database, in the bucket and on this machine.
import { type Blobs, UPLOADS } from '../../blobs.ts';
import type { RedactedPlace, Redaction, RedactionMode } from '../../redaction.ts';
import { StorageError } from '../../storage.ts';
import type { PostgresDatabase } from '../database.ts';

const PAGE = 200;
/** Nobody stores a file for so long: its process was killed, and the bucket may have the object. */
const ABANDONED = "NOT is_whole AND stored_at < now() - interval '10 minutes'";

interface Place {
  database: PostgresDatabase;
  blobs: Pick<Blobs, 'get' | 'remove'>;
}

export async function redactFiles(
  { database, blobs }: Place,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const found: RedactedPlace[] = [];
  for (let after = { scope: '', name: '' }; ; ) {
    const rows = await database.query<{ scope: string; name: string; isAbandoned: boolean }>(
      `SELECT scope, name, ${ABANDONED} AS "isAbandoned" FROM lainclaw.files WHERE (scope, name) > ($1, $2) AND scope <> $3 ORDER BY scope, name LIMIT $4`,
      [after.scope, after.name, UPLOADS, PAGE],
    );
    for (const { scope, name, isAbandoned } of rows) {
      if (isAbandoned) {
        // Whether it holds the text cannot be read, and nobody can read the file.
        if (mode === 'remove') await blobs.remove(scope, name);
        continue;
      }
      const content = await contentOrNothing(blobs.get(scope, name));
      if (!redaction.holds(content?.toString('utf8') ?? '')) continue;
      found.push({ place: 'kept output', name: `${scope}/${name}`, count: 1 });
      if (mode === 'remove') await blobs.remove(scope, name);
    }
    const last = rows.at(-1);
    if (!last) return found;
    after = last;
  }
}

/** What only another machine has is looked for there. */
async function contentOrNothing(reading: Promise<Buffer | undefined>): Promise<Buffer | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof StorageError && error.code === 'STORAGE_ELSEWHERE') return undefined;
    throw error;
  });
}
