// The owner's small texts as encrypted rows. A change is written only over the version that it was made from, in the same statement; otherwise it is made
// again from the newer one. What belongs to one machine (settings, caches, what is known about its files) stays there.
import { newerVersionIn } from '../../lib/newer-version.ts';
import type { Fence } from '../locks.ts';
import { FILES_OF_MACHINE } from '../machine-file-names.ts';
import { newerVersion, type OwnerFiles, StorageError } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';
import type { Fencing } from './fencing.ts';
import type { Sealing } from './sealed-text.ts';

const VERSION = 1;
const MOST_ATTEMPTS = 1_000;

interface Kept {
  text: string;
  /** Names the version. */
  written: string;
}

export interface PostgresOwnerFilesOptions {
  database: PostgresDatabase;
  fencing: Fencing;
  sealing: Sealing;
  /** Of this machine. */
  machine: OwnerFiles;
}

export function createPostgresOwnerFiles({
  database,
  fencing,
  sealing,
  machine,
}: PostgresOwnerFilesOptions): OwnerFiles {
  const { query } = database;
  const location = (name: string): string =>
    FILES_OF_MACHINE.has(name) ? machine.location(name) : `postgres://${database.address}/owner_files/${name}`;
  const queues = new Map<string, Promise<void>>();

  async function find(name: string): Promise<Kept | undefined> {
    const [row] = await query<{ content: Buffer; written: string }>(
      'SELECT content, written FROM lainclaw.owner_files WHERE name = $1',
      [name],
    );
    return row && { text: await sealing.open(name, row.content), written: row.written };
  }

  async function findReadable(name: string): Promise<Kept | undefined> {
    const kept = await find(name);
    const newer = kept && name.endsWith('.json') ? newerVersionIn(kept.text, VERSION) : undefined;
    if (newer !== undefined) throw newerVersion(location(name), newer, VERSION);
    return kept;
  }

  /** Changes of this process to one name do not race each other. */
  function inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const turn = (queues.get(name) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => {});
    queues.set(name, settled);
    void settled.then(() => {
      if (queues.get(name) === settled) queues.delete(name);
    });
    return turn;
  }

  async function change(
    name: string,
    make: (current: string | undefined) => string | undefined | null,
    fence: Fence | undefined,
    read: (name: string) => Promise<Kept | undefined> = findReadable,
  ): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const before = await read(name);
      const after = make(before?.text);
      if (after === undefined || (after === null && before === undefined)) return checkFence(fence);
      const isWritten = after === null ? await remove(name, before, fence) : await write(name, before, after, fence);
      if (isWritten) return;
    }
    throw new StorageError('STORAGE_BUSY', `${location(name)} is changed all the time by other programs: ask again`);
  }

  async function checkFence(fence: Fence | undefined): Promise<void> {
    if (fence !== undefined) await database.transaction((inside) => fencing.require(inside, fence));
  }

  async function write(
    name: string,
    before: Kept | undefined,
    text: string,
    fence: Fence | undefined,
  ): Promise<boolean> {
    const written = crypto.randomUUID();
    const statement =
      before === undefined
        ? `INSERT INTO lainclaw.owner_files (name, content, written) SELECT $3, $4, $5::uuid FROM held
           WHERE $6::uuid IS NULL ON CONFLICT DO NOTHING RETURNING 1`
        : `UPDATE lainclaw.owner_files SET content = $4, written = $5::uuid FROM held
           WHERE name = $3 AND written = $6::uuid RETURNING 1`;
    const values = [name, await sealing.seal(name, text), written, before?.written ?? null];
    const count = await fencing.write({ statement, values, fence });
    if (count > 0) return true;
    // The same statement may have been sent before, and have run.
    const [now] = await query<{ written: string }>('SELECT written FROM lainclaw.owner_files WHERE name = $1', [name]);
    return now?.written === written;
  }

  async function remove(name: string, before: Kept | undefined, fence: Fence | undefined): Promise<boolean> {
    const count = await fencing.write({
      statement: 'DELETE FROM lainclaw.owner_files USING held WHERE name = $3 AND written = $4 RETURNING 1',
      values: [name, before?.written ?? null],
      fence,
    });
    return count > 0 || (await find(name)) === undefined;
  }

  return {
    location,
    read: async (name) => (FILES_OF_MACHINE.has(name) ? machine.read(name) : (await findReadable(name))?.text),
    async update(name, make, fence) {
      if (!FILES_OF_MACHINE.has(name)) return inTurn(name, () => change(name, make, fence));
      await checkFence(fence);
      await machine.update(name, make);
    },
    async append(name, line, fence) {
      if (!FILES_OF_MACHINE.has(name))
        return inTurn(name, () => change(name, (current = '') => `${current}${line}\n`, fence, find));
      await checkFence(fence);
      await machine.append(name, line);
    },
    rename: (name, to) =>
      FILES_OF_MACHINE.has(name)
        ? machine.rename(name, to)
        : inTurn(name, async () => {
            const kept = await find(name);
            if (kept === undefined) throw new StorageError('STORAGE_FAILED', `there is no ${location(name)}`);
            const content = await sealing.seal(to, kept.text);
            await database.transaction(async (inside) => {
              const rows = await inside(
                `INSERT INTO lainclaw.owner_files (name, content, written) VALUES ($1, $2, gen_random_uuid())
                 ON CONFLICT DO NOTHING RETURNING 1`,
                [to, content],
              );
              if (rows.length === 0) throw new StorageError('STORAGE_FAILED', `there is a ${location(to)} already`);
              await inside('DELETE FROM lainclaw.owner_files WHERE name = $1', [name]);
            });
          }),
    async list() {
      const rows = await query<{ name: string }>(`SELECT name FROM lainclaw.owner_files WHERE strpos(name, '/') = 0`);
      const names = rows.map(({ name }) => name);
      const local = (await machine.list()).filter((name) => FILES_OF_MACHINE.has(name));
      return [...new Set([...names, ...local])];
    },
  };
}
