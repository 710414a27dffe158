// A sum over records that does not depend on their order: the SHA-256 of each record, combined with XOR. No record is counted
// twice, because each kind names its records by key.
import { createHash } from 'node:crypto';
import type { CopiedRecord, FieldValue } from './record-set.ts';

const BYTES = 32;

export function digestOf({ key, fields }: CopiedRecord): Buffer {
  const hash = createHash('sha256').update(JSON.stringify(key));
  for (const name of Object.keys(fields).toSorted()) hash.update(`\n${name} `).update(textOf(fields[name] ?? null));
  return hash.digest();
}

function textOf(value: FieldValue): string {
  return value instanceof Uint8Array ? `bytes ${Buffer.from(value).toString('base64')}` : JSON.stringify(value);
}

export interface Checksum {
  add(digest: Buffer): void;
  hex(): string;
}

export function createChecksum(): Checksum {
  const sum = Buffer.alloc(BYTES);
  return {
    add(digest) {
      for (let at = 0; at < BYTES; at += 1) sum[at] = (sum[at] ?? 0) ^ (digest[at] ?? 0);
    },
    hex: () => sum.toString('hex'),
  };
}
