// PostgreSQL makes one plan for all values of a prepared statement once that looks cheaper. For a person it then reads the words of everybody.
import { expect, it, onTestFinished } from 'vitest';
import { documentOf, termsOf } from '../../../../test/conformance/archive-agreement.ts';
import { testDatabase } from '../../../../test/support/postgres.ts';
import { readerWithin } from '../../../vocabulary/memory-scope.ts';
import { openDatabase } from '../connect.ts';
import { createPostgresArchive } from './postgres-archive.ts';

it('searches of words are planned for their reader, each time', async () => {
  const { url, drop } = await testDatabase();
  const database = openDatabase({ url, connections: 1 });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const locks = { acquire: () => Promise.reject(new Error('nothing is locked here')) };
  const archive = createPostgresArchive({ database, locks }).as(readerWithin('person:t:1'));
  await archive.add([documentOf('d1', 'alpha beta')], termsOf);
  for (let time = 0; time < 4; time += 1) {
    expect((await archive.candidates(['alpha', 'beta'], 10)).ids).toHaveLength(1);
    await archive.candidates([], 10, { among: ['alpha'] });
  }
  const prepared = await database.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements');
  const texts = prepared.map(({ statement }) => statement);
  expect(texts).not.toEqual([]);
  expect(texts.filter((text) => text.includes('archive_postings'))).toEqual([]);
});
