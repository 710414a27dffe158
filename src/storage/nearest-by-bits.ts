// The nearest vectors by their signs alone: a first choice, which is then put in order by the whole vectors.
import { differingBits } from './quantise.ts';

export interface BitBlock {
  size: number;
  /** Of each vector's chunk; 0 where it was removed. */
  chunks: Uint32Array;
  bits: Uint8Array;
}

/**
 * One look at every block. `counts` says how many were seen at each distance, and so beyond which distance nothing can be
 * among the nearest any more: of a million, all but a few thousand are passed over at once. With `visible`, only those count.
 */
export function nearestByBits(
  blocks: readonly BitBlock[],
  wanted: Uint8Array,
  limit: number,
  visible: Pick<ReadonlyMap<number, unknown>, 'has'> | undefined,
): number[] {
  const counts = new Uint32Array(wanted.length * 8 + 1);
  const kept: { chunk: number; distance: number }[] = [];
  let farthest = counts.length;
  for (const { size, chunks, bits } of blocks) {
    const distances = differingBits(bits, wanted, size);
    for (let place = 0; place < size; place += 1) {
      const distance = distances[place] ?? 0;
      const chunk = chunks[place] ?? 0;
      if (distance > farthest || chunk === 0 || (visible && !visible.has(chunk))) continue;
      counts[distance] = (counts[distance] ?? 0) + 1;
      kept.push({ chunk, distance });
    }
    farthest = distanceOfLast(counts, limit);
  }
  return kept
    .filter(({ distance }) => distance <= farthest)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, limit)
    .map(({ chunk }) => chunk);
}

function distanceOfLast(counts: Uint32Array, limit: number): number {
  let seen = 0;
  for (let distance = 0; distance < counts.length; distance += 1) {
    seen += counts[distance] ?? 0;
    if (seen >= limit) return distance;
  }
  return counts.length;
}
