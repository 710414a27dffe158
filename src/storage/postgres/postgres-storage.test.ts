import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeLocks, type LocksSubject } from '../../../test/conformance/locks.ts';
import { describeStorage, type StorageSubject } from '../../../test/conformance/storage.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { superuser } from '../../../test/support/postgres-cluster.ts';
import { newId } from '../../lib/new-id.ts';
import { createLocalStorage } from '../local/local-storage.ts';
import { createPostgresStorage } from './postgres-storage.ts';

/** The doors share the database and the key; each has a home of its own, as gateways on two machines have. */
async function createSubject(): Promise<StorageSubject & LocksSubject> {
  const { url, name: database, port, drop } = await testDatabase();
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-pg-storage-'));
  const key = 'ab'.repeat(32);
  let doors = 0;
  const open = () => {
    doors += 1;
    const local = createLocalStorage({ home: join(base, `home-${doors}`), now: Date.now });
    return createPostgresStorage({ url, local, key, now: Date.now, newId });
  };
  const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  return {
    open,
    openElsewhere: `await (async () => {
      const { createLocalStorage } = await import(${source('../local/local-storage.ts')});
      const { createPostgresStorage } = await import(${source('./postgres-storage.ts')});
      const { newId } = await import(${source('../../lib/new-id.ts')});
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

describeStorage('PostgreSQL', createSubject);
describeLocks('PostgreSQL', createSubject);
