// Adds lines to one transcript, in the order of the calls. Lines that come while others are being sent go together in the next statement.
import type { Fence } from '../locks.ts';
import { lockLost, StorageError, type TranscriptLine } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';
import type { Fencing } from './fencing.ts';

interface NumberedLine {
  number: number;
  json: string;
}

export interface TranscriptWriter {
  append(lines: readonly TranscriptLine[], options?: { thenSync?: boolean }): Promise<void>;
  sync(): Promise<void>;
  /** The number of lines, with those that are being sent. */
  lines(): number;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
}

interface WriterOptions {
  database: PostgresDatabase;
  fencing: Fencing;
  sessionId: string;
  fence: Fence | undefined;
  /** How many there are. */
  lines: number;
}

export function openTranscriptWriter({ database, fencing, sessionId, fence, lines }: WriterOptions): TranscriptWriter {
  let count = lines;
  let synced = lines;
  let unsynced: NumberedLine[] = [];
  let waiting: NumberedLine[] = [];
  let sending: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let isNextSynced = false;
  // Lines that were perhaps written: their numbers cannot be used again before the transcript is read again.
  let failure: unknown;

  function append(added: readonly TranscriptLine[], { thenSync = false } = {}): Promise<void> {
    if (failure !== undefined) return Promise.reject(failure);
    for (const line of added) {
      count += 1;
      waiting.push({ number: count, json: JSON.stringify(line) });
    }
    isNextSynced ||= thenSync;
    next ??= sending.then(() => {
      next = undefined;
      const [batch, isSynced] = [waiting, isNextSynced];
      [waiting, isNextSynced] = [[], false];
      const sent = failure === undefined ? send(batch, isSynced) : Promise.reject(failure);
      sending = sent.catch(() => {});
      return sent;
    });
    return next;
  }

  async function send(batch: readonly NumberedLine[], isSynced: boolean): Promise<void> {
    try {
      if (isSynced) return await insertAndSync(batch);
      await insert(batch, true);
      unsynced.push(...batch);
    } catch (error) {
      if (isCertain(error) && waiting.length === 0) count = (batch[0]?.number ?? count + 1) - 1;
      else failure = error;
      throw error;
    }
  }

  async function insert(batch: readonly NumberedLine[], soon: boolean): Promise<void> {
    if (batch.length === 0) return;
    const values = [sessionId, batch.map(({ number }) => number), batch.map(({ json }) => json)];
    const written = await fencing.write({
      statement: `INSERT INTO lainclaw.transcript_lines (session_id, number, json)
        SELECT $3, line.number, line.json FROM held, unnest($4::bigint[], $5::text[]) AS line (number, json)
        ON CONFLICT DO NOTHING RETURNING 1`,
      values,
      fence,
      soon,
    });
    if (written === batch.length) return;
    // Either this was sent before and ran, or somebody else writes here.
    const [found] = await database.query<{ same: number }>(
      `SELECT count(*) AS same FROM lainclaw.transcript_lines AS kept
       JOIN unnest($2::bigint[], $3::text[]) AS line (number, json) USING (number, json) WHERE kept.session_id = $1`,
      values,
    );
    if (found?.same !== batch.length) throw lockLost(`transcript ${sessionId}`);
  }

  /** Inserts nothing where earlier lines are missing: then all of them are sent again. */
  async function insertAndSync(batch: readonly NumberedLine[]): Promise<void> {
    const pending = unsynced;
    const through = pending.at(-1)?.number ?? synced;
    const written = await fencing.write({
      statement: `INSERT INTO lainclaw.transcript_lines (session_id, number, json)
        SELECT $3, line.number, line.json FROM held, unnest($4::bigint[], $5::text[]) AS line (number, json)
        WHERE (SELECT count(*) FROM lainclaw.transcript_lines WHERE session_id = $3 AND number > $6 AND number <= $7) = $8
        ON CONFLICT DO NOTHING RETURNING 1`,
      values: [
        ...[sessionId, batch.map(({ number }) => number), batch.map(({ json }) => json)],
        ...[through - pending.length, through, pending.length],
      ],
      fence,
    });
    if (written !== batch.length) await insert([...pending, ...batch], false);
    unsynced = [];
    synced = Math.max(through, batch.at(-1)?.number ?? 0);
  }

  return {
    append,
    lines: () => count,
    settled: async () => {
      await next?.catch(() => {});
      await sending;
    },
    async sync() {
      await next;
      await sending;
      if (failure !== undefined) throw failure;
      const pending = unsynced;
      const through = pending.at(-1)?.number ?? synced;
      const confirmed = await fencing.write({
        statement: `UPDATE lainclaw.transcripts SET synced = greatest(synced, $4) FROM held
          WHERE session_id = $3
          AND (SELECT count(*) FROM lainclaw.transcript_lines WHERE session_id = $3 AND number > $5 AND number <= $4) = $6
          RETURNING 1`,
        values: [sessionId, through, through - pending.length, pending.length],
        fence,
      });
      if (confirmed === 0) await insert(pending, false);
      unsynced = unsynced.filter(({ number }) => number > through);
      synced = Math.max(synced, through);
    },
  };
}

/** True when nothing was written: the database itself refused. */
function isCertain(error: unknown): boolean {
  return error instanceof StorageError && error.code !== 'STORAGE_UNREACHABLE';
}
