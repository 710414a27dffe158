// Vectors beside the chunks, by model. A vector is kept twice: as one bit a dimension in a block with a thousand others,
// which are compared all at once to find the nearest few hundred, and as one byte a dimension, which puts those in order.
// A model has one dimension, so vectors of different dimensions never meet.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { IndexProgress, Pending, VectorHit } from '../../archive.ts';
import { pendingOf } from '../../archive-rows.ts';
import { nearestByBits } from '../../nearest-by-bits.ts';
import { bytesOfBits, cosine, quantise, RESCORED } from '../../quantise.ts';
import { StorageError } from '../../storage.ts';
import { inTransaction } from '../open-database.ts';
import { countChange, type KeptBits } from './kept-bits.ts';
import { read, readState } from './tables.ts';
import { visibleChunks } from './visible.ts';

const BLOCK = 1024;
/** Chunks looked at in one go for one without a vector. */
const LOOKED_AT = 5_000;

interface Model {
  key: number;
  dimension: number;
}

interface Block {
  block: number;
  size: number;
  ids: Uint8Array;
  bits: Uint8Array;
}

function findModel(db: DatabaseSync, name: string): Model | undefined {
  return db.prepare('SELECT key, dimension FROM archive_models WHERE name = ?').get(name) as Model | undefined;
}

export function pendingChunks(
  db: DatabaseSync,
  name: string,
  { after, limit }: { after: number; limit: number },
): Pending {
  const model = findModel(db, name)?.key ?? -1;
  const last = after + LOOKED_AT;
  const rows = db
    .prepare(
      `SELECT c.id, c.context, c.text FROM archive_chunks c
       WHERE c.id > ? AND c.id <= ? AND NOT EXISTS (SELECT 1 FROM archive_vectors v WHERE v.model = ? AND v.chunk = c.id)
       ORDER BY c.id LIMIT ?`,
    )
    .all(after, last, model, limit);
  const chunks = rows.map(pendingOf);
  const upTo = rows.length === limit ? chunks.at(-1)?.id : last;
  const isMore = db.prepare('SELECT 1 FROM archive_chunks WHERE id > ?').get(upTo ?? last) !== undefined;
  return { chunks, upTo: isMore ? upTo : undefined };
}

export function putVectors(
  db: DatabaseSync,
  name: string,
  vectors: readonly { id: number; vector: Float32Array }[],
): void {
  const dimension = vectors[0]?.vector.length;
  if (dimension === undefined) return;
  inTransaction(db, () => {
    db.prepare('INSERT INTO archive_models (name, dimension) VALUES (?, ?) ON CONFLICT (name) DO NOTHING').run(
      name,
      dimension,
    );
    const model = findModel(db, name);
    if (!model || vectors.some(({ vector }) => vector.length !== model.dimension)) {
      throw new StorageError(
        'STORAGE_FAILED',
        `the embedding model "${name}" gave vectors of another length than before (${model?.dimension}): it is another model; "lainclaw memory embed --all" starts again with it`,
      );
    }
    const isThere = db.prepare('SELECT 1 FROM archive_chunks WHERE id = ?');
    const isKnown = db.prepare('SELECT 1 FROM archive_vectors WHERE model = ? AND chunk = ?');
    const wanted = vectors.filter(({ id }) => isThere.get(id) && !isKnown.get(model.key, id));
    for (let from = 0; from < wanted.length; ) from += fillBlock(db, model, wanted.slice(from));
    db.prepare(
      'INSERT INTO archive_vector_counts VALUES (?, ?) ON CONFLICT (model) DO UPDATE SET count = count + excluded.count',
    ).run(model.key, wanted.length);
  });
}

/** Puts as many as fit into the last block, or opens one; returns how many. */
function fillBlock(db: DatabaseSync, model: Model, vectors: readonly { id: number; vector: Float32Array }[]): number {
  const last = db
    .prepare('SELECT * FROM archive_vector_blocks WHERE model = ? ORDER BY block DESC LIMIT 1')
    .get(model.key) as Block | undefined;
  const stride = bytesOfBits(model.dimension);
  const isFull = !last || last.size >= BLOCK;
  const block: Block = isFull
    ? { block: (last?.block ?? -1) + 1, size: 0, ids: new Uint8Array(BLOCK * 4), bits: new Uint8Array(BLOCK * stride) }
    : last;
  const ids = new Uint32Array(block.ids.slice().buffer);
  const bits = block.bits.slice();
  const insert = db.prepare('INSERT INTO archive_vectors (model, chunk, block, place, vector) VALUES (?, ?, ?, ?, ?)');
  const fitting = vectors.slice(0, BLOCK - block.size);
  for (const [offset, { id, vector }] of fitting.entries()) {
    const place = block.size + offset;
    const quantised = quantise(vector, stride);
    ids[place] = id;
    bits.set(quantised.bits, place * stride);
    insert.run(model.key, id, block.block, place, quantised.bytes);
  }
  db.prepare('INSERT OR REPLACE INTO archive_vector_blocks (model, block, size, ids, bits) VALUES (?, ?, ?, ?, ?)').run(
    model.key,
    block.block,
    block.size + fitting.length,
    new Uint8Array(ids.buffer),
    bits,
  );
  return fitting.length;
}

