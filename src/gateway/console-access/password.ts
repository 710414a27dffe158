// The owner's password as it is kept: a slow hash with its own salt. Argon2id where this Node has it, scrypt elsewhere; each stored hash
// says how it was made, so either is checked by any Node that can.
import * as crypto from 'node:crypto';
import { promisify } from 'node:util';
import { CodedError } from '../../vocabulary/coded-error.ts';

export interface StoredPassword {
  kind: 'argon2id' | 'scrypt';
  salt: string;
  hash: string;
}

const SHORTEST = 10;
const LONGEST = 1_000;
const HASH_BYTES = 32;
/** 64 MiB and three passes: about a quarter of a second. */
const ARGON = { parallelism: 1, tagLength: HASH_BYTES, memory: 65_536, passes: 3 };
/** As much memory, and about as long. */
const SCRYPT = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
/** Each check takes 64 MiB. */
const AT_ONCE = 2;

type Argon2 = (
  kind: 'argon2id',
  options: typeof ARGON & { message: Buffer; nonce: Buffer },
  done: (error: Error | null, hash: Buffer) => void,
) => void;

const argon2 = (crypto as { argon2?: Argon2 }).argon2;
let running = 0;

export async function hashPassword(password: string): Promise<StoredPassword> {
  if (password.length < SHORTEST || password.length > LONGEST)
    throw new CodedError('INVALID_PASSWORD', `a password has ${SHORTEST} to ${LONGEST} characters`);
  const salt = crypto.randomBytes(16);
  const kind = argon2 ? 'argon2id' : 'scrypt';
  return { kind, salt: salt.toString('base64'), hash: (await derive(kind, password, salt)).toString('base64') };
}

/** Rejects when too many are checked at once, and when this Node cannot check it. */
export async function isPassword(password: string, { kind, salt, hash }: StoredPassword): Promise<boolean> {
  if (password.length > LONGEST) return false;
  if (running >= AT_ONCE) throw new CodedError('BUSY', 'others are signing in at this moment: try again');
  running += 1;
  try {
    const given = await derive(kind, password, Buffer.from(salt, 'base64'));
    return crypto.timingSafeEqual(given, Buffer.from(hash, 'base64'));
  } finally {
    running -= 1;
  }
}

function derive(kind: StoredPassword['kind'], password: string, salt: Buffer): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'));
  if (kind === 'scrypt')
    return promisify<Buffer, Buffer, number, typeof SCRYPT, Buffer>(crypto.scrypt)(message, salt, HASH_BYTES, SCRYPT);
  if (!argon2)
    throw new CodedError(
      'PASSWORD_NEEDS_NEWER_NODE',
      'the password was set with a newer Node: set it again with "lainclaw console password"',
    );
  return promisify(argon2)('argon2id', { ...ARGON, message, nonce: salt });
}
