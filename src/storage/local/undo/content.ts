// Contents as they are stored: compressed in the background where that saves something.
import { promisify } from 'node:util';

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
