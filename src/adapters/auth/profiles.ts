// auth-profiles.json: who is signed in where. Read without a lock (it is replaced whole), written under one. A damaged
// file is moved aside by the next sign-in, never overwritten.
import type { Locks } from '../../storage/locks.ts';
import { type OwnerFiles, StorageError } from '../../storage/storage.ts';

interface ProfileBase {
  profileId: string;
  provider: string;
  createdAt: string;
  updatedAt: string;
}

export interface OAuthProfile extends ProfileBase {
  kind: 'oauth';
  access: string;
  refresh: string;
  expiresAt: string;
  accountId?: string;
  email?: string;
}

export interface ApiKeyProfile extends ProfileBase {
  kind: 'api-key';
  key: string;
  /** The server the key belongs to, where a provider has many. */
  baseUrl?: string;
}

/** A server that wants no key: only its address is kept. */
export interface NoKeyProfile extends ProfileBase {
  kind: 'no-key';
  baseUrl: string;
}

/** The sign-in of another program: only where it keeps it is stored. */
export interface BorrowedProfile extends ProfileBase {
  kind: 'borrowed';
  path: string;
}

export type Profile = OAuthProfile | ApiKeyProfile | NoKeyProfile | BorrowedProfile;

export interface Profiles {
  /** Provider to profile. */
  active: Map<string, string>;
  profiles: Map<string, Profile>;
}

export interface ProfileFile {
  readonly path: string;
  /** Throws a StorageError, also for a damaged file: what it held is not to be forgotten silently. */
  read(): Promise<Profiles>;
  /** One change at a time, in this process and all others; resolves once it is durable, with what `change` returned. */
  update<T>(change: (profiles: Profiles) => Promise<T> | T, options?: UpdateOptions): Promise<T>;
}

export interface UpdateOptions {
  /** Ends the wait for the lock, not the change. */
  signal?: AbortSignal;
  /** Start with an empty one where the file is damaged, which is then kept aside. */
  replaceDamaged?: boolean;
}

export interface ProfileFileOptions {
  files: OwnerFiles;
  locks: Locks;
  now(): number;
}

const FILE = 'auth-profiles.json';
const VERSION = 1;
const LOCK = 'auth';

export function createProfileFile({ files, locks, now }: ProfileFileOptions): ProfileFile {
  const path = files.location(FILE);
  const load = async (): Promise<Found> => parseProfiles(await files.read(FILE));

  return {
    path,
    async read() {
      const found = await load();
      if (found.state === 'damaged') throw damaged(path, found.reason);
      return found.state === 'read' ? found.profiles : empty();
    },
    async update(change, { signal, replaceDamaged = false } = {}) {
      const lock = await locks.acquire(LOCK, { signal });
      try {
        const found = await load();
        if (found.state === 'damaged' && !replaceDamaged) throw damaged(path, found.reason);
        const profiles = found.state === 'read' ? found.profiles : empty();
        const before = serialize(profiles);
        const result = await change(profiles);
        const after = serialize(profiles);
        if (found.state === 'damaged') await files.rename(FILE, `${FILE}.damaged-${now()}`);
        if (after !== before) await files.update(FILE, () => after, lock);
        return result;
      } finally {
        await lock.release();
      }
    },
  };
}

function damaged(path: string, reason: string): StorageError {
  const message = `${path} is damaged (${reason}). Repair it, or sign in again: it is then kept aside`;
  return new StorageError('STORAGE_FAILED', message);
}

type Found = { state: 'missing' } | { state: 'damaged'; reason: string } | { state: 'read'; profiles: Profiles };

function parseProfiles(text: string | undefined): Found {
  if (text === undefined) return { state: 'missing' };
  let value: { version?: unknown; active?: unknown; profiles?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words would quote the file, and so a secret.
    return { state: 'damaged', reason: 'it is not JSON' };
  }
  if (value?.version !== VERSION) return { state: 'damaged', reason: 'it has no version' };
  if (!isRecord(value.profiles) || !isRecord(value.active)) return { state: 'damaged', reason: 'it holds no profiles' };
  const profiles = new Map(Object.entries(value.profiles));
  for (const [id, profile] of profiles) {
    if (!isProfile(profile) || profile.profileId !== id)
      return { state: 'damaged', reason: `profile "${id}" is not whole` };
  }
  const active = Object.entries(value.active).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { state: 'read', profiles: { active: new Map(active), profiles: profiles as Map<string, Profile> } };
}

function empty(): Profiles {
  return { active: new Map(), profiles: new Map() };
}

function serialize({ active, profiles }: Profiles): string {
  const file = { version: VERSION, active: Object.fromEntries(active), profiles: Object.fromEntries(profiles) };
  return `${JSON.stringify(file, undefined, 1)}\n`;
}

function isProfile(value: unknown): value is Profile {
  if (!isRecord(value)) return false;
  const own = OWN_TEXTS[value.kind as Profile['kind']];
  const texts = ['profileId', 'provider', 'createdAt', 'updatedAt', ...(own ?? [])];
  return own !== undefined && texts.every((key) => typeof value[key] === 'string');
}

const OWN_TEXTS: Readonly<Record<Profile['kind'], readonly string[]>> = {
  oauth: ['access', 'refresh', 'expiresAt'],
  'api-key': ['key'],
  'no-key': ['baseUrl'],
  borrowed: ['path'],
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
