// Files of conversations that every gateway can read. A small one is a row; a larger one is an object in a bucket, named by a row; without a bucket it stays on the
// machine that stored it, and the row says which. A row comes before its object and goes after it, so that no object is left that nobody knows of.
import { monotonicMs } from '../../../lib/monotonic.ts';
import { checkBlobName } from '../../blob-names.ts';
import { type Blobs, type StoredBlob, UPLOADS } from '../../blobs.ts';
import type { Bucket } from '../../s3/bucket.ts';
import { StorageError } from '../../storage.ts';
import type { PostgresDatabase } from '../database.ts';
import { createRecentFiles } from './recent-files.ts';
import { redactFiles } from './redact-files.ts';

export interface SharedBlobs extends Blobs {
  /** The file stays on this machine, whose local blobs have it already: it is too large to be read into memory. */
  keepHere(scope: string, name: string, bytes: number): Promise<void>;
}

export interface PostgresBlobsOptions {
  database: PostgresDatabase;
  /** Of this machine. */
  local: Blobs;
  machine(): Promise<string>;
  /** A larger file is not kept in the database. */
  databaseBytes: number;
  /** Undefined: no bucket is configured. */
  bucket: Bucket | undefined;
  /** Called when a file could not be stored where others read it. */
  warn(text: string): void;
}

export interface FileRow {
  name: string;
  place: 'database' | 'bucket' | 'machine';
  machine: string;
  bytes: number;
  sha256: string;
  isWhole: boolean;
  content?: Buffer | null;
}

const COLUMNS = 'name, place, machine, bytes, sha256, is_whole AS "isWhole"';
const WAITING_AT_ONCE = 20;
const FROM_THE_FIRST = { scope: '', name: '' };
const REST_MS = 30_000;

