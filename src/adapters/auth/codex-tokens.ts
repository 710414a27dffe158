// The token endpoint of ChatGPT sign-in. What it answers is never quoted: it holds tokens when it went well, and may
// when it did not. Written here rather than taken from the library, whose flows cannot be given a fetch, are reached by
// a specifier bundlers cannot follow, and put whole token responses into error messages.
import { AuthError } from './auth-error.ts';

export const CODEX_CLIENT_ID = 'app_EMoamEEZ73f0CkXaXp7hrann';
export const CODEX_ISSUER = 'https://auth.openai.com';
const LOGIN = 'lainclaw auth login openai-codex';
const TIMEOUT_MS = 30_000;
/** What the backend requires to be sent with every request is a claim of the access token. */
const CLAIM = 'https://api.openai.com/auth';

export interface CodexTokens {
  access: string;
  refresh: string;
  expiresAt: string;
  accountId?: string;
  email?: string;
}

export interface TokenEndpoint {
  exchange(grant: { code: string; verifier: string; redirectUri: string }, signal: AbortSignal): Promise<CodexTokens>;
  /** Cannot be cancelled: the service may already have replaced the refresh token when we hang up. */
  refresh(refreshToken: string): Promise<CodexTokens>;
}

export interface TokenEndpointOptions {
  fetch: typeof globalThis.fetch;
  now(): number;
  /** Throws an AuthError when the one that is set cannot be used. */
  issuer(): string;
}

export function createTokenEndpoint({ fetch, now, issuer: issuerNow }: TokenEndpointOptions): TokenEndpoint {
  async function post(fields: Record<string, string>, signal?: AbortSignal): Promise<Record<string, unknown>> {
    const issuer = issuerNow();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ client_id: CODEX_CLIENT_ID, ...fields }),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      body = await response.json().catch(() => undefined);
    } catch (error) {
      if (signal?.aborted) throw new AuthError('AUTH_CANCELLED', 'Signing in was cancelled.');
      throw new AuthError('AUTH_UNREACHABLE', `${issuer} cannot be reached. Check the network and try again.`, error);
    }
    const answer = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    if (!response.ok) throw refused(response.status, answer, issuer);
    return answer;
  }

  function tokens(answer: Record<string, unknown>, previousRefresh?: string): CodexTokens {
    const { access_token: access, refresh_token: refresh = previousRefresh, expires_in: seconds } = answer;
    if (typeof access !== 'string' || typeof refresh !== 'string' || typeof seconds !== 'number') {
      throw new AuthError('AUTH_LOGIN_FAILED', `The answer of ${issuerNow()} was incomplete. Try again: ${LOGIN}`);
    }
    const { accountId } = claimsOf(access);
    if (!accountId) {
      throw new AuthError(
        'AUTH_LOGIN_FAILED',
        `This ChatGPT account has no plan Codex can use. Sign in with another: ${LOGIN}`,
      );
    }
    const email =
      claimsOf(access).email ?? (typeof answer.id_token === 'string' ? claimsOf(answer.id_token).email : undefined);
    return { access, refresh, accountId, email, expiresAt: new Date(now() + seconds * 1000).toISOString() };
  }

  return {
    async exchange({ code, verifier, redirectUri }, signal) {
      const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
      return tokens(await post(fields, signal));
    },
    async refresh(refreshToken) {
      return tokens(await post({ grant_type: 'refresh_token', refresh_token: refreshToken }), refreshToken);
    },
  };
}

function refused(status: number, answer: Record<string, unknown>, issuer: string): AuthError {
  if (status >= 500 || status === 429) {
    return new AuthError('AUTH_UNREACHABLE', `${issuer} is not available (HTTP ${status}). Try again in a while.`);
  }
  const { error } = answer;
  const named = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : error;
  const reason = typeof named === 'string' && /^[\w .-]{1,60}$/.test(named) ? named : `HTTP ${status}`;
  return new AuthError(
    'AUTH_REVOKED',
    `The sign-in to ChatGPT is no longer valid (${reason}). Sign in again: ${LOGIN}`,
  );
}

interface Claims {
  accountId?: string;
  email?: string;
  expiresAt?: string;
}

/** The claims of a token; nothing is decided by them but when it is renewed. */
export function claimsOf(token: string): Claims {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    const account = (claims[CLAIM] as { chatgpt_account_id?: unknown } | undefined)?.chatgpt_account_id;
    const profile = claims['https://api.openai.com/profile'] as { email?: unknown } | undefined;
    const email = claims.email ?? profile?.email;
    const { exp } = claims;
    return {
      accountId: typeof account === 'string' && account !== '' ? account : undefined,
      email: typeof email === 'string' && email !== '' ? email : undefined,
      expiresAt: typeof exp === 'number' && exp > 0 ? new Date(exp * 1000).toISOString() : undefined,
    };
  } catch {
    return {};
  }
}
