// Who may use the console. A link signs in once and expires; the browser then has a secret in a cookie, which can be revoked. The
// file is read for each request, so what another process revokes is void at once.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { OwnerFiles } from '../../storage/storage.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import {
  createAccessFile,
  type StoredAccess,
  type StoredKey,
  type StoredPerson,
  type StoredSession,
} from './access-file.ts';
import { consoleId } from './console-id.ts';
import { hashPassword, isPassword } from './password.ts';

/** The owner is a person without a record. */
export const OWNER_ID = 'owner';

export interface ConsolePerson {
  id: string;
  name: string;
  isOwner: boolean;
}

export type ApiKey = Omit<StoredKey, 'digest'>;

export type ConsoleSession = Omit<StoredSession, 'digest' | 'pageDigest'>;

/** What a browser gets when it signs in. `secret` is for the cookie, `page` for the page alone: a cookie is sent to every port of its host. */
export interface NewSignIn {
  secret: string;
  page: string;
  expiresAt: string;
}

export interface ConsoleSecrets {
  /** Whose secret this is; undefined when it was revoked or has expired. `isPage`: `page` belongs to the same sign-in. */
  signedIn(secret: string, page?: string): { person: ConsolePerson; sessionId: string; isPage: boolean } | undefined;
  /** Whom a link signs in; undefined when it is unknown, was used, or has expired. */
  link(code: string): ConsolePerson | undefined;
  /** The key that this is; undefined when it was revoked. */
  key(secret: string): ApiKey | undefined;
}

export interface ConsoleAccess {
  /** A code that signs in one browser as this person; the owner by default. Rejects when there is no such person. */
  createLink(options?: { person?: string; ttlMs?: number }): Promise<{ code: string; expiresAt: string }>;
  /** What comparing needs: read first, so that comparing itself waits for nothing and its limit can count before it. */
  secrets(): Promise<ConsoleSecrets>;
  /** Undefined when the code is unknown, was used, or has expired. */
  redeem(code: string, agent: string): Promise<NewSignIn | undefined>;
  /** Signs a browser in as somebody who has proven who they are. */
  signIn(person: string, agent: string): Promise<NewSignIn>;
  /** Undefined takes it away: then only links sign in. Replacing one signs the owner's browsers out, except `keep`. */
  setPassword(password: string | undefined, options?: { keep?: string }): Promise<void>;
  hasPassword(): Promise<boolean>;
  /** False while there is none. Slow by design: count attempts first. */
  isPassword(password: string): Promise<boolean>;
  sessions(): Promise<ConsoleSession[]>;
  /** False when there is no such session. */
  revoke(sessionId: string): Promise<boolean>;
  people(): Promise<StoredPerson[]>;
  keys(): Promise<ApiKey[]>;
  /** The caller gets the secret once and never again. */
  createKey(name: string): Promise<ApiKey & { secret: string }>;
  /** False when there is no such key. */
  revokeKey(id: string): Promise<boolean>;
  addPerson(name: string): Promise<StoredPerson>;
  /** Also signs them out. Their conversations stay. False when there is no such person. */
  removePerson(id: string): Promise<boolean>;
  /** The ids of the sessions that are signed in now. */
  signedInIds(): Promise<ReadonlySet<string>>;
  /** Names the storage: the same for all its gateways, another one for every other storage. */
  storageId(): Promise<string>;
  /** Called with the ids that remain when this process has signed somebody out. Returns the function that ends it. */
  onSignedOut(listener: (remaining: ReadonlySet<string>) => void): () => void;
}

const KEY_PREFIX = 'lk-';
const LINK_MS = 10 * 60_000;
const SESSION_MS = 30 * 24 * 3_600_000;
const SEEN_EVERY_MS = 3_600_000;
const MOST_LINKS = 50;
const MOST_SESSIONS = 200;
const LONGEST_AGENT = 200;
const LONGEST_NAME = 80;

