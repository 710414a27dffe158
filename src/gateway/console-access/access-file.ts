// console.json: who may use the console. Secrets are kept as digests only. A file that cannot be read is never taken for an empty
// one, which would forget who was revoked.
import { newerVersion, type OwnerFiles } from '../../storage/storage.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { StoredPassword } from './password.ts';

export const ACCESS_FILE = 'console.json';
const VERSION = 1;

/** Somebody beside the owner, with conversations and a memory of their own. */
export interface StoredPerson {
  id: string;
  name: string;
  createdAt: string;
}

/** A browser that has signed in. */
export interface StoredSession {
  id: string;
  digest: string;
  /** Of what the page holds besides the cookie; sign-ins of earlier versions have none and are asked to sign in again. */
  pageDigest?: string;
  person: string;
  createdAt: string;
  /** Kept to the hour. */
  seenAt: string;
  expiresAt: string;
  agent: string;
}

/** A link that signs in once. */
export interface StoredLink {
  digest: string;
  person: string;
  expiresAt: string;
}

/** A key of the OpenAI-compatible API. */
export interface StoredKey {
  id: string;
  name: string;
  digest: string;
  createdAt: string;
  /** Kept to the hour. */
  usedAt?: string;
}

export interface StoredAccess {
  people: StoredPerson[];
  sessions: StoredSession[];
  links: StoredLink[];
  keys: StoredKey[];
  /** The owner's. */
  password?: StoredPassword;
}

export interface AccessFile {
  read(): Promise<StoredAccess>;
  /** Read, changed and written without another process in between. */
  update<T>(change: (access: StoredAccess) => T): Promise<T>;
}

export function createAccessFile(files: OwnerFiles): AccessFile {
  let known: { text: string | undefined; access: StoredAccess } | undefined;

  function parse(text: string | undefined): StoredAccess {
    if (text === undefined) return { people: [], sessions: [], links: [], keys: [] };
    let value: Record<string, unknown>;
    try {
      value = JSON.parse(text) as Record<string, unknown>;
    } catch {
      throw damaged();
    }
    const { version, people, sessions, links, keys = [], password } = value ?? {};
    if (typeof version === 'number' && version > VERSION)
      throw newerVersion(files.location(ACCESS_FILE), version, VERSION);
    if (version !== VERSION || ![people, sessions, links, keys].every(Array.isArray)) throw damaged();
    return { people, sessions, links, keys, ...(password !== undefined && { password }) } as StoredAccess;
  }

  return {
    async read() {
      const text = await files.read(ACCESS_FILE);
      if (!known || known.text !== text) known = { text, access: parse(text) };
      return known.access;
    },
    async update<T>(change: (access: StoredAccess) => T) {
      const outcome: { value?: T } = {};
      await files.update(ACCESS_FILE, (text) => {
        const access = parse(text);
        outcome.value = change(access);
        const changed = `${JSON.stringify({ version: VERSION, ...access }, undefined, 2)}\n`;
        return changed === text ? undefined : changed;
      });
      return outcome.value as T;
    },
  };
}

function damaged(): CodedError {
  return new CodedError(
    'CONSOLE_FILE_DAMAGED',
    `${ACCESS_FILE} in the home cannot be read: repair it, or move it away and sign in again with "lainclaw up"`,
  );
}
