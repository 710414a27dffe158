// A database of PGlite with pgvector, for what Debian's PostgreSQL has not. All its connections are one session: no test of locks or of two writers.
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import type { PostgresDatabase, Query } from '../../src/storage/postgres/database.ts';
import { migrate } from '../../src/storage/postgres/migrations.ts';

/** With the tables of this version. */
export async function pgliteDatabase(): Promise<PostgresDatabase> {
  const lite = await PGlite.create({ extensions: { vector } });
  const queryOn =
    (door: Pick<PGlite, 'query' | 'exec'>): Query =>
    async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      // Several statements at once take no values.
      if (values.length === 0 && text.includes(';')) {
        await door.exec(text);
        return [];
      }
      return (await door.query<Row>(text, [...values])).rows;
    };
  const database: PostgresDatabase = {
    query: queryOn(lite),
    async queries(statements) {
      const all: object[][] = [];
      for (const { text, values } of statements) all.push(await queryOn(lite)(text, values));
      return all;
    },
    transaction: (work) => lite.transaction((inside) => work(queryOn(inside as unknown as PGlite))),
    connectApart: () => Promise.reject(new Error('PGlite has one connection')),
    address: 'pglite',
    close: () => lite.close(),
  };
  await migrate(database);
  return database;
}
