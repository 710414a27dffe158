// Vectors made small: the sign of each number as a bit, and each number as a byte.

export function quantise(vector: Float32Array, bytesOfBits: number): { bits: Uint8Array; bytes: Uint8Array } {
  const bits = new Uint8Array(bytesOfBits);
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

/** For each of `count` rows of bits, in how many places it differs from the wanted ones. */
export function differingBits(rows: Uint8Array, wanted: Uint8Array, count: number): Uint16Array {
  const all = new Uint32Array(rows.slice().buffer);
  const own = new Uint32Array(wanted.slice().buffer);
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

export function cosine(one: Uint8Array, other: Uint8Array): number {
  const a = new Int8Array(one.buffer, one.byteOffset, one.length);
  const b = new Int8Array(other.buffer, other.byteOffset, other.length);
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (let at = 0; at < a.length; at += 1) {
    const x = a[at] ?? 0;
    const y = b[at] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  return lengthA > 0 && lengthB > 0 ? dot / Math.sqrt(lengthA * lengthB) : 0;
}
