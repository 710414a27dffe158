import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const TRUECOLOUR = 2;
/** Each row is stored as the difference from the one above it. */
const UP = 2;

/** Transparency is left out: the picture is one on paper. */
export function encodePng(width: number, height: number, rgba: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TRUECOLOUR, 0, 0, 0], 8);
  const rowBytes = 3 * width + 1;
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    let to = y * rowBytes;
    rows[to] = UP;
    for (let from = 4 * width * y, end = from + 4 * width; from < end; from += 4) {
      const above = from - 4 * width;
      for (let colour = 0; colour < 3; colour += 1) {
        to += 1;
        rows[to] = (rgba[from + colour] ?? 0) - (y > 0 ? (rgba[above + colour] ?? 0) : 0);
      }
    }
  }
  const data = deflateSync(rows, { level: 6 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
