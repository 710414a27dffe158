// Signing in and out: the profiles of auth-profiles.json, and what may be shown of them.
import { setTimeout as delay } from 'node:timers/promises';
import { nearest } from '../../lib/nearest.ts';
import type { Locks } from '../../storage/locks.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { readBaseUrl } from '../base-url.ts';
import { findProvider, PROVIDERS } from '../providers/all.ts';
import { baseUrlVariableOf, keyInEnvironment, loginCommand, type Provider } from '../providers/provider.ts';
import { AuthError } from './auth-error.ts';
import { borrowCodexToken } from './codex-file.ts';
import type { LoginInteraction } from './codex-login.ts';
import { CODEX_ISSUER, createTokenEndpoint } from './codex-tokens.ts';
import type { CredentialSource } from './credential.ts';
import { createCredentials } from './credentials.ts';
import { isUsableKey, mask } from './keys.ts';
import {
  type ApiKeyProfile,
  type BorrowedProfile,
  createProfileFile,
  type NoKeyProfile,
  type OAuthProfile,
  type Profile,
  type Profiles,
} from './profiles.ts';

export type LoginRequest =
  | {
      provider: string;
      method: 'browser' | 'device';
      interaction: LoginInteraction;
      profileId?: string;
      signal: AbortSignal;
    }
  | {
      provider: string;
      method: 'api-key';
      key: string;
      baseUrl?: string;
      profileId?: string;
      /** Asks the service before anything is stored; what it rejects with is why nothing was. */
      verify?(connection: { provider: Provider; baseUrl?: string; key: string }): Promise<void>;
    }
  /** A server that wants no key. */
  | {
      provider: string;
      method: 'no-key';
      baseUrl: string;
      profileId?: string;
      verify?(connection: { provider: Provider; baseUrl: string }): Promise<void>;
    }
  /** The sign-in of Codex, which stays where it is. */
  | { provider: 'openai-codex'; method: 'borrowed'; path: string };

/** Never holds a secret: at most its last four characters. */
export interface ProfileStatus {
  profileId: string;
  provider: string;
  kind: Profile['kind'];
  active: boolean;
  createdAt: string;
  updatedAt: string;
  key?: string;
  baseUrl?: string;
  /** The file of the program whose sign-in is used. */
  borrowedFrom?: string;
  email?: string;
  accountId?: string;
  expiresAt?: string;
  /** An expired token is renewed at its next use. */
  expired?: boolean;
}

export interface AuthStatus {
  path: string;
  profiles: ProfileStatus[];
  /** Keys found in the environment, which come before the active profile. */
  environment: { provider: string; variable: string; key: string }[];
}

export interface Auth extends CredentialSource {
  /** Resolves once the profile is durable and active. Throws an AuthError or a StorageError. */
  login(request: LoginRequest): Promise<ProfileStatus>;
  status(): Promise<AuthStatus>;
  use(profileId: string): Promise<ProfileStatus>;
  /** Returns the ids of the profiles that were removed. */
  logout(which: string | { all: true }): Promise<string[]>;
}

export interface AuthOptions {
  files: OwnerFiles;
  locks: Locks;
  now(): number;
  env: Readonly<Record<string, string | undefined>>;
  fetch?: typeof globalThis.fetch;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  issuer?: string;
  callbackPort?: number;
}

const CALLBACK_PORT = 1455;
const ISSUER_VARIABLE = 'LAINCLAW_OPENAI_CODEX_ISSUER';
const CALLBACK_PORT_VARIABLE = 'LAINCLAW_OPENAI_CODEX_CALLBACK_PORT';

