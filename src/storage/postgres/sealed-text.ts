// Texts of the owner, encrypted before they leave this machine: AES-256-GCM, with the name of the text as additional data, so that one cannot take the place of
// another. A sealed text is a version byte, 12 bytes of nonce, 16 of tag, and the encrypted text.

import { StorageError } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export interface Sealing {
  seal(name: string, text: string): Promise<Buffer>;
  /** Rejects when it was sealed with another key, under another name, or changed. */
  open(name: string, sealed: Buffer): Promise<string>;
  /** Rejects with the reason where this machine has no key, or another than the database was set up with. */
  check(): Promise<void>;
}

export interface SealingOptions {
  database: PostgresDatabase;
  /** Undefined when this machine has none. */
  readKey(): Promise<string | undefined>;
  /** Keeps a new key, durably, unless there is one by now; resolves with the key that is kept. */
  keepKey(key: string): Promise<string>;
  /** Where the key is looked for, for messages. */
  keyPlace: string;
}

/** The key is 64 hexadecimal digits. A database without one gets the key of the first program that uses it. */
export function createSealing({ database, readKey, keepKey, keyPlace }: SealingOptions): Sealing {
  let loading: Promise<Buffer> | undefined;
  const key = (): Promise<Buffer> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  async function load(): Promise<Buffer> {
    const { createHash, randomBytes } = await import('node:crypto');
    const fingerprintOf = (bytes: Buffer): string =>
      createHash('sha256').update('lainclaw store key').update(bytes).digest('hex');
    const found = await readKey();
    let fingerprint = await readFingerprint();
    if (found === undefined && fingerprint !== undefined)
      throw new StorageError(
        'STORAGE_FAILED',
        `the sign-ins in ${database.address} are encrypted, and this machine has no key for them: copy ${keyPlace} from the machine that set the database up, or set LAINCLAW_STORE_KEY`,
      );
    const bytes = parseKey(found ?? (await keepKey(randomBytes(KEY_BYTES).toString('hex'))), keyPlace);
    if (fingerprint === undefined) {
      await database.query('INSERT INTO lainclaw.store_key (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING', [
        fingerprintOf(bytes),
      ]);
      fingerprint = await readFingerprint();
    }
    if (fingerprint === fingerprintOf(bytes)) return bytes;
    throw new StorageError(
      'STORAGE_FAILED',
      `the key of this machine is not the one that ${database.address} was set up with: copy ${keyPlace} from the machine that set it up, or correct LAINCLAW_STORE_KEY`,
    );
  }

  async function readFingerprint(): Promise<string | undefined> {
    const [row] = await database.query<{ fingerprint: string }>('SELECT fingerprint FROM lainclaw.store_key');
    return row?.fingerprint;
  }

  return {
    async check() {
      await key();
    },
    async seal(name, text) {
      const [{ createCipheriv, randomBytes }, secret] = await Promise.all([import('node:crypto'), key()]);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(name));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
    },
    async open(name, sealed) {
      const [{ createDecipheriv }, secret] = await Promise.all([import('node:crypto'), key()]);
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
      const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv('aes-256-gcm', secret, nonce).setAAD(Buffer.from(name)).setAuthTag(tag);
        return (
          decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch (error) {
        throw new StorageError(
          'STORAGE_FAILED',
          `${name} in ${database.address} cannot be decrypted: it was changed, or written with another key`,
          {
            cause: error,
          },
        );
      }
    },
  };
}

function parseKey(text: string, place: string): Buffer {
  const digits = text.trim();
  if (/^[0-9a-f]{64}$/i.test(digits)) return Buffer.from(digits, 'hex');
  throw new StorageError('STORAGE_FAILED', `the key in ${place} or LAINCLAW_STORE_KEY must be 64 hexadecimal digits`);
}
