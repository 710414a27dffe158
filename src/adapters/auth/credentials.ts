// Hands out credentials that are fresh. A key of the environment is used before the active profile, a profile asked for
// by name before both. A ChatGPT token is renewed shortly before it expires, under the lock and after reading the file
// again, so that of two processes exactly one does it. A token borrowed from another program is read there each time.
import { StorageError } from '../../storage/storage.ts';
import type { ModelFailure } from '../adapter.ts';
import { cancelled } from '../cancellation.ts';
import { findProvider } from '../providers/all.ts';
import { keyInEnvironment, type Provider, signInAdvice } from '../providers/provider.ts';
import { AuthError } from './auth-error.ts';
import { borrowCodexToken } from './codex-file.ts';
import type { CodexTokens, TokenEndpoint } from './codex-tokens.ts';
import type { Credential, CredentialRequest, CredentialSource } from './credential.ts';
import { keyForHeader } from './keys.ts';
import type { OAuthProfile, Profile, ProfileFile } from './profiles.ts';

export interface CredentialsOptions {
  file: ProfileFile;
  tokens: TokenEndpoint;
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

const REFRESH_BEFORE_MS = 2 * 60 * 1000;
const LOGIN = 'lainclaw auth login openai-codex';

export function createCredentials({ file, tokens, env, now }: CredentialsOptions): CredentialSource {
  async function credential(name: string, request: CredentialRequest = {}): Promise<Credential> {
    const provider = findProvider(name);
    if (!provider) return { ok: true, kind: 'none' };
    try {
      const chosen = await choose(provider, request);
      if (!('profile' in chosen)) return chosen;
      const { profile } = chosen;
      if (profile.kind === 'no-key') return { ok: true, kind: 'none', profileId: profile.profileId };
      if (profile.kind === 'api-key')
        return { ok: true, kind: 'api-key', secret: profile.key, profileId: profile.profileId };
      if (profile.kind === 'borrowed') {
        const { access, accountId } = await borrowCodexToken(profile.path, { now: now(), rejected: request.rejected });
        return { ok: true, kind: 'oauth', secret: access, profileId: profile.profileId, accountId };
      }
      const { access, profileId, accountId } = await fresh(profile, request);
      return { ok: true, kind: 'oauth', secret: access, profileId, accountId };
    } catch (error) {
      return { ok: false, failure: failureOf(error, provider, request) };
    }
  }

  async function choose(
    provider: Provider,
    { profileId, baseUrl }: CredentialRequest,
  ): Promise<Credential | { profile: Profile }> {
    const key = profileId === undefined ? keyForHeader(provider, env) : undefined;
    if (key) return { ok: true, kind: 'api-key', secret: key };
    const all = await file.read();
    const profile = all.profiles.get(profileId ?? all.active.get(provider.name) ?? '');
    if (profile && profile.provider === provider.name && belongsTo(profile, baseUrl)) return { profile };
    if (profileId !== undefined) {
      const problem = profile
        ? `Profile "${profileId}" is for ${placeOf(profile)}`
        : `There is no profile "${profileId}"`;
      return {
        ok: false,
        failure: {
          code: 'auth',
          message: `${problem}. "lainclaw auth status" lists them; to sign in: ${signInAdvice(provider)}`,
        },
      };
    }
    if (provider.signIn === 'optional-key' || provider.signIn === 'none') return { ok: true, kind: 'none' };
    return {
      ok: false,
      failure: { code: 'auth', message: `Not signed in to ${provider.name}. To sign in: ${signInAdvice(provider)}` },
    };
  }

  async function profileFor(name: string, request: CredentialRequest = {}): Promise<string | undefined> {
    const provider = findProvider(name);
    const chosen = provider && (await choose(provider, request));
    return chosen && 'profile' in chosen ? chosen.profile.profileId : undefined;
  }

  async function baseUrlFor(name: string, profileId?: string): Promise<string | undefined> {
    const provider = findProvider(name);
    if (!provider || (profileId === undefined && keyInEnvironment(provider, env))) return undefined;
    const all = await file.read().catch(() => undefined);
    const profile = all?.profiles.get(profileId ?? all.active.get(name) ?? '');
    return profile && profile.provider === name && 'baseUrl' in profile ? profile.baseUrl : undefined;
  }

  /** The profile with a token that will last a while, renewed when it has to be. */
  async function fresh(profile: OAuthProfile, { rejected, signal }: CredentialRequest): Promise<OAuthProfile> {
    const isFresh = (candidate: OAuthProfile): boolean =>
      candidate.access !== rejected && Date.parse(candidate.expiresAt) - now() > REFRESH_BEFORE_MS;
    if (isFresh(profile)) return profile;
    return file.update(
      async (all) => {
        const current = all.profiles.get(profile.profileId);
        if (current?.kind !== 'oauth')
          throw new AuthError('AUTH_REVOKED', `Signed out meanwhile. To sign in: ${LOGIN}`);
        if (isFresh(current)) return current;
        const renewed = await tokens.refresh(current.refresh).catch((error: unknown) => {
          const isStillGood = current.access !== rejected && Date.parse(current.expiresAt) > now();
          if (isStillGood && (error as AuthError).code === 'AUTH_UNREACHABLE') return undefined;
          throw error;
        });
        if (!renewed) return current;
        const updated: OAuthProfile = { ...current, ...known(renewed), updatedAt: new Date(now()).toISOString() };
        all.profiles.set(updated.profileId, updated);
        return updated;
      },
      { signal },
    );
  }

  return { credential, profileFor, baseUrlFor };
}

/** Without the fields a renewal did not tell. */
function known(tokens: CodexTokens): Partial<CodexTokens> {
  return Object.fromEntries(Object.entries(tokens).filter(([, value]) => value !== undefined));
}

/** A key stored for one server is not sent to another. */
function belongsTo(profile: Profile, baseUrl: string | undefined): boolean {
  if (!('baseUrl' in profile) || !profile.baseUrl || !baseUrl) return true;
  return new URL(profile.baseUrl).origin === new URL(baseUrl).origin;
}

function placeOf(profile: Profile): string {
  return 'baseUrl' in profile && profile.baseUrl ? profile.baseUrl : profile.provider;
}

function failureOf(error: unknown, provider: Provider, { signal }: CredentialRequest): ModelFailure {
  if (signal?.aborted) return cancelled();
  if (error instanceof AuthError) {
    return { code: error.code === 'AUTH_UNREACHABLE' ? 'network' : 'auth', message: error.message };
  }
  const reason = error instanceof StorageError ? error.message : 'the stored sign-in cannot be used';
  return { code: 'auth', message: `${reason}. To sign in: ${signInAdvice(provider)}` };
}
