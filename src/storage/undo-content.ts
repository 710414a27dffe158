// Contents as they are stored: compressed in the background where that saves something.
import { promisify } from 'node:util';
import { sha256Of } from '../lib/sha256.ts';
import type { FileChange, FileState, RecordedState } from './undo-records.ts';

export interface Packed {
  encoding: 'plain' | 'zstd';
  data: Uint8Array;
}

/** Below this the savings are not worth loading the library. */
const COMPRESS_FROM = 4096;

export async function pack(bytes: Uint8Array): Promise<Packed> {
  if (bytes.length < COMPRESS_FROM) return { encoding: 'plain', data: bytes };
  const { constants, zstdCompress } = await import('node:zlib');
  const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
  const compressed = await promisify(zstdCompress)(bytes, fastest);
  return compressed.length < bytes.length * 0.9
    ? { encoding: 'zstd', data: compressed }
    : { encoding: 'plain', data: bytes };
}

export async function unpack({ encoding, data }: Packed): Promise<Buffer> {
  if (encoding === 'plain') return Buffer.from(data);
  const { zstdDecompress } = await import('node:zlib');
  return promisify(zstdDecompress)(data);
}

export interface NamedChange {
  change: FileChange;
  before: NamedState | undefined;
  after: NamedState | undefined;
}

export interface NamedState extends FileState {
  sha256: string;
  packing?: Promise<Packed>;
}

export interface Content extends Packed {
  sha256: string;
}

export async function nameStates(change: FileChange): Promise<NamedChange> {
  // What a file becomes is rarely stored already: it is compressed on another thread while this one hashes.
  const packing = change.after && pack(change.after.bytes);
  packing?.catch(() => {});
  return { change, before: await nameState(change.before), after: await nameState(change.after, packing) };
}

async function nameState(state: FileState | undefined, packing?: Promise<Packed>): Promise<NamedState | undefined> {
  return state && { ...state, sha256: await sha256Of(state.bytes), packing };
}

export function recordedState(sha256: unknown, mode: unknown): RecordedState | undefined {
  return typeof sha256 === 'string' ? { sha256, mode: mode as number } : undefined;
}
