// A zip archive with these entries; what it declares of one can be made a lie.
import { crc32, deflateRawSync } from 'node:zlib';

export interface MadeEntry {
  /** In bytes where it is not UTF-8. */
  name: string | Buffer;
  data: string | Buffer;
  /** In place of the true size. */
  declaredSize?: number;
  isEncrypted?: boolean;
  /** The bytes as they are packed, in place of packing `data`. */
  packed?: Buffer;
}

export function makeZip(entries: readonly MadeEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, data, declaredSize, isEncrypted, packed: given } of entries) {
    const bytes = Buffer.from(data);
    const packed = given ?? deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(isEncrypted ? 1 : 0, 2);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(declaredSize ?? bytes.length, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), facts, rest, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}