export function createPostgresBlobs(options: PostgresBlobsOptions): SharedBlobs {
  const { database, local, machine, databaseBytes, bucket, warn } = options;
  const { query } = database;
  const recent = createRecentFiles();
  /** Files that are on this machine alone may be waiting for the bucket: from an earlier process, or since a failure. */
  let mayWait = bucket !== undefined;
  /** Where to continue: rows of files that are gone here stay, and must not be in the way of the others. */
  let broughtTo = FROM_THE_FIRST;
  /** A bucket that could not be reached is not asked for a while: each file would wait for it as long as the first. */
  let restsUntil = Number.NEGATIVE_INFINITY;

  async function rowOf(scope: string, name: string): Promise<FileRow | undefined> {
    const [row] = await query<FileRow>(`SELECT ${COLUMNS} FROM lainclaw.files WHERE scope = $1 AND name = $2`, [
      scope,
      name,
    ]);
    return row;
  }

  async function write(scope: string, row: FileRow): Promise<void> {
    const { name, place, bytes, sha256, isWhole, content = null } = row;
    await query(
      `INSERT INTO lainclaw.files AS kept (scope, name, place, machine, bytes, sha256, content, is_whole) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
       ON CONFLICT (scope, name) DO UPDATE SET place = excluded.place, machine = excluded.machine, bytes = excluded.bytes,
         sha256 = excluded.sha256, content = excluded.content, is_whole = excluded.is_whole, stored_at = excluded.stored_at`,
      [scope, name, place, row.machine, bytes, sha256, content, isWhole],
    );
  }

  /** For a file that has a row already. False when the bucket does not take it. */
  async function putInBucket(to: Bucket, scope: string, row: FileRow, content: Uint8Array): Promise<boolean> {
    const key = objectKey(scope, row.name);
    try {
      await to.put(key, content, row.sha256);
    } catch (error) {
      mayWait = true;
      if ((error as StorageError).code === 'STORAGE_UNREACHABLE') restsUntil = monotonicMs() + REST_MS;
      warn(`${row.name} stays on this machine for now: ${(error as Error).message}`);
      return false;
    }
    // Only where it is still there: its session may have been deleted while it was sent.
    await query(
      `UPDATE lainclaw.files SET place = 'bucket', machine = $4, is_whole = true WHERE scope = $1 AND name = $2 AND sha256 = $3`,
      [scope, row.name, row.sha256, row.machine],
    );
    if (!(await rowOf(scope, row.name))) await to.remove(key);
    return true;
  }

  /** Brings files of this machine to the bucket that could not be stored there before: some with each file that is stored. */
  async function bringWaiting(to: Bucket): Promise<void> {
    mayWait = false;
    const rows = await query<FileRow & { scope: string }>(
      `SELECT scope, ${COLUMNS} FROM lainclaw.files WHERE place = 'machine' AND machine = $1 AND sha256 <> '' AND (scope, name) > ($2, $3)
       ORDER BY scope, name LIMIT $4`,
      [await machine(), broughtTo.scope, broughtTo.name, WAITING_AT_ONCE],
    );
    for (const { scope, ...row } of rows) {
      const content = await local.get(scope, row.name);
      // The row stays as it is until the bucket has confirmed the object: a kill leaves the file here.
      if (content && !(await putInBucket(to, scope, row, content))) return;
      // Outputs stay for the people of this machine.
      if (content && (scope === UPLOADS || row.name.includes('/'))) await local.remove(scope, row.name);
      broughtTo = { scope, name: row.name };
    }
    mayWait = rows.length === WAITING_AT_ONCE;
    if (rows.length < WAITING_AT_ONCE) broughtTo = FROM_THE_FIRST;
  }

  async function put(scope: string, name: string, content: Uint8Array): Promise<void> {
    checkBlobName(scope, name);
    const { hash } = await import('node:crypto');
    const sha256 = hash('sha256', content);
    const before = await rowOf(scope, name);
    if (before?.isWhole && before.sha256 === sha256 && before.place !== 'machine') return;
    const row: FileRow = {
      name,
      place: 'database',
      machine: await machine(),
      bytes: content.length,
      sha256,
      isWhole: true,
    };
    if (content.length <= databaseBytes) {
      if (before?.place === 'bucket') await requireBucket(name).remove(objectKey(scope, name));
      return write(scope, { ...row, content: Buffer.from(content) });
    }
    if (bucket && monotonicMs() >= restsUntil) {
      await write(scope, { ...row, place: 'bucket', isWhole: false });
      if (await putInBucket(bucket, scope, row, content)) {
        if (mayWait) await bringWaiting(bucket);
        return;
      }
    }
    mayWait = bucket !== undefined;
    // An output is there already.
    if (!(await local.get(scope, name))?.equals(content)) await local.put(scope, name, content);
    await write(scope, { ...row, place: 'machine' });
  }

  function requireBucket(name: string): Bucket {
    if (bucket) return bucket;
    throw new StorageError(
      'STORAGE_ELSEWHERE',
      `${name} is in a bucket, and this machine has no settings for it: set s3Bucket and its keys as on the other machines (docs/store.md)`,
    );
  }

  async function contentOf(scope: string, row: FileRow): Promise<Buffer | undefined> {
    if (row.place === 'bucket') return requireBucket(row.name).get(objectKey(scope, row.name), row.sha256);
    if (row.machine === (await machine())) return local.get(scope, row.name);
    throw new StorageError('STORAGE_ELSEWHERE', elsewhere(row));
  }

  function elsewhere({ name, machine: other, bytes }: FileRow): string {
    const size = `${Math.ceil(bytes / 1024 ** 2)} MB`;
    const remedy = bucket
      ? 'it goes to the bucket when that machine can reach it'
      : 'set s3Bucket on every gateway, so that larger files are kept where all of them read them (docs/store.md)';
    return `${name} (${size}) is on another machine, ${other}: the database keeps files of up to ${databaseBytes / 1024 ** 2} MB; ${remedy}`;
  }

  return {
    isShared: true,
    put,
    async keepHere(scope, name, bytes) {
      checkBlobName(scope, name);
      await write(scope, { name, place: 'machine', machine: await machine(), bytes, sha256: '', isWhole: true });
    },
    async get(scope, name) {
      checkBlobName(scope, name);
      const known = recent.get(scope, name);
      // What this process has read lately is not sent again; whether it is still there is asked every time.
      const [row] = await query<FileRow>(
        `SELECT ${COLUMNS}, CASE WHEN sha256 = $3 THEN NULL ELSE content END AS content
         FROM lainclaw.files WHERE scope = $1 AND name = $2 AND is_whole`,
        [scope, name, known?.sha256 ?? ''],
      );
      if (!row) return undefined;
      if (known?.sha256 === row.sha256) return known.content;
      const content = row.content ? await unchanged(row, row.content) : await contentOf(scope, row);
      if (content) recent.add(scope, name, { sha256: row.sha256, content });
      return content;
    },
    async list(scope) {
      return query<StoredBlob>(
        `SELECT name, bytes, (extract(epoch FROM stored_at) * 1000)::float8 AS "storedAt", machine = $2 AS "isOwn" FROM lainclaw.files
         WHERE scope = $1 AND is_whole ORDER BY name`,
        [scope, await machine()],
      );
    },
    async remove(scope, name) {
      const rows = await query<FileRow>(
        `SELECT ${COLUMNS} FROM lainclaw.files WHERE scope = $1 AND ($2::text IS NULL OR name = $2)`,
        [scope, name ?? null],
      );
      for (const row of rows) {
        // Also where the bucket did not confirm it: it may have it all the same.
        if (row.place === 'bucket' || (row.place === 'machine' && bucket))
          await requireBucket(row.name).remove(objectKey(scope, row.name));
        if (row.place === 'machine' && row.machine === (await machine())) await local.remove(scope, row.name);
        await query('DELETE FROM lainclaw.files WHERE scope = $1 AND name = $2', [scope, row.name]);
        recent.remove(scope, row.name);
      }
    },
    redact(redaction, mode) {
      return redactFiles({ database, blobs: this }, redaction, mode);
    },
  };
}

async function unchanged({ name, sha256 }: FileRow, content: Buffer): Promise<Buffer> {
  const { hash } = await import('node:crypto');
  if (hash('sha256', content) === sha256) return content;
  throw new StorageError(
    'STORAGE_FAILED',
    `the file ${name} in the database is not as it was stored: restore it from a backup of the database`,
  );
}

/** A name of ASCII signs alone, which people recognise: stores and proxies disagree about the rest. */
function objectKey(scope: string, name: string): string {
  const { hash } = process.getBuiltinModule('node:crypto');
  return `${scope}/${hash('sha256', name).slice(0, 16)}-${name.replace(/[^\w.-]/g, '_').slice(-80)}`;
}