export function createConsoleAccess({ files, now }: { files: OwnerFiles; now(): number }): ConsoleAccess {
  const file = createAccessFile(files);
  const time = (ms: number): string => new Date(ms).toISOString();
  const isOver = ({ expiresAt }: { expiresAt: string }): boolean => Date.parse(expiresAt) <= now();

  function personOf({ people }: StoredAccess, id: string): ConsolePerson | undefined {
    if (id === OWNER_ID) return { id, name: OWNER_ID, isOwner: true };
    const found = people.find((person) => person.id === id);
    return found && { id, name: found.name, isOwner: false };
  }

  const listeners = new Set<(remaining: ReadonlySet<string>) => void>();

  function idsIn(access: StoredAccess): ReadonlySet<string> {
    const valid = access.sessions.filter((session) => !isOver(session) && personOf(access, session.person));
    return new Set(valid.map(({ id }) => id));
  }

  /** Changes the file, and tells the listeners before anybody learns that it is done. */
  async function signOut<T>(change: (access: StoredAccess) => T): Promise<T> {
    const { outcome, remaining } = await file.update((access) => ({
      outcome: change(access),
      remaining: idsIn(access),
    }));
    for (const listener of listeners) listener(remaining);
    return outcome;
  }

  function clean(access: StoredAccess): void {
    access.links = access.links.filter((link) => !isOver(link)).slice(-MOST_LINKS);
    access.sessions = access.sessions.filter((session) => !isOver(session)).slice(-MOST_SESSIONS);
  }

  function addSession(access: StoredAccess, person: string, agent: string): NewSignIn {
    const secret = newSecret();
    const page = newSecret();
    const at = time(now());
    const expiresAt = time(now() + SESSION_MS);
    access.sessions.push({
      id: randomBytes(6).toString('hex'),
      digest: digestOf(secret),
      pageDigest: digestOf(page),
      person,
      createdAt: at,
      seenAt: at,
      expiresAt,
      agent: agent.slice(0, LONGEST_AGENT),
    });
    return { secret, page, expiresAt };
  }

  return {
    async createLink({ person = OWNER_ID, ttlMs = LINK_MS } = {}) {
      const code = newSecret();
      const expiresAt = time(now() + ttlMs);
      await file.update((access) => {
        if (!personOf(access, person)) throw unknownPerson(person);
        access.links.push({ digest: digestOf(code), person, expiresAt });
        clean(access);
      });
      return { code, expiresAt };
    },

    async redeem(code, agent) {
      const digest = digestOf(code);
      return file.update((access) => {
        clean(access);
        const link = access.links.find((each) => isSame(each.digest, digest));
        if (!link) return undefined;
        access.links = access.links.filter((each) => each !== link);
        return addSession(access, link.person, agent);
      });
    },

    signIn: (person, agent) => file.update((access) => addSession(access, person, agent)),

    async setPassword(password, { keep } = {}) {
      const stored = password === undefined ? undefined : await hashPassword(password);
      await signOut((access) => {
        const isReplaced = access.password !== undefined;
        access.password = stored;
        if (isReplaced)
          access.sessions = access.sessions.filter(({ person, id }) => person !== OWNER_ID || id === keep);
      });
    },

    hasPassword: async () => (await file.read()).password !== undefined,

    async isPassword(password) {
      const { password: stored } = await file.read();
      return stored !== undefined && isPassword(password, stored);
    },

    async secrets() {
      const access = await file.read();
      return {
        signedIn(secret, page = '') {
          const digest = digestOf(secret);
          const session = access.sessions.find((each) => isSame(each.digest, digest));
          if (!session || isOver(session)) return undefined;
          const person = personOf(access, session.person);
          if (!person) return undefined;
          // Nobody waits for it: the next request tries again.
          if (now() - Date.parse(session.seenAt) >= SEEN_EVERY_MS) void seen(session.id).catch(() => {});
          const { id, pageDigest = '' } = session;
          return { person, sessionId: id, isPage: isSame(pageDigest, digestOf(page)) };
        },
        link(code) {
          const digest = digestOf(code);
          const found = access.links.find((link) => isSame(link.digest, digest) && !isOver(link));
          return found && personOf(access, found.person);
        },
        key(secret) {
          const digest = digestOf(secret);
          const found = access.keys.find((each) => isSame(each.digest, digest));
          if (!found) return undefined;
          if (now() - Date.parse(found.usedAt ?? '1970') >= SEEN_EVERY_MS) void used(found.id).catch(() => {});
          return shownKey(found);
        },
      };
    },

    sessions: async () =>
      (await file.read()).sessions
        .filter((each) => !isOver(each))
        .map(({ digest: _, pageDigest: __, ...shown }) => shown),

    revoke: (sessionId) =>
      signOut((access) => {
        const before = access.sessions.length;
        access.sessions = access.sessions.filter(({ id }) => id !== sessionId);
        return access.sessions.length < before;
      }),

    people: async () => (await file.read()).people,

    keys: async () => (await file.read()).keys.map(shownKey),

    async createKey(given) {
      const secret = `${KEY_PREFIX}${newSecret()}`;
      const name = checkedName(given);
      return file.update(({ keys }) => {
        const key = { id: randomBytes(5).toString('hex'), name, digest: digestOf(secret), createdAt: time(now()) };
        keys.push(key);
        return { ...shownKey(key), secret };
      });
    },

    revokeKey: (id) =>
      file.update((access) => {
        const before = access.keys.length;
        access.keys = access.keys.filter((key) => key.id !== id);
        return access.keys.length < before;
      }),

    async addPerson(given) {
      const name = checkedName(given);
      return file.update(({ people }) => {
        if (name.toLowerCase() === OWNER_ID || people.some((each) => each.name.toLowerCase() === name.toLowerCase()))
          throw new CodedError('PERSON_EXISTS', `there is a person named "${name}" already: choose another name`);
        const person = { id: randomBytes(5).toString('hex'), name, createdAt: time(now()) };
        people.push(person);
        return person;
      });
    },

    removePerson: (id) =>
      signOut((access) => {
        const before = access.people.length;
        access.people = access.people.filter((person) => person.id !== id);
        access.sessions = access.sessions.filter(({ person }) => person !== id);
        access.links = access.links.filter(({ person }) => person !== id);
        return access.people.length < before;
      }),

    signedInIds: async () => idsIn(await file.read()),

    storageId: () => consoleId(files),

    onSignedOut(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  async function used(id: string): Promise<void> {
    await file.update(({ keys }) => {
      const key = keys.find((each) => each.id === id);
      if (key) key.usedAt = time(now());
    });
  }

  async function seen(id: string): Promise<void> {
    await file.update(({ sessions }) => {
      const session = sessions.find((each) => each.id === id);
      if (!session) return;
      session.seenAt = time(now());
      session.expiresAt = time(now() + SESSION_MS);
    });
  }
}

function shownKey({ digest: _, ...shown }: StoredKey): ApiKey {
  return shown;
}

function checkedName(given: string): string {
  const name = given.trim();
  if (name !== '' && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name)) return name;
  throw new CodedError('INVALID_NAME', `a name has 1 to ${LONGEST_NAME} characters, none of them a control character`);
}

function unknownPerson(id: string): CodedError {
  return new CodedError('PERSON_UNKNOWN', `there is no person "${id}": "lainclaw console people" lists them`);
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Digests have one length, and comparing them takes constant time. */
function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