export function removeVectors(db: DatabaseSync, chunk: number): void {
  const rows = db
    .prepare(
      'SELECT model, block, place FROM archive_vectors WHERE chunk = ? AND model IN (SELECT key FROM archive_models)',
    )
    .all(chunk);
  for (const { model, block, place } of rows) {
    const found = db
      .prepare('SELECT * FROM archive_vector_blocks WHERE model = ? AND block = ?')
      .get(model ?? null, block ?? null) as Block | undefined;
    if (!found) continue;
    const ids = new Uint32Array(found.ids.slice().buffer);
    const bits = found.bits.slice();
    const stride = bits.length / BLOCK;
    ids[Number(place)] = 0;
    bits.fill(0, Number(place) * stride, (Number(place) + 1) * stride);
    db.prepare('UPDATE archive_vector_blocks SET ids = ?, bits = ? WHERE model = ? AND block = ?').run(
      new Uint8Array(ids.buffer),
      bits,
      model ?? null,
      block ?? null,
    );
    db.prepare('DELETE FROM archive_vectors WHERE model = ? AND chunk = ?').run(model ?? null, chunk);
    db.prepare('UPDATE archive_vector_counts SET count = count - 1 WHERE model = ?').run(model ?? null);
    countChange(db, Number(model));
  }
}

export function nearestChunks(
  db: DatabaseSync,
  kept: KeptBits,
  { reader, name, vector, limit }: { reader: MemoryReader; name: string; vector: Float32Array; limit: number },
): VectorHit[] {
  return read(db, () => {
    const model = findModel(db, name);
    if (!model || model.dimension !== vector.length) return [];
    const { bits } = quantise(vector, bytesOfBits(model.dimension));
    const near = nearestByBits(kept.blocksOf(db, model.key), bits, limit * RESCORED, visibleChunks(db, reader));
    return rescored(db, model, vector, near).slice(0, limit);
  });
}

export function similarChunks(
  db: DatabaseSync,
  { reader, name, vector, ids }: { reader: MemoryReader; name: string; vector: Float32Array; ids: readonly number[] },
): VectorHit[] {
  const model = findModel(db, name);
  if (!model || model.dimension !== vector.length) return [];
  const visible = visibleChunks(db, reader);
  return rescored(db, model, vector, visible ? ids.filter((id) => visible.has(id)) : ids);
}

function rescored(db: DatabaseSync, model: Model, vector: Float32Array, ids: readonly number[]): VectorHit[] {
  const read = db.prepare('SELECT vector FROM archive_vectors WHERE model = ? AND chunk = ?');
  const hits = ids.flatMap((id) => {
    const row = read.get(model.key, id);
    return row ? [{ id, similarity: cosine(vector, row.vector as Uint8Array) }] : [];
  });
  return hits.sort((a, b) => b.similarity - a.similarity || a.id - b.id);
}

export function embeddedCount(db: DatabaseSync, reader: MemoryReader, name: string): IndexProgress {
  const model = findModel(db, name)?.key ?? -1;
  const visible = visibleChunks(db, reader);
  if (visible) {
    const isEmbedded = db.prepare('SELECT 1 FROM archive_vectors WHERE model = ? AND chunk = ?');
    return { done: [...visible.keys()].filter((id) => isEmbedded.get(model, id)).length, total: visible.size };
  }
  const done = db.prepare('SELECT count FROM archive_vector_counts WHERE model = ?').get(model)?.count ?? 0;
  return { done: Number(done), total: readState(db).chunks };
}

export function wantModel(db: DatabaseSync, name: string): void {
  if (wantedModel(db) === name) return;
  inTransaction(db, () => db.prepare('INSERT OR REPLACE INTO archive_wanted_model VALUES (1, ?)').run(name));
}

export function wantedModel(db: DatabaseSync): string | undefined {
  return db.prepare('SELECT name FROM archive_wanted_model').get()?.name as string | undefined;
}

/**
 * Drops one block of another model's vectors, and the model when it has none left: a block and its vectors go together,
 * so a model that is chosen again before it is gone is still whole in what it has. Returns whether there is more to drop.
 */
export function dropOtherVectors(db: DatabaseSync, name: string | undefined): boolean {
  const kept = name ?? '';
  if (!db.prepare('SELECT 1 FROM archive_models WHERE name <> ?').get(kept)) return false;
  return inTransaction(db, () => {
    const other = db.prepare('SELECT key FROM archive_models WHERE name <> ? LIMIT 1').get(kept)?.key;
    if (other === undefined) return false;
    const block = db
      .prepare('SELECT block, size, ids FROM archive_vector_blocks WHERE model = ? ORDER BY block DESC LIMIT 1')
      .get(other) as Omit<Block, 'bits'> | undefined;
    if (!block) {
      for (const table of ['archive_vectors', 'archive_vector_counts'])
        db.prepare(`DELETE FROM ${table} WHERE model = ?`).run(other);
      db.prepare('DELETE FROM archive_models WHERE key = ?').run(other);
      return true;
    }
    const drop = db.prepare('DELETE FROM archive_vectors WHERE model = ? AND chunk = ?');
    let dropped = 0;
    for (const chunk of new Uint32Array(block.ids.slice().buffer).subarray(0, block.size))
      if (chunk > 0) dropped += Number(drop.run(other, chunk).changes);
    db.prepare('DELETE FROM archive_vector_blocks WHERE model = ? AND block = ?').run(other, block.block);
    db.prepare('UPDATE archive_vector_counts SET count = count - ? WHERE model = ?').run(dropped, other);
    countChange(db, Number(other));
    return true;
  });
}
