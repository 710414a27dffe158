// An embedding model that costs nothing, for the archive at sizes no real one would embed in time: a text is the sum of its
// words. Each points in a direction of its own, so texts with words in common are near each other.
import type { EmbeddingModel } from '../src/memory/embeddings/embeddings.ts';
import { seededRandom } from '../test/support/random.ts';

const DIMENSION = 384;

export function createWordModel(): EmbeddingModel {
  const directions = new Map<string, Int8Array>();
  const directionOf = (word: string): Int8Array => {
    const known = directions.get(word);
    if (known) return known;
    const random = seededRandom(Buffer.from(word).reduce((seed, byte) => (Math.imul(seed, 31) + byte) | 0, 7));
    const direction = Int8Array.from({ length: DIMENSION }, () => random() * 255 - 127);
    directions.set(word, direction);
    return direction;
  };
  return {
    name: 'words',
    async embed(texts) {
      return texts.map((text) => {
        const sum = new Float32Array(DIMENSION);
        for (const word of text.match(/[a-z]+/g) ?? []) {
          const direction = directionOf(word);
          for (let at = 0; at < DIMENSION; at += 1) sum[at] = (sum[at] ?? 0) + (direction[at] ?? 0);
        }
        return sum;
      });
    },
    close() {},
  };
}
