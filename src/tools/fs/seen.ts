// What a session last saw of each file, so that an edit based on an older look is refused. Kept as a fingerprint of the
// file and a hash of each line: enough to tell later which lines have changed, without keeping the text. Of a large
// file it is one hash of the whole: enough to tell that it has changed.

import { counted } from '../../lib/counted.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ResultCache } from '../../storage/storage.ts';
import { numberedLines } from './numbered-lines.ts';

export interface SeenFile {
  fingerprint: string;
  size: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** When the whole was at hand: of every line (base64 of 32 bits each), or of all of it. */
  content?: { lines: string } | { sha256: string };
}

export interface SeenFiles {
  /** `path` is relative to the workspace, links resolved. */
  note(path: string, seen: SeenFile): Promise<void>;
  last(path: string): Promise<SeenFile | undefined>;
}

/** Without a session nothing is remembered. */
export const nothingSeen: SeenFiles = { async note() {}, last: async () => undefined };

export function createSeenFiles(cache: ResultCache, sessionId: string, root: string): SeenFiles {
  const scope = `${sessionId} seen`;
  return {
    note: (path, seen) => cache.put(scope, `${root}\n${path}`, JSON.stringify(seen)),
    async last(path) {
      const known = await cache.get(scope, `${root}\n${path}`);
      return known === undefined ? undefined : (JSON.parse(known) as SeenFile);
    },
  };
}

/** Hashing every line of more than this would be felt at each edit. */
const MOST_BYTES_BY_LINE = 256 * 1024;

/** `bytes`: the whole content, when it is at hand. */
export async function seenNow(fingerprint: string, size: number, at: number, bytes?: Uint8Array): Promise<SeenFile> {
  if (!bytes) return { fingerprint, size, at };
  if (bytes.length > MOST_BYTES_BY_LINE) return { fingerprint, size, at, content: { sha256: await sha256Of(bytes) } };
  const hashes = hashLines(bytes);
  const lines = Buffer.from(hashes.buffer, 0, hashes.byteLength).toString('base64');
  return { fingerprint, size, at, content: { lines } };
}

/** What has changed since, in words and with the lines as they are now; undefined when nothing has. */
export async function changeSince(
  seen: SeenFile,
  { fingerprint, bytes }: { fingerprint: string; bytes: Buffer },
): Promise<string | undefined> {
  if (seen.fingerprint === fingerprint) return undefined;
  const sizes =
    bytes.length === seen.size ? `it still has ${seen.size} bytes` : `${seen.size} bytes then, ${bytes.length} now`;
  if (!seen.content) return sizes;
  if ('sha256' in seen.content) return seen.content.sha256 === (await sha256Of(bytes)) ? undefined : sizes;
  const before = unpackHashes(seen.content.lines);
  const now = hashLines(bytes);
  // Touched, or saved again with the same content.
  if (bytes.length === seen.size && before.length === now.length && before.every((hash, at) => hash === now[at])) {
    return undefined;
  }
  return `${sizes}\n${await changedLines(before, now, bytes.toString('utf8').split('\n'))}`;
}

const MOST_PLACES = 5;

async function changedLines(before: Uint32Array, now: Uint32Array, lines: readonly string[]): Promise<string> {
  const { diffArrays } = await import('diff');
  const parts = diffArrays([...before], [...now], { maxEditLength: 500, timeout: 100 });
  if (!parts) return 'most of its lines are different';
  const places: string[] = [];
  let at = 0;
  let removed = 0;
  const tell = (added: number): void => {
    if (removed === 0 && added === 0) return;
    if (added === 0) places.push(`${counted(removed, 'line')} removed before line ${at + 1}`);
    else {
      const what = removed === 0 ? 'new' : `in place of ${removed}`;
      places.push(`${counted(added, 'line')} ${what} at line ${at + 1}:\n${numberedLines(lines, at, added)}`);
    }
    removed = 0;
  };
  for (const part of parts) {
    if (part.removed) {
      removed += part.value.length;
      continue;
    }
    tell(part.added ? part.value.length : 0);
    at += part.value.length;
  }
  tell(0);
  const more = places.length > MOST_PLACES ? [`… and ${places.length - MOST_PLACES} more places`] : [];
  return [...places.slice(0, MOST_PLACES), ...more].join('\n');
}

/** FNV-1a of each line, its ending included. Flat and local, for speed: most reads and edits pass here. */
function hashLines(bytes: Uint8Array): Uint32Array {
  const start = 0x811c9dc5 | 0;
  const newline = 0x0a;
  const length = bytes.length;
  let hashes = new Uint32Array(1024);
  let lines = 0;
  let hash = start;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    hash = Math.imul(hash ^ byte, 0x01000193);
    if (byte === newline) {
      if (lines + 1 >= hashes.length) hashes = doubled(hashes);
      hashes[lines] = hash;
      lines += 1;
      hash = start;
    }
  }
  if (length > 0 && bytes[length - 1] !== newline) {
    hashes[lines] = hash;
    lines += 1;
  }
  return hashes.slice(0, lines);
}

function doubled(hashes: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * hashes.length);
  larger.set(hashes);
  return larger;
}

function unpackHashes(text: string): Uint32Array {
  const bytes = Buffer.from(text, 'base64');
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index));
}