export function createAuth(options: AuthOptions): Auth {
  const {
    files,
    locks,
    now,
    env,
    fetch = globalThis.fetch,
    callbackPort = Number(env[CALLBACK_PORT_VARIABLE]) || CALLBACK_PORT,
  } = options;
  const sleep = options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const file = createProfileFile({ files, locks, now });
  const issuer = (): string => options.issuer ?? issuerIn(env);
  const tokens = createTokenEndpoint({ fetch, now, issuer });

  async function login(request: LoginRequest): Promise<ProfileStatus> {
    const provider = knownProvider(request.provider);
    if (request.method === 'api-key') {
      if (provider.signIn === 'chatgpt' || provider.signIn === 'none') throw wrongMethod(provider);
      const profile = apiKeyProfile(provider, request);
      await request.verify?.({ provider, baseUrl: profile.baseUrl, key: profile.key });
      return store(profile);
    }
    if (request.method === 'no-key') {
      if (provider.signIn === 'chatgpt' || provider.signIn === 'api-key') throw wrongMethod(provider);
      const baseUrl = serverOf(provider, request.baseUrl) ?? request.baseUrl;
      checkName(request.profileId);
      await request.verify?.({ provider, baseUrl });
      const profileId = request.profileId ?? `${provider.name}:${new URL(baseUrl).host}`;
      return store({ kind: 'no-key', profileId, provider: provider.name, baseUrl });
    }
    if (provider.signIn !== 'chatgpt') throw wrongMethod(provider);
    if (request.method === 'borrowed') {
      const { path } = request;
      await borrowCodexToken(path, { now: now() });
      return store({ kind: 'borrowed', profileId: `${provider.name}:codex`, provider: provider.name, path });
    }
    const { interaction, signal, method } = request;
    checkName(request.profileId);
    const { createCodexLogin } = await import('./codex-login.ts');
    const codex = createCodexLogin({ fetch, now, sleep, issuer: issuer(), callbackPort, tokens });
    const given = await (method === 'browser'
      ? codex.withBrowser(interaction, signal)
      : codex.withDeviceCode(interaction, signal));
    const profileId = request.profileId ?? `${provider.name}:${given.email ?? given.accountId ?? 'default'}`;
    return store({ ...given, kind: 'oauth', profileId, provider: provider.name });
  }

  function apiKeyProfile(provider: Provider, request: Extract<LoginRequest, { method: 'api-key' }>): UnstoredKey {
    const key = request.key.trim();
    if (!isUsableKey(key)) {
      const reason = 'it is empty, or holds spaces or characters no key has';
      throw new AuthError('AUTH_BAD_KEY', `That is not a key: ${reason}. Nothing was stored.`);
    }
    checkName(request.profileId);
    const baseUrl = serverOf(provider, request.baseUrl ?? env[baseUrlVariableOf(provider)]);
    const place = baseUrl ? new URL(baseUrl).host : 'default';
    const profileId = request.profileId ?? `${provider.name}:${place}`;
    return { kind: 'api-key', profileId, provider: provider.name, key, ...(baseUrl ? { baseUrl } : {}) };
  }

  function store(profile: Unstored): Promise<ProfileStatus> {
    return file.update(
      (all) => {
        const before = all.profiles.get(profile.profileId);
        if (before && before.provider !== profile.provider) {
          throw new AuthError(
            'AUTH_UNKNOWN_PROFILE',
            `Profile "${profile.profileId}" belongs to ${before.provider}. Choose another name.`,
          );
        }
        const time = new Date(now()).toISOString();
        const stored: Profile = { ...profile, createdAt: before?.createdAt ?? time, updatedAt: time };
        all.profiles.set(stored.profileId, stored);
        all.active.set(stored.provider, stored.profileId);
        return statusOf(stored, all);
      },
      { replaceDamaged: true },
    );
  }

  async function status(): Promise<AuthStatus> {
    const all = await file.read();
    const environment = PROVIDERS.flatMap((provider) => {
      const found = keyInEnvironment(provider, env);
      return found ? [{ provider: provider.name, variable: found.variable, key: mask(found.key) }] : [];
    });
    return {
      path: file.path,
      profiles: [...all.profiles.values()].map((profile) => statusOf(profile, all)),
      environment,
    };
  }

  function statusOf(profile: Profile, { active }: Profiles): ProfileStatus {
    const { profileId, provider, kind, createdAt, updatedAt } = profile;
    const common = { profileId, provider, kind, active: active.get(provider) === profileId, createdAt, updatedAt };
    if (profile.kind === 'no-key') return { ...common, baseUrl: profile.baseUrl };
    if (profile.kind === 'borrowed') return { ...common, borrowedFrom: profile.path };
    if (profile.kind === 'api-key') return { ...common, key: mask(profile.key), baseUrl: profile.baseUrl };
    const { email, accountId, expiresAt } = profile;
    return { ...common, email, accountId, expiresAt, expired: Date.parse(expiresAt) <= now() };
  }

  function use(profileId: string): Promise<ProfileStatus> {
    return file.update((all) => {
      const profile = all.profiles.get(profileId) ?? unknownProfile(profileId, all);
      all.active.set(profile.provider, profileId);
      return statusOf(profile, all);
    });
  }

  function logout(which: string | { all: true }): Promise<string[]> {
    return file.update((all) => {
      const removed =
        typeof which === 'string'
          ? [(all.profiles.get(which) ?? unknownProfile(which, all)).profileId]
          : [...all.profiles.keys()];
      for (const id of removed) all.profiles.delete(id);
      for (const [provider, id] of all.active) {
        if (all.profiles.has(id)) continue;
        const next = [...all.profiles.values()].find((profile) => profile.provider === provider);
        if (next) all.active.set(provider, next.profileId);
        else all.active.delete(provider);
      }
      return removed;
    });
  }

  return { login, status, use, logout, ...createCredentials({ file, tokens, env, now }) };
}

