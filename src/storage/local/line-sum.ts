// The checksum of a line of a transcript: its last property, `"sum":"1c291ca3"`, the CRC-32 of everything before it. It tells a changed byte from
// what was written, and which byte it was: a CRC is linear, so the difference between the two sums belongs to one place and one change of a byte
// alone, as long as the line is not too long. Lines of earlier versions have none.

const SUFFIX = /,"sum":"([\da-f]{8})"\}$/;
const SUFFIX_BYTES = ',"sum":"00000000"}'.length;
/** Beyond that, more than one change of one byte may give the same sum. */
const MOST_CORRECTED_BYTES = 256 * 1024;

const TABLE = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** `json` is an object with at least one property. */
export function withSum(json: string): string {
  const covered = json.slice(0, -1);
  return `${covered},"sum":"${hex(crc32(Buffer.from(covered)))}"}`;
}

/** The same for several, each with its end of line, in one buffer: a line may be some megabytes long, and is copied once. */
export function linesWithSums(jsons: readonly string[]): Buffer {
  const lengths = jsons.map((json) => Buffer.byteLength(json) + SUFFIX_BYTES);
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  for (const json of jsons) {
    const start = end;
    // Without the last brace, which follows the sum.
    end += bytes.write(json, start) - 1;
    end += bytes.write(`,"sum":"${hex(crc32(bytes.subarray(start, end)))}"}\n`, end);
  }
  return bytes;
}

/** As it was given to `withSum`; a line without a sum stays as it is. */
export function withoutSum(line: string): string {
  const end = line.length - SUFFIX_BYTES;
  return end > 0 && line.startsWith(',"sum":"', end) ? `${line.slice(0, end)}}` : line;
}

export function checkSum(line: Buffer): 'right' | 'wrong' | 'none' {
  const stored = SUFFIX.exec(line.toString('latin1', Math.max(0, line.length - SUFFIX_BYTES)))?.[1];
  if (stored === undefined) return 'none';
  return stored === hex(crc32(line.subarray(0, line.length - SUFFIX_BYTES))) ? 'right' : 'wrong';
}

/** The line as it was written, where one byte before its sum has changed and only one change fits. */
export function correctLine(line: Buffer): Buffer | undefined {
  const length = line.length - SUFFIX_BYTES;
  if (checkSum(line) !== 'wrong' || length > MOST_CORRECTED_BYTES) return undefined;
  const covered = line.subarray(0, length);
  let difference = crc32(covered) ^ Number.parseInt(line.toString('latin1', line.length - 10, line.length - 2), 16);
  const fitting: { at: number; change: number }[] = [];
  // What the change of the last byte adds to the sum is one value of the table; one step to the left is one step of the register back.
  for (let at = length - 1; at >= 0 && fitting.length < 2; at -= 1) {
    const change = TABLE.indexOf(difference >>> 0);
    if (change > 0) fitting.push({ at, change });
    difference = stepBack(difference);
  }
  const [only] = fitting;
  if (!only || fitting.length > 1) return undefined;
  const corrected = Buffer.from(line);
  corrected[only.at] = (corrected[only.at] ?? 0) ^ only.change;
  return isJson(corrected) ? corrected : undefined;
}

/** The register before a byte of zero was taken in. */
function stepBack(register: number): number {
  const value = register >>> 0;
  const index = BY_TOP[value >>> 24] ?? 0;
  return (((value ^ (TABLE[index] ?? 0)) << 8) | index) >>> 0;
}

/** The values of the table differ in their first byte. */
const BY_TOP = (() => {
  const places = new Uint8Array(256);
  for (const [index, value] of TABLE.entries()) places[value >>> 24] = index;
  return places;
})();

function crc32(bytes: Uint8Array): number {
  let register = 0xffffffff;
  for (const byte of bytes) register = (register >>> 8) ^ (TABLE[(register ^ byte) & 0xff] ?? 0);
  return ~register >>> 0;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function isJson(line: Buffer): boolean {
  const text = line.toString('utf8');
  if (text.includes('\uFFFD')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
