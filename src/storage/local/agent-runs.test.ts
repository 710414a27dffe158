import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAgentRuns } from '../../../test/conformance/agent-runs.ts';
import { createAgentRuns } from './agent-runs.ts';
import type { Database } from './database.ts';
import { createLainclawDb } from './lainclaw-db/schema.ts';

describeAgentRuns('the local one', () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-runs-'));
  const opened: Database[] = [];
  return {
    open() {
      const database = createLainclawDb(home);
      opened.push(database);
      return createAgentRuns(database);
    },
    remove() {
      for (const database of opened) database.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
});

it('forgets the oldest of very many that have ended, and none that has not or whose result was not delivered', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-runs-'));
  const database = createLainclawDb(home);
  const runs = createAgentRuns(database);
  const draft = { name: 'n', message: 'm', request: '{}', asker: { kind: 'nobody' } } as const;
  await runs.add({ ...draft, id: 'waiting' }, 1);
  await runs.add({ ...draft, id: 'untold', injectInto: 'local:anna' }, 1);
  await runs.end('untold', { state: 'done', result: 'yes', isUndelivered: true }, 1);
  await database.use((db) => {
    db.exec('BEGIN');
    const insert = db.prepare(
      "INSERT INTO agent_runs (id, name, message, request, state, created_at) VALUES (?, 'n', 'm', '{}', 'done', 1)",
    );
    for (let index = 0; index < 1_010; index += 1) insert.run(`old-${index}`);
    db.exec('COMMIT');
  });
  await runs.add({ ...draft, id: 'last' }, 2);
  await runs.end('last', { state: 'done' }, 3);
  const kept = await runs.list({ limit: 5_000 });
  expect(kept).toHaveLength(1_002);
  expect(kept[0]?.id).toBe('last');
  expect(kept.at(-1)?.id).toBe('waiting');
  expect((await runs.undelivered(9)).map(({ id }) => id)).toEqual(['untold']);
  await database.close();
  rmSync(home, { recursive: true, force: true });
});
