// A home with records of every kind that a copy takes, with values by chance.
import { join } from 'node:path';
import fc from 'fast-check';
import type { CopiedRecord, FieldValue } from '../../src/storage/copy/record-set.ts';
import { type ColumnType, RECORD_TABLES, type RecordTable } from '../../src/storage/copy/record-tables.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { createLocalRecordSets } from '../../src/storage/local/record-sets.ts';
import { createSpending } from '../../src/storage/local/spending.ts';
import type { SharedArchive } from '../../src/storage/shared-archive.ts';
import { OWNER, readerWithin } from '../../src/vocabulary/memory-scope.ts';

/** Columns that may be empty, in every table that has them. */
const NULLABLE = new Set(
  'reason last_slot next_slot next_due slot owner started_at finished_at answer asker inject_into ended_at result error last_error message_id undoes before_sha256 before_mode after_sha256 after_mode'.split(
    ' ',
  ),
);
const NEVER_EMPTY = new Set(['fact_waiting.ended_at']);
/** Rows of more than one page. */
const ROWS = 230;
const MOST_LARGE = 20;

const text = fc.string({
  unit: fc.constantFrom('a', 'Ж', '猫', '🐈', '"', '\\', '\n', "'", ' ', '{', ','),
  maxLength: 12,
});
const VALUES: Record<ColumnType, fc.Arbitrary<FieldValue>> = {
  text,
  integer: fc.integer({ min: 0, max: 2_000_000_000 }),
  real: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ maxLength: 2_000 }),
};

export async function fillHome(home: string, seed: number): Promise<void> {
  const { sets, close } = createLocalRecordSets(home);
  for (const [index, table] of RECORD_TABLES.entries()) {
    const records = rowsOf(table, seed + index);
    await sets.find(({ kind }) => kind === table.kind)?.add(records);
  }
  await close();
  await fillStores(home, seed);
}

function rowsOf(table: RecordTable, seed: number): CopiedRecord[] {
  const keys = new Set(table.unique.flat());
  const row = fc.record(
    Object.fromEntries(
      Object.entries(table.columns).map(([name, type]) => {
        const value = VALUES[type];
        const isNullable = NULLABLE.has(name) && !NEVER_EMPTY.has(`${table.table}.${name}`);
        return [name, isNullable ? fc.option(value, { nil: null }) : value];
      }),
    ),
  );
  const rows = fc.sample(row, { seed, numRuns: table.page < ROWS ? Math.min(ROWS, table.page + MOST_LARGE) : ROWS });
  return rows.map((fields, index) => {
    const named = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        if (name === 'turn' && table.columns.turn === 'integer') return [name, 1 + (index % 5)];
        if (!keys.has(name) || (value === null && index % 2 === 0)) return [name, value];
        // Numbers with gaps, and names that are unique.
        return [name, table.columns[name] === 'integer' ? 1 + index * (index > 100 ? 3 : 1) : `${value}-${index}`];
      }),
    ) as Record<string, FieldValue>;
    return { key: String(index), fields: named };
  });
}

async function fillStores(home: string, seed: number): Promise<void> {
  const storage = createLocalStorage({ home, now: () => seed });
  const texts = fc.sample(text, { seed, numRuns: 15 });
  for (const [index, title] of texts.entries()) {
    const [sessionKey, sessionId] = [`key-${index}`, `session_${index}`];
    const transcript = await storage.transcripts.open(sessionId);
    const lines = Array.from({ length: index === 0 ? 450 : index % 7 }, (_, number) => ({
      type: 'message',
      text: `${title}\0${number}`,
    }));
    await transcript.append([{ type: 'session', version: 1 }, ...lines]);
    await transcript.sync();
    await transcript.close();
    const at = new Date(1_700_000_000_000 + index).toISOString();
    await storage.catalogue.put({
      sessionKey,
      sessionId,
      createdAt: at,
      updatedAt: at,
      title,
      memoryEnabled: index % 2 === 0,
    });
    if (index % 3 === 0) await storage.notes.write(sessionKey, `notes\0 ${title}`);
    if (index > 3) continue;
    await (await storage.blobs()).put(sessionId, 'inbox/2026-12-01/план.txt', Buffer.from(`file\0 ${title}`));
    await storage.outputs.keep(sessionId, 'call', `${title} `.repeat(10_000));
  }
  await storage.ownerFiles.update('auth-profiles.json', () => '{"version":1,"secret":"swordfish"}\n');
  await storage.ownerFiles.update('telegram-pairing.json', () => '{"version":1,"requests":[]}\n');
  await storage.ownerFiles.append('core_memory.history.jsonl', '{"key":"猫"}');
  await storage.trust.add('/srv/project');
  await fillMemory(await storage.archive(), texts);
  await storage.close();
  const spending = createSpending(join(home, 'spending'));
  for (const day of ['2026-01-01', '2026-01-02']) {
    await spending.add(day, { tokens: 10, costUsd: 0.1 });
    await spending.add(day, { tokens: 5, costUsd: 0.2 });
  }
}

/** Notes of several scopes with and without sessions; each third replaces the one before, and all but a few have a vector. */
async function fillMemory(shared: SharedArchive, texts: readonly string[]): Promise<void> {
  const termsOf = (chunk: { text: string }): string[] => chunk.text.match(/[\p{L}\d]+/gu) ?? [];
  const owner = shared.as(OWNER);
  for (let index = 0; index < ROWS; index += 1) {
    const scope = index % 4 === 3 ? `person:t:${index % 3}` : 'owner';
    const said = index % 5 === 0 ? { session: `session_${index % 10}`, speaker: 'user' } : { title: `note ${index}` };
    const note = {
      id: `mem-${index}`,
      source: index % 2 === 0 ? 'manual' : `/notes/${index}.md`,
      date: new Date(1_700_000_000_000 + index).toISOString(),
      hash: `hash-${index}`,
      chunks: [
        { context: '', text: `${texts[index % texts.length]}\0 word${index}` },
        ...(index % 7 === 0 ? [{ context: 'head', text: `more of ${index}` }] : []),
      ],
      ...said,
      ...(index % 4 === 2 && { supersedes: `mem-${index - 1}` }),
    };
    await shared.as(scope === 'owner' ? OWNER : readerWithin(scope as 'owner')).add([note], termsOf);
  }
  const { chunks } = await owner.pending('model', { after: 0, limit: ROWS });
  const vectorOf = (seed: number): Float32Array =>
    Float32Array.from({ length: 40 }, (_, at) => Math.sin(seed * 13 + at));
  await owner.putVectors(
    'model',
    chunks.map(({ id }) => ({ id, vector: vectorOf(id) })),
  );
}
