import type { IncomingMessage } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** The JSON of a body, decompressed as its content-encoding says; undefined when it is not what it says it is. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(decoded(Buffer.concat(chunks), request.headers['content-encoding']).toString());
  } catch {
    return undefined;
  }
}

function decoded(bytes: Buffer, encoding = 'identity'): Buffer {
  switch (encoding) {
    case 'identity':
      return bytes;
    case 'gzip':
      return gunzipSync(bytes);
    case 'zstd':
      return zstdDecompressSync(bytes);
    default:
      throw new Error(`unknown content-encoding ${encoding}`);
  }
}
