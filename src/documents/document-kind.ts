import { extname } from 'node:path';
import { imageType } from '../lib/image-type.ts';
import type { DocumentKind } from './document.ts';

/** As many bytes as these functions look at. */
export const KIND_BYTES = 1024;

/** By its first bytes, else by its name; undefined: it is not a document that is read here. */
export function documentKind(head: Buffer, name: string): DocumentKind | undefined {
  // Some programs write a line of their own before it, and readers accept that.
  if (head.includes('%PDF-')) return 'pdf';
  if (startsWith(head, 'PK\x03\x04') || startsWith(head, 'PK\x05\x06')) return 'zip';
  if (startsWith(head, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return 'compound';
  if (startsWith(head, '\x1f\x8b')) return 'gzip';
  if (head.subarray(257, 262).toString('latin1') === 'ustar') return 'tar';
  const isUtf16 = startsWith(head, '\xff\xfe') || startsWith(head, '\xfe\xff');
  if (head.includes(0) && !isUtf16) return undefined;
  switch (extname(name).toLowerCase()) {
    case '.ipynb':
      return 'notebook';
    case '.html':
    case '.htm':
    case '.xhtml':
      return 'html';
    case '.csv':
    case '.tsv':
      return 'csv';
    default:
      return undefined;
  }
}

function startsWith(head: Buffer, signature: string): boolean {
  return head.subarray(0, signature.length).toString('latin1') === signature;
}

/** Also of the kinds that models do not take as they are: TIFF, AVIF, HEIC and BMP. */
export function isPicture(head: Buffer): boolean {
  if (imageType(head) !== undefined || startsWith(head, 'II*\0') || startsWith(head, 'MM\0*')) return true;
  return /^ftypavi[fs]$/.test(head.subarray(4, 12).toString('latin1')) || unreadablePicture(head) !== undefined;
}

/** The name of its kind, where no reader of it is installed. */
export function unreadablePicture(head: Buffer): 'HEIC' | 'BMP' | undefined {
  if (/^ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/.test(head.subarray(4, 12).toString('latin1'))) return 'HEIC';
  const isBitmap = startsWith(head, 'BM') && head.length >= 18 && head.readUInt32LE(6) === 0;
  return isBitmap && [12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14)) ? 'BMP' : undefined;
}
