// Finds where UTF-8 can be cut without splitting a character. Invalid UTF-8 may be cut anywhere.

/** How many of the bytes make whole characters; at most the last three begin one that is not finished. */
export function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const at = bytes.length - back;
    const byte = bytes[at] ?? 0;
    if (isContinuation(byte)) continue;
    return lengthOf(byte) > back ? at : bytes.length;
  }
  return bytes.length;
}

/** How many bytes at the start belong to a character that began before them. */
export function skippedLength(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && at < bytes.length && isContinuation(bytes[at] ?? 0)) at += 1;
  return at;
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0) return lead <= 0xef ? 3 : 1;
  return lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}
