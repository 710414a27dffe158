// Parses the headers of a tar archive: ustar with the extensions in use (pax and GNU long names). Reads single blocks, so that
// an archive can be read from memory or as it arrives.

export const TAR_BLOCK = 512;
export const LONGEST_TAR_EXTENSION = 65_536;

export class TarError extends Error {}

export interface TarHeader {
  /** '0' a file, '5' a directory, '1' and '2' links, 'x', 'g' and 'L' extensions of the next header. */
  type: string;
  size: number;
  name: string;
  executable: boolean;
}

export type TarExtension = { path?: string; size?: string };

/** Undefined at the end mark. Values of a preceding extension win. */
export function parseTarHeader(header: Buffer, extension: TarExtension): TarHeader | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  if (!hasRightSum(header)) throw new TarError('a header does not add up');
  const size = extension.size === undefined ? octal(header, 124, 12) : Number(extension.size);
  if (!Number.isSafeInteger(size) || size < 0) throw new TarError('it ends too early');
  const type = String.fromCharCode(header[156] ?? 0);
  return {
    type: type === '\0' ? '0' : type,
    size,
    name: extension.path ?? ustarPath(header),
    executable: (octal(header, 100, 8) & 0o100) !== 0,
  };
}

/** The values of an extension for the next entry. A global extension holds a comment in practice, and never a path. */
export function parseTarExtension(type: string, bytes: Buffer): TarExtension {
  if (type === 'L') return { path: bytes.toString('utf8').replace(/\0.*$/s, '') };
  return type === 'x' ? paxRecords(bytes) : {};
}

function ustarPath(header: Buffer): string {
  const name = textAt(header, 0, 100);
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Records `<length> <key>=<value>\n`; length in bytes, including itself. */
function paxRecords(bytes: Buffer): TarExtension {
  const records: TarExtension = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, Math.max(at, space)).toString('latin1'));
    if (space < 0 || !Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length)
      throw new TarError('a header cannot be read');
    const record = bytes.subarray(space + 1, at + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    const key = record.slice(0, Math.max(0, equals));
    if (key === 'path' || key === 'size') records[key] = record.slice(equals + 1);
    at += length;
  }
  return records;
}

function hasRightSum(header: Buffer): boolean {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum === octal(header, 148, 8);
}

function octal(header: Buffer, at: number, length: number): number {
  const text = textAt(header, at, length).trim();
  if (text === '') return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function textAt(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
}
