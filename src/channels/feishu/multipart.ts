// A form with one file, as RFC 7578 writes it. The built-in FormData would load the built-in fetch, which costs 17 MB.
import { randomBytes } from 'node:crypto';

export interface Form {
  /** Plain words of ours: no name and no value holds a quote or a line break. */
  fields: Readonly<Record<string, string>>;
  file: { field: string; name: string; mediaType: string; bytes: Uint8Array };
}

export function multipartOf({ fields, file }: Form): { contentType: string; bytes: Buffer } {
  const boundary = `lainclaw-${randomBytes(18).toString('hex')}`;
  const part = (about: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${about}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`);
  const head = `${part(`name="${file.field}"; filename="${file.name}"`)}content-type: ${file.mediaType}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(texts.join('') + head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}
