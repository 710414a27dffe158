// Signing in to ChatGPT. With a browser: the page is opened, and whichever comes first wins: the browser returning to
// this machine, or the code (or the whole address) pasted by hand. Without one: a code is shown, to be typed in on any
// other device, and we ask until it was.
import { createHash, randomBytes } from 'node:crypto';
import { AuthError } from './auth-error.ts';
import { startCallbackServer } from './callback-server.ts';
import { CODEX_CLIENT_ID, type CodexTokens, type TokenEndpoint } from './codex-tokens.ts';

/** What the person at the terminal sees and is asked. */
export interface LoginInteraction {
  showUrl(url: string): void;
  showDeviceCode(code: { userCode: string; verificationUrl: string }): void;
  /** Rejects or never settles when nothing can be typed in. */
  readPastedCode(signal: AbortSignal): Promise<string>;
  progress(text: string): void;
}

export interface CodexLoginOptions {
  fetch: typeof globalThis.fetch;
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  issuer: string;
  /** The service only returns to 1455. */
  callbackPort: number;
  tokens: TokenEndpoint;
}

export interface CodexLogin {
  withBrowser(interaction: LoginInteraction, signal: AbortSignal): Promise<CodexTokens>;
  withDeviceCode(interaction: LoginInteraction, signal: AbortSignal): Promise<CodexTokens>;
}

const CALLBACK_PATH = '/auth/callback';
const DEVICE_LIFETIME_MS = 15 * 60 * 1000;
const SHORTEST_INTERVAL_MS = 1000;
const DEFAULT_INTERVAL_SECONDS = 5;
const SLOW_DOWN_MS = 5000;

export function createCodexLogin({ fetch, now, sleep, issuer, callbackPort, tokens }: CodexLoginOptions): CodexLogin {
  async function withBrowser(interaction: LoginInteraction, signal: AbortSignal): Promise<CodexTokens> {
    const verifier = randomBytes(48).toString('base64url');
    const state = randomBytes(24).toString('base64url');
    const redirectUri = `http://localhost:${callbackPort}${CALLBACK_PATH}`;
    const server = await startCallbackServer({ port: callbackPort, path: CALLBACK_PATH, state });
    const settled = new AbortController();
    try {
      interaction.showUrl(authorizeUrl({ issuer, redirectUri, state, verifier }));
      if (!server.isListening) {
        interaction.progress(
          `Port ${callbackPort} is in use: after signing in, paste the address the browser ends at.`,
        );
      }
      const pasted = pastedCode(interaction, state, settled.signal);
      const code = await orCancelled(Promise.race([server.code, pasted]), signal);
      return await tokens.exchange({ code, verifier, redirectUri }, signal);
    } catch (error) {
      throw loginFailure(error);
    } finally {
      settled.abort();
      server.close();
    }
  }

  async function withDeviceCode(interaction: LoginInteraction, signal: AbortSignal): Promise<CodexTokens> {
    try {
      const { id, userCode, intervalMs } = await requestDeviceCode(signal);
      interaction.showDeviceCode({ userCode, verificationUrl: `${issuer}/codex/device` });
      const { code, verifier } = await pollForCode(id, userCode, intervalMs, signal);
      return await tokens.exchange({ code, verifier, redirectUri: `${issuer}/deviceauth/callback` }, signal);
    } catch (error) {
      throw signal.aborted ? cancelledLogin() : loginFailure(error);
    }
  }

  async function requestDeviceCode(signal: AbortSignal): Promise<{ id: string; userCode: string; intervalMs: number }> {
    const { status, body } = await post('/api/accounts/deviceauth/usercode', { client_id: CODEX_CLIENT_ID }, signal);
    if (status === 404) throw failed('This account cannot sign in with a code. Use the browser instead');
    const { device_auth_id: id, user_code: userCode, interval } = body;
    if (status !== 200 || typeof id !== 'string' || typeof userCode !== 'string')
      throw failed(`No code was given (HTTP ${status})`);
    const seconds = Number(interval ?? DEFAULT_INTERVAL_SECONDS);
    const intervalMs = Math.max(
      SHORTEST_INTERVAL_MS,
      (Number.isFinite(seconds) ? seconds : DEFAULT_INTERVAL_SECONDS) * 1000,
    );
    return { id, userCode, intervalMs };
  }

  async function pollForCode(
    id: string,
    userCode: string,
    firstIntervalMs: number,
    signal: AbortSignal,
  ): Promise<{ code: string; verifier: string }> {
    const deadline = now() + DEVICE_LIFETIME_MS;
    for (let intervalMs = firstIntervalMs; now() < deadline; await sleep(intervalMs, signal)) {
      const { status, body } = await post(
        '/api/accounts/deviceauth/token',
        { device_auth_id: id, user_code: userCode },
        signal,
      );
      const { authorization_code: code, code_verifier: verifier, error } = body;
      if (status === 200 && typeof code === 'string' && typeof verifier === 'string') return { code, verifier };
      const named = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : error;
      if (named === 'slow_down') intervalMs += SLOW_DOWN_MS;
      else if (status !== 403 && status !== 404 && named !== 'deviceauth_authorization_pending')
        throw failed(`The code was not accepted (HTTP ${status})`);
    }
    throw failed('The code was not used in time');
  }

  async function post(
    path: string,
    fields: object,
    signal: AbortSignal,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    const response = await fetch(issuer + path, { ...request, redirect: 'error', signal }).catch((error: unknown) => {
      throw new AuthError('AUTH_UNREACHABLE', `${issuer} cannot be reached. Check the network and try again.`, error);
    });
    const body: unknown = await response.json().catch(() => undefined);
    return {
      status: response.status,
      body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {},
    };
  }

  return { withBrowser, withDeviceCode };
}

