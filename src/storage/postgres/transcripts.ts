// Transcripts as rows, a row a line. The writer gives each line its number, so a line that is sent twice is kept once. An append does not wait for the disk, a
// sync does; it also counts the lines since the last one, because a database that crashed in between may have forgotten some, and then writes these again.
import type { Fence } from '../locks.ts';
import { redactTranscriptLine } from '../redact-transcript-line.ts';
import type { ScannedLine, Transcript, TranscriptLine, Transcripts } from '../storage.ts';
import { checkTranscriptVersion, parseTranscriptLine } from '../transcript-line.ts';
import type { PostgresDatabase } from './database.ts';
import type { Fencing } from './fencing.ts';
import { createSessionReads, type FoundTranscript, type SessionReads, TRANSCRIPT_END } from './session-reads.ts';
import { openTranscriptWriter } from './transcript-writer.ts';

const FIRST_PAGE = 40;
const PAGE = 200;

interface Row {
  number: number;
  json: string;
}

export function createPostgresTranscripts(
  database: PostgresDatabase,
  fencing: Fencing,
  reads: SessionReads = createSessionReads(),
): Transcripts {
  const { query, transaction } = database;
  const placeOf = (sessionId: string): string => `transcript ${sessionId} of ${database.address}`;

  async function find(sessionId: string): Promise<FoundTranscript | undefined> {
    const [found] = await query<FoundTranscript>(
      `SELECT generation, ${TRANSCRIPT_END('$1')} FROM lainclaw.transcripts WHERE session_id = $1`,
      [sessionId],
    );
    return found;
  }

  async function findOrCreate(sessionId: string, fence: Fence | undefined): Promise<FoundTranscript> {
    const found = reads.takeTranscript(fence, sessionId) ?? (await find(sessionId));
    if (found) return found;
    await fencing.write({
      statement:
        'INSERT INTO lainclaw.transcripts (session_id) SELECT $3::text FROM held ON CONFLICT DO NOTHING RETURNING 1',
      values: [sessionId],
      fence,
      soon: true,
    });
    return findOrCreate(sessionId, fence);
  }

  async function* newestFirst(sessionId: string, through: number): AsyncIterable<TranscriptLine> {
    for (let [next, size] = [through, FIRST_PAGE]; next > 0; size = PAGE) {
      const rows = await query<Row>(
        `SELECT number, json FROM lainclaw.transcript_lines WHERE session_id = $1 AND number <= $2
         ORDER BY number DESC LIMIT $3`,
        [sessionId, next, size],
      );
      for (const { json } of rows) {
        const line = parseTranscriptLine(json);
        if (line) yield line;
      }
      next = (rows.at(-1)?.number ?? 1) - 1;
    }
  }

  async function* scan(
    sessionId: string,
    isWanted: (json: string) => boolean = () => true,
  ): AsyncIterable<ScannedLine> {
    for await (const { number, json } of rawLines(sessionId)) {
      if (number > 1 && !isWanted(json)) continue;
      const line = parseTranscriptLine(json);
      if (number === 1) checkTranscriptVersion(line, placeOf(sessionId));
      yield line ? { number, line } : { number, damaged: json.slice(0, 200) };
    }
  }

  return {
    scan,
    async open(sessionId, fence): Promise<Transcript> {
      const { generation, lines, first } = await findOrCreate(sessionId, fence);
      if (first !== null) checkTranscriptVersion(parseTranscriptLine(first), placeOf(sessionId));
      const writer = openTranscriptWriter({ database, fencing, sessionId, fence, lines });
      return {
        repairedBytes: 0,
        isEmpty: lines === 0,
        append: writer.append,
        sync: writer.sync,
        revision: () => revisionOf(generation, writer.lines()),
        newestFirst: () => newestFirst(sessionId, writer.lines()),
        close: writer.settled,
      };
    },
    async revision(sessionId) {
      const found = await find(sessionId);
      return found && revisionOf(found.generation, found.lines);
    },
    isContinued(earlier, later) {
      const [[generation, lines], [same, laterLines]] = [earlier.split(' '), later.split(' ')];
      return generation === same && Number(laterLines) >= Number(lines);
    },
    async list() {
      const rows = await query<{ id: string }>('SELECT session_id AS id FROM lainclaw.transcripts');
      return rows.map(({ id }) => id);
    },
    remove: (sessionId, fence) =>
      transaction(async (inside) => {
        await fencing.require(inside, fence);
        await inside('DELETE FROM lainclaw.transcript_lines WHERE session_id = $1', [sessionId]);
        await inside('DELETE FROM lainclaw.transcripts WHERE session_id = $1', [sessionId]);
      }),
    async redact(sessionId, redaction, note, fence) {
      const changed: Row[] = [];
      let last = 0;
      for await (const { number, json } of rawLines(sessionId)) {
        last = number;
        const replaced = redactTranscriptLine(json, redaction);
        if (replaced !== undefined) changed.push({ number, json: replaced.text });
      }
      if (changed.length === 0) return 0;
      const written = [...changed, { number: last + 1, json: JSON.stringify({ ...note, lines: changed.length }) }];
      await transaction(async (inside) => {
        await fencing.require(inside, fence);
        await inside(
          `INSERT INTO lainclaw.transcript_lines (session_id, number, json)
           SELECT $1, number, json FROM unnest($2::bigint[], $3::text[]) AS line (number, json)
           ON CONFLICT (session_id, number) DO UPDATE SET json = excluded.json`,
          [sessionId, written.map(({ number }) => number), written.map(({ json }) => json)],
        );
        await inside('UPDATE lainclaw.transcripts SET generation = gen_random_uuid() WHERE session_id = $1', [
          sessionId,
        ]);
      });
      return changed.length;
    },
  };

  async function* rawLines(sessionId: string): AsyncIterable<Row> {
    for (let after = 0; ; ) {
      const rows = await query<Row>(
        `SELECT number, json FROM lainclaw.transcript_lines WHERE session_id = $1 AND number > $2
         ORDER BY number LIMIT $3`,
        [sessionId, after, PAGE],
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.number;
    }
  }
}

function revisionOf(generation: string, lines: number): string {
  return `${generation} ${lines}`;
}