type UnstoredKey = Omit<ApiKeyProfile, 'createdAt' | 'updatedAt'>;
type Unstored =
  | UnstoredKey
  | Omit<OAuthProfile, 'createdAt' | 'updatedAt'>
  | Omit<NoKeyProfile, 'createdAt' | 'updatedAt'>
  | Omit<BorrowedProfile, 'createdAt' | 'updatedAt'>;

function knownProvider(name: string): Provider {
  const provider = findProvider(name);
  if (provider) return provider;
  const names = PROVIDERS.map(({ name: known }) => known);
  const close = nearest(name, names);
  const hint = close ? ` (did you mean "${close}"?)` : '';
  throw new AuthError(
    'AUTH_UNKNOWN_PROVIDER',
    `There is no provider "${name}" to sign in to${hint}. There are: ${names.join(', ')}`,
  );
}

function wrongMethod(provider: Provider): AuthError {
  return new AuthError('AUTH_LOGIN_FAILED', `${provider.name} is signed in to with: ${loginCommand(provider)}`);
}

/**
 * The issuer that signs in to ChatGPT: another one for tests and for those who run one. What is sent there are tokens, so
 * it is this machine or it is encrypted.
 */
export function issuerIn(env: Readonly<Record<string, string | undefined>>): string {
  const given = env[ISSUER_VARIABLE];
  if (!given) return CODEX_ISSUER;
  const parsed = readBaseUrl(given);
  const url = parsed.ok ? new URL(parsed.url) : undefined;
  const isHere = url !== undefined && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(url.hostname);
  if (parsed.ok && (isHere || url?.protocol === 'https:')) return parsed.url;
  throw new AuthError(
    'AUTH_BAD_ISSUER',
    `${ISSUER_VARIABLE} cannot be used: accepted are an https:// address, or an http:// address of this machine`,
  );
}

/** The server a key is for. Where there are many, a key without one would go to any of them. */
function serverOf(provider: Provider, given: string | undefined): string | undefined {
  const { name, signIn } = provider;
  if (!given && signIn !== 'optional-key') return undefined;
  if (!given) {
    throw new AuthError(
      'AUTH_BAD_ADDRESS',
      `Say which server the key of ${name} is for: --base-url or ${baseUrlVariableOf(provider)}.`,
    );
  }
  const parsed = readBaseUrl(given);
  if (parsed.ok) return parsed.url;
  throw new AuthError('AUTH_BAD_ADDRESS', `The base URL cannot be used: ${parsed.problem}. Nothing was stored.`);
}

function checkName(profileId: string | undefined): void {
  if (profileId === undefined || /^[^\s\p{C}]{1,100}$/u.test(profileId)) return;
  throw new AuthError('AUTH_BAD_NAME', 'A profile name has 1 to 100 characters and no spaces. Nothing was stored.');
}

function unknownProfile(profileId: string, { profiles }: Profiles): never {
  const names = [...profiles.keys()].join(', ') || 'none';
  throw new AuthError('AUTH_UNKNOWN_PROFILE', `There is no profile "${profileId}". There are: ${names}`);
}