function authorizeUrl(flow: { issuer: string; redirectUri: string; state: string; verifier: string }): string {
  const url = new URL('/oauth/authorize', flow.issuer);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: CODEX_CLIENT_ID,
    redirect_uri: flow.redirectUri,
    scope: 'openid profile email offline_access',
    code_challenge: createHash('sha256').update(flow.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: flow.state,
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    originator: 'pi',
  }).toString();
  return url.toString();
}

/** Asks until something with a code in it was pasted; waits for ever when nothing can be. */
async function pastedCode(interaction: LoginInteraction, state: string, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const input = await interaction.readPastedCode(signal).catch(() => undefined);
    if (input === undefined) break;
    const pasted = readPasted(input);
    if (pasted.state !== undefined && pasted.state !== state)
      interaction.progress('That address belongs to another sign-in.');
    else if (!pasted.code)
      interaction.progress('There is no code in that. Paste the whole address the browser ended at.');
    else return pasted.code;
  }
  return new Promise(() => {});
}

/** A whole address, its query, `code#state`, or the code alone. */
function readPasted(input: string): { code?: string; state?: string } {
  const value = input.trim();
  const query = URL.canParse(value)
    ? new URL(value).searchParams
    : value.includes('code=')
      ? new URLSearchParams(value)
      : undefined;
  if (query) return { code: query.get('code') ?? undefined, state: query.get('state') ?? undefined };
  const [code, state] = value.split('#', 2);
  return { code, state };
}

function orCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(cancelledLogin());
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

function cancelledLogin(): AuthError {
  return new AuthError('AUTH_CANCELLED', 'Signing in was cancelled.');
}

function failed(reason: string): AuthError {
  return new AuthError('AUTH_LOGIN_FAILED', `${reason}. Try again: lainclaw auth login openai-codex`);
}

function loginFailure(error: unknown): AuthError {
  if (error instanceof AuthError) {
    // Nothing was signed in yet that could have been revoked.
    return error.code === 'AUTH_REVOKED' ? failed('The code was not accepted') : error;
  }
  return new AuthError(
    'AUTH_LOGIN_FAILED',
    `Signing in did not work (${reason(error)}). Try again: lainclaw auth login openai-codex`,
    error,
  );
}

function reason(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message?: string };
  return cause?.code ?? message ?? 'no reason given';
}
