// Removing records of undo, each inside the caller's transaction.
import type { Query } from '../database.ts';

/** Removes the turns that the statement selects, with contents that nothing else needs. Returns the number of turns. */
export async function removeTurns(query: Query, select: string, values: readonly unknown[]): Promise<number> {
  const turns = (await query<{ number: number }>(select, values)).map(({ number }) => number);
  if (turns.length === 0) return 0;
  const states = await query<{ before: string | null; after: string | null }>(
    `SELECT before_sha256 AS before, after_sha256 AS after FROM lainclaw.undo_changes WHERE turn = ANY($1::bigint[])`,
    [turns],
  );
  await query('DELETE FROM lainclaw.undo_turns WHERE number = ANY($1::bigint[])', [turns]);
  await dropUnused(
    query,
    states.flatMap(({ before, after }) => [before, after]),
  );
  return turns.length;
}

/** Of these. They are locked first: a record that needs one of them is then either seen here, or waits and stores it again. */
export async function dropUnused(query: Query, contents: readonly (string | null)[]): Promise<void> {
  const names = [...new Set(contents.filter((sha256) => sha256 !== null))];
  if (names.length === 0) return;
  await query('SELECT 1 FROM lainclaw.undo_contents WHERE sha256 = ANY($1::text[]) ORDER BY sha256 FOR UPDATE', [
    names,
  ]);
  await query(
    `DELETE FROM lainclaw.undo_contents AS content WHERE sha256 = ANY($1::text[])
     AND NOT EXISTS (SELECT 1 FROM lainclaw.undo_changes WHERE before_sha256 = content.sha256)
     AND NOT EXISTS (SELECT 1 FROM lainclaw.undo_changes WHERE after_sha256 = content.sha256)`,
    [names],
  );
}
