// The bits of one model's vectors, kept between searches of a process. When the model's counter of changes moved, the numbers of the chunks are read again, and the
// bits of those that are new: in a cluster something is saved all the time, and all bits are megabytes.
import type { BitBlock } from '../../nearest-by-bits.ts';
import { bytesOfBits } from '../../quantise.ts';
import type { PostgresDatabase } from '../database.ts';
import type { ArchiveTables, VectorModel } from './tables.ts';

export interface KeptVectors {
  blockOf(model: VectorModel): Promise<BitBlock>;
}

interface Kept {
  model: number;
  changes: number;
  block: BitBlock;
}

/** Bits that are read in one statement. */
const READ_AT_ONCE = 20_000;

export function createKeptVectors({ query }: Pick<PostgresDatabase, 'query'>, tables: ArchiveTables): KeptVectors {
  let kept: Kept | undefined;
  let reading: { model: number; changes: number; block: Promise<BitBlock> } | undefined;

  async function read({ key, dimension, changes }: VectorModel): Promise<BitBlock> {
    const before = kept?.model === key ? kept.block : undefined;
    // One statement, so that the counter and the numbers belong together.
    const [row] = await query<{ changes: number; ids: string | null }>(
      `SELECT m.changes, (SELECT string_agg(v.chunk::text, ',' ORDER BY v.chunk) FROM ${tables.vectors} v WHERE v.model = m.key) AS ids
       FROM ${tables.models} m WHERE m.key = $1`,
      [key],
    );
    const ids = (row?.ids ?? '').split(',').filter(Boolean).map(Number);
    const bitsOf = new Map<number, Uint8Array>();
    const stride = bytesOfBits(dimension);
    for (const [index, chunk] of (before?.chunks ?? []).entries())
      bitsOf.set(chunk, (before as BitBlock).bits.subarray(index * stride, (index + 1) * stride));
    const missing = ids.filter((id) => !bitsOf.has(id));
    for (let from = 0; from < missing.length; from += READ_AT_ONCE) {
      const rows = await query<{ chunk: number; bits: Buffer }>(
        `SELECT chunk, bits FROM ${tables.vectors} WHERE model = $1 AND chunk = ANY ($2::bigint[])`,
        [key, missing.slice(from, from + READ_AT_ONCE)],
      );
      for (const { chunk, bits } of rows) bitsOf.set(chunk, bits);
    }
    // Something may have been removed since: the counter says so to the next search.
    const there = ids.filter((id) => bitsOf.has(id));
    const bits = new Uint8Array(there.length * stride);
    for (const [index, id] of there.entries()) bits.set(bitsOf.get(id) ?? new Uint8Array(stride), index * stride);
    const block = { size: there.length, chunks: Uint32Array.from(there), bits };
    kept = { model: key, changes: row?.changes ?? changes, block };
    return block;
  }

  return {
    blockOf(model) {
      const { key, changes } = model;
      if (kept?.model === key && kept.changes === changes) return Promise.resolve(kept.block);
      // Searches of one moment share it.
      if (reading?.model !== key || reading.changes !== changes) {
        const block = read(model).finally(() => {
          if (reading?.block === block) reading = undefined;
        });
        reading = { model: key, changes, block };
      }
      return reading.block;
    },
  };
}
