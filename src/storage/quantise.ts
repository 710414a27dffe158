// Vectors made small: the sign of each number as a bit, and each number as a byte.

/** How many are rescored for each that is wanted. */
export const RESCORED = 4;

/** How many bytes the bits of a vector take: whole 32-bit words. */
export function bytesOfBits(dimension: number): number {
  return Math.ceil(dimension / 32) * 4;
}

export function quantise(vector: Float32Array, stride: number): { bits: Uint8Array; bytes: Uint8Array } {
  const bits = new Uint8Array(stride);
  const bytes = new Int8Array(vector.length);
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  for (let index = 0; index < vector.length; index += 1) {
    const value = vector[index] ?? 0;
    if (value > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
    bytes[index] = largest > 0 ? Math.round((value / largest) * 127) : 0;
  }
  return { bits, bytes: new Uint8Array(bytes.buffer) };
}

/** The same bytes as 32-bit words, without a copy where they are aligned. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(whole.buffer, whole.byteOffset, whole.length >> 2);
}

/** For each of `count` rows of bits, in how many places it differs from the wanted ones. */
export function differingBits(rows: Uint8Array, wanted: Uint8Array, count: number): Uint16Array {
  const all = wordsOf(rows);
  const own = wordsOf(wanted);
  const distances = new Uint16Array(count);
  for (let row = 0, at = 0; row < count; row += 1) {
    let distance = 0;
    for (let word = 0; word < own.length; word += 1, at += 1) {
      let x = (all[at] ?? 0) ^ (own[word] ?? 0);
      x -= (x >>> 1) & 0x55555555;
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
      distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    distances[row] = distance;
  }
  return distances;
}

/** Of the numbers as they are with those kept as bytes: nothing is lost on the side of the query. */
export function cosine(wanted: Float32Array, kept: Uint8Array): number {
  const bytes = new Int8Array(kept.buffer, kept.byteOffset, kept.length);
  let dot = 0;
  let lengthWanted = 0;
  let lengthKept = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const x = wanted[at] ?? 0;
    const y = bytes[at] ?? 0;
    dot += x * y;
    lengthWanted += x * x;
    lengthKept += y * y;
  }
  return lengthWanted > 0 && lengthKept > 0 ? dot / Math.sqrt(lengthWanted * lengthKept) : 0;
}
