// The outer format of a backup: two lines that say how it is sealed and their digest, then chunks of at most 64 KiB.
//
// A chunk is a length (its highest bit marks the last chunk), the bytes, and 16 bytes that prove them. With a passphrase the bytes are
// encrypted with AES-256-GCM under a key that scrypt makes from the passphrase and a salt of this file alone, so the number of a
// chunk can be its nonce. Without one, the proof is the beginning of a SHA-256. Either proof covers the two lines, the number of
// the chunk and whether it is the last: a chunk that is changed, moved, left out or cut off is found, and so is a cut file.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { BackupError } from '../../backups.ts';

const MAGIC = 'LAINCLAW BACKUP ';
const FORMAT = 1;
const CHUNK_BYTES = 65_536;
const PROOF_BYTES = 16;
const LAST = 0x8000_0000;
const LONGEST_HEADER = 4_096;
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 };
/** Bounds for what a file may ask of this machine: a quarter of a gigabyte. */
const MOST_SCRYPT = { N: 2 ** 18, r: 8, p: 4 };

interface Sealing {
  encryption: { kdf: 'scrypt'; N: number; r: number; p: number; salt: string; check: string } | null;
}

interface Seal {
  close(bytes: Buffer, associated: Buffer, number: number): { body: Buffer; proof: Buffer };
  /** Undefined when the proof does not fit. */
  open(body: Buffer, proof: Buffer, associated: Buffer, number: number): Buffer | undefined;
}

export interface ChunkWriter {
  write(bytes: Buffer): Promise<void>;
  /** Writes the last chunk; the file is not synced. */
  end(): Promise<void>;
}

export async function createChunkWriter(file: FileHandle, passphrase: string | undefined): Promise<ChunkWriter> {
  const salt = randomBytes(32);
  const keys = passphrase === undefined ? undefined : await deriveKeys(passphrase, salt, SCRYPT);
  const sealing: Sealing = {
    encryption: keys
      ? { kdf: 'scrypt', ...SCRYPT, salt: salt.toString('base64'), check: keys.check.toString('base64') }
      : null,
  };
  const header = `${MAGIC}${FORMAT}\n${JSON.stringify(sealing)}\n`;
  await file.writeFile(`${header}${digestOf(header).toString('hex')}\n`);
  const seal = keys ? encryptingSeal(keys.key) : plainSeal;
  const headerDigest = digestOf(header);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let number = 0;

  async function writeChunk(bytes: Buffer, isLast: boolean): Promise<void> {
    const { body, proof } = seal.close(bytes, associatedWith(headerDigest, number, isLast), number);
    const length = Buffer.alloc(4);
    length.writeUInt32BE((body.length | (isLast ? LAST : 0)) >>> 0);
    number += 1;
    await file.writeFile(Buffer.concat([length, body, proof]));
  }

  return {
    async write(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes < CHUNK_BYTES) return;
      let rest = Buffer.concat(waiting);
      for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES))
        await writeChunk(rest.subarray(0, CHUNK_BYTES), false);
      waiting = [Buffer.from(rest)];
      waitingBytes = rest.length;
    },
    end: () => writeChunk(Buffer.concat(waiting), true),
  };
}

export interface SealedChunks {
  isEncrypted: boolean;
  /** In order, each proven before it is given. Throws BACKUP_DAMAGED, also when the last one is missing. */
  chunks: AsyncGenerator<Buffer>;
}

export async function openChunks(
  file: FileHandle,
  path: string,
  passphrase: string | undefined,
  signal: AbortSignal,
): Promise<SealedChunks> {
  const read = createReader(file);
  const beginning = await read(MAGIC.length);
  if (beginning.toString('latin1') !== MAGIC)
    throw new BackupError(
      'BACKUP_DAMAGED',
      `${path} is not a backup of Lainclaw: name one that "lainclaw backup" wrote`,
    );
  const format = await readLine(read, path);
  if (/^\d+$/.test(format) && Number(format) > FORMAT)
    throw new BackupError(
      'BACKUP_NEWER_VERSION',
      `${path} was written by a newer Lainclaw (format ${format}, this one understands ${FORMAT}): upgrade lainclaw`,
    );
  const sealingText = await readLine(read, path);
  const digest = await readLine(read, path);
  const header = `${MAGIC}${format}\n${sealingText}\n`;
  const headerDigest = digestOf(header);
  if (digest !== headerDigest.toString('hex') || Number(format) !== FORMAT) throw damaged(path);
  const { encryption } = parseSealing(sealingText, path);
  const seal = encryption ? await unlock(encryption, path, passphrase) : plainSeal;
  return { isEncrypted: encryption !== null, chunks: readChunks(read, path, seal, headerDigest, signal) };
}

export function damaged(path: string, detail = 'a byte was changed, or a part is missing'): BackupError {
  return new BackupError(
    'BACKUP_DAMAGED',
    `the backup ${path} is damaged (${detail}): nothing was restored; use another one`,
  );
}

