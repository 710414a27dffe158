// Pools the token vectors of a model into one vector of length 1 for each text. Padding never counts.

export type Pooling = 'mean' | 'cls' | 'max' | 'last';

export interface TokenVectors {
  /** texts × tokens × dimension, one after the other. */
  data: Float32Array;
  texts: number;
  tokens: number;
  dimension: number;
  /** Number of real tokens of each text; the rest is padding after them. */
  lengths: readonly number[];
}

export function pool({ data, texts, tokens, dimension, lengths }: TokenVectors, pooling: Pooling): Float32Array[] {
  return Array.from({ length: texts }, (_, text) => {
    const length = Math.max(1, Math.min(tokens, lengths[text] ?? tokens));
    const of = (token: number): Float32Array => {
      const start = (text * tokens + token) * dimension;
      return data.subarray(start, start + dimension);
    };
    if (pooling === 'cls') return normalise(of(0).slice());
    if (pooling === 'last') return normalise(of(length - 1).slice());
    const pooled = of(0).slice();
    for (let token = 1; token < length; token += 1) {
      const next = of(token);
      for (let index = 0; index < dimension; index += 1) {
        const [so, value] = [pooled[index] ?? 0, next[index] ?? 0];
        pooled[index] = pooling === 'max' ? Math.max(so, value) : so + value;
      }
    }
    // The sum and the mean point the same way, and only the direction is kept.
    return normalise(pooled);
  });
}

export function normalise(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (length > 0) for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}
