// The bits of one model's vectors, kept between searches: reading them again costs more than comparing them. Blocks are only
// appended to, and every other change is counted, so two numbers tell what is still as it was: blocks that were full stay,
// those behind them are read again, and after a removal all of them, so that nothing forgotten is kept.
import type { DatabaseSync } from 'node:sqlite';
import type { BitBlock } from '../../nearest-by-bits.ts';
import { wordsOf } from '../../quantise.ts';

export interface KeptBits {
  /** The blocks of a model as they are now. Within a read transaction, or they may not belong together. */
  blocksOf(db: DatabaseSync, model: number): readonly BitBlock[];
}

export function createKeptBits(): KeptBits {
  let kept: { model: number; changes: number; blocks: BitBlock[] } = { model: -1, changes: -1, blocks: [] };
  return {
    blocksOf(db, model) {
      const changes = changesOf(db, model);
      if (kept.model !== model || kept.changes !== changes) kept = { model, changes, blocks: [] };
      const { blocks } = kept;
      const last = blocks.at(-1);
      if (last && last.size < last.chunks.length) blocks.pop();
      const rows = db
        .prepare('SELECT size, ids, bits FROM archive_vector_blocks WHERE model = ? AND block >= ? ORDER BY block')
        .iterate(model, blocks.length);
      for (const row of rows) {
        const { size, ids, bits } = row as unknown as { size: number; ids: Uint8Array; bits: Uint8Array };
        blocks.push({ size, chunks: wordsOf(ids), bits });
      }
      return blocks;
    },
  };
}

function changesOf(db: DatabaseSync, model: number): number {
  return Number(db.prepare('SELECT count FROM archive_vector_changes WHERE model = ?').get(model)?.count ?? 0);
}

/** To be called with every change of a model's blocks other than an addition, in the same transaction. */
export function countChange(db: DatabaseSync, model: number): void {
  db.prepare(
    'INSERT INTO archive_vector_changes VALUES (?, 1) ON CONFLICT (model) DO UPDATE SET count = count + 1',
  ).run(model);
}
