// Reads a tar archive in memory: ustar with the extensions npm packages use (pax and GNU long names). Nothing is
// written anywhere; a path that leads up or away refuses the archive. Stops at the end mark, the end of the bytes or the
// first damaged header.
import { SkillError } from '../skill.ts';
import { MAX_ENTRIES, safePath, type TreeEntry, tooManyEntries } from './tree.ts';

const BLOCK = 512;
const MAX_EXTENSION_BYTES = 65_536;

export interface TarEntry extends TreeEntry {
  bytes: Buffer;
}

/** The first part of each path (`package/`) is dropped. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let extended: Record<string, string> = {};
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (!hasRightSum(header)) throw damaged('a header does not add up');
    const type = String.fromCharCode(header[156] ?? 0);
    const size = extended.size === undefined ? octal(header, 124, 12) : Number(extended.size);
    const start = at + BLOCK;
    if (!Number.isSafeInteger(size) || size < 0 || start + size > archive.length) throw damaged('it ends too early');
    const bytes = archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'x' || type === 'g' || type === 'L') {
      if (size > MAX_EXTENSION_BYTES) throw damaged('a header is too long');
      // A global header holds for all that follows; packages use it for a comment only, and none of it is a path.
      if (type === 'x') extended = { ...extended, ...paxRecords(bytes) };
      if (type === 'L') extended = { ...extended, path: bytes.toString('utf8').replace(/\0.*$/s, '') };
      continue;
    }
    const name = extended.path ?? ustarPath(header);
    extended = {};
    if (type === '5') continue;
    const path = pathInPackage(name);
    const kind = type === '0' || type === '\0' ? 'file' : type === '1' || type === '2' ? 'link' : 'other';
    if (entries.length >= MAX_ENTRIES) throw tooManyEntries();
    entries.push({
      path,
      kind,
      size: kind === 'file' ? size : 0,
      executable: (octal(header, 100, 8) & 0o100) !== 0,
      bytes: kind === 'file' ? bytes : Buffer.alloc(0),
    });
  }
  return entries;
}

function pathInPackage(name: string): string {
  const path = name.replace(/^\.\//, '');
  if (path.startsWith('/')) safePath(path);
  const slash = path.indexOf('/');
  safePath(path);
  return slash < 0 ? path : path.slice(slash + 1);
}

function ustarPath(header: Buffer): string {
  const name = textAt(header, 0, 100);
  const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `<length> <key>=<value>\n`, length counting itself, in bytes. */
function paxRecords(bytes: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.subarray(at, Math.max(at, space)).toString('latin1'));
    if (space < 0 || !Number.isSafeInteger(length) || length <= space - at || at + length > bytes.length)
      throw damaged('a header cannot be read');
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

function damaged(why: string): SkillError {
  return new SkillError('SKILL_SOURCE', `the package's archive is damaged: ${why}`);
}