async function* readChunks(
  read: Read,
  path: string,
  seal: Seal,
  headerDigest: Buffer,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    signal.throwIfAborted();
    const prefix = await read(4);
    if (prefix.length < 4) throw damaged(path);
    const value = prefix.readUInt32BE();
    const isLast = value >= LAST;
    const length = isLast ? value - LAST : value;
    if (length > CHUNK_BYTES) throw damaged(path);
    const body = await read(length);
    const proof = await read(PROOF_BYTES);
    if (body.length < length || proof.length < PROOF_BYTES) throw damaged(path);
    const bytes = seal.open(body, proof, associatedWith(headerDigest, number, isLast), number);
    if (!bytes) throw damaged(path);
    yield bytes;
    if (!isLast) continue;
    if ((await read(1)).length > 0) throw damaged(path, 'something follows its end');
    return;
  }
}

type Encryption = NonNullable<Sealing['encryption']>;

async function unlock(encryption: Encryption, path: string, passphrase: string | undefined): Promise<Seal> {
  if (passphrase === undefined)
    throw new BackupError(
      'BACKUP_NO_PASSPHRASE',
      `${path} is encrypted: give its passphrase with --passphrase-stdin or --passphrase-env`,
    );
  const { salt, check, ...cost } = encryption;
  const keys = await deriveKeys(passphrase, Buffer.from(salt, 'base64'), cost);
  const expected = Buffer.from(check, 'base64');
  if (expected.length !== keys.check.length || !timingSafeEqual(expected, keys.check))
    throw new BackupError('BACKUP_WRONG_PASSPHRASE', `the passphrase is not the one of ${path}: nothing was restored`);
  return encryptingSeal(keys.key);
}

function parseSealing(text: string, path: string): Sealing {
  const value = parseJson(text) as Sealing | undefined;
  const encryption = value?.encryption;
  if (encryption === null) return { encryption };
  if (encryption?.kdf !== 'scrypt' || typeof encryption.salt !== 'string' || typeof encryption.check !== 'string')
    throw damaged(path);
  const { N, r, p } = encryption;
  const isWithin = [N, r, p].every((number) => Number.isSafeInteger(number) && number > 0);
  if (!isWithin || N > MOST_SCRYPT.N || r > MOST_SCRYPT.r || p > MOST_SCRYPT.p) throw damaged(path);
  return { encryption };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function deriveKeys(
  passphrase: string,
  salt: Buffer,
  { N, r, p }: { N: number; r: number; p: number },
): Promise<{ key: Buffer; check: Buffer }> {
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  const derived = await derive(passphrase.normalize('NFC'), salt, 64, { N, r, p, maxmem: 256 * N * r });
  const check = createHmac('sha256', derived.subarray(32)).update('lainclaw backup passphrase').digest();
  return { key: derived.subarray(0, 32), check };
}

const plainSeal: Seal = {
  close: (bytes, associated) => ({ body: bytes, proof: plainProof(bytes, associated) }),
  open: (body, proof, associated) => (plainProof(body, associated).equals(proof) ? body : undefined),
};

function plainProof(bytes: Buffer, associated: Buffer): Buffer {
  return createHash('sha256').update(associated).update(bytes).digest().subarray(0, PROOF_BYTES);
}

function encryptingSeal(key: Buffer): Seal {
  return {
    close(bytes, associated, number) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number)).setAAD(associated);
      const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return { body, proof: cipher.getAuthTag() };
    },
    open(body, proof, associated, number) {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number), { authTagLength: PROOF_BYTES });
      decipher.setAAD(associated).setAuthTag(proof);
      const bytes = decipher.update(body);
      try {
        return Buffer.concat([bytes, decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}

function associatedWith(headerDigest: Buffer, number: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(9);
  place.writeBigUInt64BE(BigInt(number));
  place[8] = isLast ? 1 : 0;
  return Buffer.concat([headerDigest, place]);
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The next bytes of the file: fewer than asked for only at its end. */
type Read = (length: number) => Promise<Buffer>;

function createReader(file: FileHandle): Read {
  let buffered = Buffer.alloc(0);
  return async (length) => {
    while (buffered.length < length) {
      const block = Buffer.allocUnsafe(4 * CHUNK_BYTES);
      const { bytesRead } = await file.read(block, 0, block.length);
      if (bytesRead === 0) break;
      buffered = Buffer.concat([buffered, block.subarray(0, bytesRead)]);
    }
    const bytes = buffered.subarray(0, length);
    buffered = buffered.subarray(bytes.length);
    return bytes;
  };
}

async function readLine(read: Read, path: string): Promise<string> {
  let line = '';
  while (line.length <= LONGEST_HEADER) {
    const byte = await read(1);
    if (byte.length === 0) break;
    if (byte[0] === 0x0a) return line;
    line += byte.toString('latin1');
  }
  throw damaged(path);
}
