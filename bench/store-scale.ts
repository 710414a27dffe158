// Whether a turn's reads and writes cost more in a large database: a session is looked up, the end of its conversation is read and lines are added and synced, in
// a database with few sessions and in one with a million of them, in turns.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../src/lib/new-id.ts';
import { createLocalStorage } from '../src/storage/local/local-storage.ts';
import { createPostgresStorage } from '../src/storage/postgres/postgres-storage.ts';
import type { Storage } from '../src/storage/storage.ts';
import { APP, databaseUrl, OWNER, startCluster, superuser, TEMPLATE } from '../test/support/postgres-cluster.ts';
import { seededRandom } from '../test/support/random.ts';
import type { Bench, Figure } from './bench.ts';
import { withTemporaryHome } from './commands.ts';

const MESSAGES_A_SESSION = 10;
const LIMIT = 1.3;
/** Of lines that are read before each turn. */
const WINDOW = 10;
const KEY = 'ab'.repeat(32);
/** Sessions that one statement adds. */
const AT_ONCE = 50_000;

export const storeScale: Bench = {
  name: 'store-scale',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const { few, many, turns } =
        scale === 'full' ? { few: 100, many: 1_000_000, turns: 1_500 } : { few: 10, many: 200, turns: 10 };
      const server = await startCluster({ withTemplate: true });
      const open: Storage[] = [];
      try {
        const stores: { storage: Storage; sessions: number; times: number[] }[] = [];
        for (const [name, sessions] of [
          ['small', few],
          ['large', many],
        ] as const) {
          await superuser(server.port, (client) =>
            client.query(`CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${TEMPLATE}`),
          );
          await fill(server.port, name, sessions);
          const own = join(home, name);
          mkdirSync(own);
          const url = databaseUrl(server.port, APP, name);
          const local = createLocalStorage({ home: own, now: Date.now });
          const storage = createPostgresStorage({ url, local, key: KEY, now: Date.now, newId });
          open.push(storage);
          stores.push({ storage, sessions, times: [] });
        }
        const random = seededRandom(17);
        // The first turns make connections and prepare statements.
        for (let turn = -20; turn < turns; turn += 1)
          for (const { storage, sessions, times } of stores) {
            const started = performance.now();
            await takeTurn(storage, Math.floor(random() * sessions));
            if (turn >= 0) times.push(performance.now() - started);
          }
        const [small = [], large = []] = stores.map(({ times }) => times.sort((a, b) => a - b));
        return [figure('p95', 0.95, small, large, many), figure('p50', 0.5, small, large, many)];
      } finally {
        for (const storage of open) await storage.close();
        await server.stop();
      }
    }),
};

async function takeTurn({ locks, catalogue, transcripts }: Storage, session: number): Promise<void> {
  const key = `bench:${session}`;
  const lock = await locks.acquire(`session:${key}`);
  const entry = await catalogue.get(key);
  if (!entry) throw new Error(`${key} is missing`);
  const transcript = await transcripts.open(entry.sessionId, lock);
  let read = 0;
  for await (const _line of transcript.newestFirst()) if (++read === WINDOW) break;
  if (read < WINDOW) throw new Error(`${key} has ${read} lines`);
  await transcript.append([messageLine(1), messageLine(2)], { thenSync: true });
  await transcript.close();
  await lock.release();
}

function messageLine(number: number) {
  return { type: 'message', message: { id: `m${number}`, role: 'user', content: 'x'.repeat(200) } };
}

async function fill(port: number, name: string, sessions: number): Promise<void> {
  await superuser(
    port,
    async (client) => {
      // A million commits are not what is measured.
      await client.query('SET synchronous_commit = off');
      for (let from = 0; from < sessions; from += AT_ONCE) {
        const range = [from, Math.min(sessions, from + AT_ONCE) - 1];
        await client.query(
          `INSERT INTO lainclaw.sessions (session_key, session_id, updated_at, entry)
           SELECT 'bench:' || n, 'session-' || n, '2026-01-01T00:00:00.000Z',
             json_build_object('sessionKey', 'bench:' || n, 'sessionId', 'session-' || n)
           FROM generate_series($1::int, $2::int) AS n`,
          range,
        );
        await client.query(
          `INSERT INTO lainclaw.transcripts (session_id, synced)
           SELECT 'session-' || n, ${MESSAGES_A_SESSION} FROM generate_series($1::int, $2::int) AS n`,
          range,
        );
        await client.query(
          `INSERT INTO lainclaw.transcript_lines (session_id, number, json)
           SELECT 'session-' || n, line, '{"type":"message","message":{"content":"' || repeat('x', 200) || '"}}'
           FROM generate_series($1::int, $2::int) AS n, generate_series(1, ${MESSAGES_A_SESSION}) AS line`,
          range,
        );
      }
      await client.query('VACUUM ANALYZE lainclaw.sessions, lainclaw.transcripts, lainclaw.transcript_lines');
    },
    name,
  );
}

function figure(unit: string, part: number, small: number[], large: number[], many: number): Figure {
  const at = (sorted: number[]): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  const name = `resolve, window and append in ${many} sessions`;
  const detail = `${at(large).toFixed(1)} ms against ${at(small).toFixed(1)} ms in a small database`;
  return { name, value: at(large) / at(small), unit: `× at ${unit}`, limit: LIMIT, detail };
}
