// A storage in PostgreSQL for the conformance suites.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/lib/new-id.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { createPostgresStorage, type FileSettings } from '../../src/storage/postgres/postgres-storage.ts';
import type { LocksSubject } from '../conformance/locks.ts';
import type { StorageSubject } from '../conformance/storage.ts';
import { testDatabase } from './postgres.ts';
import { superuser } from './postgres-cluster.ts';

/** The doors share the database and the key; each has a home of its own, as gateways on two machines have, unless they are `onOneMachine`. */
export async function postgresSubject({
  onOneMachine = false,
  files,
}: {
  onOneMachine?: boolean;
  files?: FileSettings;
} = {}): Promise<StorageSubject & LocksSubject & { url: string }> {
  const { url, name: database, port, drop } = await testDatabase();
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-pg-storage-'));
  const key = 'ab'.repeat(32);
  let doors = 0;
  const open = () => {
    doors += 1;
    const local = createLocalStorage({ home: join(base, onOneMachine ? 'home' : `home-${doors}`), now: Date.now });
    return createPostgresStorage({ url, local, key, files, now: Date.now, newId });
  };
  const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  return {
    url,
    open,
    openElsewhere: `await (async () => {
      const { createLocalStorage } = await import(${source('../../src/storage/local/local-storage.ts')});
      const { createPostgresStorage } = await import(${source('../../src/storage/postgres/postgres-storage.ts')});
      const { newId } = await import(${source('../../src/lib/new-id.ts')});
      const local = createLocalStorage({ home: ${JSON.stringify(join(base, 'elsewhere'))} + process.pid, now: Date.now });
      return createPostgresStorage({ url: ${JSON.stringify(url)}, local, key: '${key}', now: Date.now, newId });
    })()`,
    breakLock: (name) =>
      superuser(
        port,
        async (client) => {
          await client.query(`UPDATE lainclaw.leases SET expires_at = '-infinity' WHERE name = $1`, [name]);
        },
        database,
      ),
    async readOutput(path) {
      if (!path.startsWith('postgres://')) return readFileSync(path, 'utf8');
      return superuser(
        port,
        async (client) => {
          const session = path.slice(path.lastIndexOf('/') + 1);
          const { rows } = await client.query('SELECT content FROM lainclaw.session_notes WHERE session_key = $1', [
            session,
          ]);
          return (rows[0] as { content: Buffer }).content.toString();
        },
        database,
      );
    },
    async remove() {
      await drop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
