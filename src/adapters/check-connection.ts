// Whether a service can be used with a key, found out by asking it: its list of models where that needs the key and costs
// nothing, otherwise one short question. What the list does not say is asked too.

import { redact } from '../lib/redact.ts';
import type { ModelFailure } from './adapter.ts';
import type { CredentialSource } from './auth/credential.ts';
import { NO_LIMITS } from './model-limits.ts';
import { readListed } from './models.ts';
import { createPiAdapter } from './pi/pi-adapter.ts';
import { errorIn } from './pi/provider-error.ts';
import { type Provider, signInAdvice } from './providers/provider.ts';

export interface ConnectionRequest {
  provider: Provider;
  baseUrl: string;
  /** Absent where none is needed. */
  key?: string;
  /** Instead of a key: what is signed in with. Then the service is asked a question. */
  credentials?: CredentialSource;
  /** Asked a question in any case: a model that does not exist is found out. */
  model?: string;
  signal?: AbortSignal;
}

export type CheckedConnection =
  | {
      ok: true;
      /** What its list names, where it was read. */
      models?: string[];
      /** It works, but not for this at this moment: out of credit, too many requests. */
      warning?: string;
    }
  /** `key`: not accepted. `address`: another program answers there. `network`: nobody answers. `model`: not this one. */
  | { ok: false; problem: 'key' | 'address' | 'network' | 'model'; reason: string };

export interface CheckDependencies {
  fetch: typeof globalThis.fetch;
  now(): number;
  timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const LONGEST_REASON = 200;

/** Never throws, unless it was cancelled; what it says holds no secret. */
export async function checkConnection(
  request: ConnectionRequest,
  { fetch, now, timeoutMs = TIMEOUT_MS }: CheckDependencies,
): Promise<CheckedConnection> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  const { keyCheck = listPath(request.provider) } = request.provider;
  const hasNoList = keyCheck === 'ask' || request.credentials !== undefined;
  const listed = hasNoList ? undefined : await readList(request, keyCheck, fetch, signal);
  request.signal?.throwIfAborted();
  const isConclusive = listed !== undefined && (!listed.ok || request.model === undefined);
  const checked = isConclusive ? listed : await ask(request, { fetch, now }, signal);
  request.signal?.throwIfAborted();
  return checked.ok && listed?.ok ? { ...listed, ...checked } : checked;
}

/** Undefined where its answer says nothing about the key. */
async function readList(
  { provider, baseUrl, key }: ConnectionRequest,
  path: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<CheckedConnection | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(baseUrl + path, { headers: headersFor(provider, key), redirect: 'manual', signal });
    text = await response.text();
  } catch (error) {
    return { ok: false, problem: 'network', reason: unreachable(baseUrl, error) };
  }
  const { status } = response;
  const said = (): string => {
    const { message } = errorIn(text);
    return message ? `: ${redact(message, key ? [key] : []).slice(0, LONGEST_REASON)}` : '';
  };
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(text)))
    return { ok: false, problem: 'key', reason: refusedKey(provider, baseUrl, key, `HTTP ${status}${said()}`) };
  if (status >= 300 && status < 400)
    return { ok: false, problem: 'address', reason: `${baseUrl} redirects to another address. Give that one instead` };
  if (!response.ok) return undefined;
  const models = modelsIn(text);
  if (models) return { ok: true, ...(models.length > 0 && { models }) };
  const reason = `${baseUrl} does not answer as ${provider.label} does: it sent ${/^\s*</.test(text) ? 'a page' : 'no JSON'}. Check the address`;
  return { ok: false, problem: 'address', reason };
}

async function ask(
  { provider, baseUrl, key, model, credentials = onlyKey(key) }: ConnectionRequest,
  { fetch, now }: CheckDependencies,
  signal: AbortSignal,
): Promise<CheckedConnection> {
  const adapter = createPiAdapter({
    provider,
    endpoint: async () => ({ ok: true, provider, baseUrl }),
    credentials,
    defaultModel: async () => ({ id: provider.model ?? '' }),
    limits: NO_LIMITS,
    windows: { known: async () => ({ isOpen: false }), lookUp: async () => undefined },
    effort: 'off',
    fetch,
    now,
  });
  const question = {
    model: model ?? provider.model,
    system: [],
    messages: [{ role: 'user' as const, text: 'Answer with the word ok.' }],
    tools: [],
    sessionId: 'connection-check',
  };
  for await (const event of adapter.stream(question, signal)) {
    if (event.type === 'text-delta' || event.type === 'finish') return { ok: true };
    if (event.type !== 'failure') continue;
    const { code, message } = event.failure;
    // A person who signed in learns what is wrong with the sign-in, not with a key.
    if (code === 'auth' && key === undefined && provider.signIn === 'chatgpt')
      return { ok: false, problem: 'key', reason: message };
    return verdictOf(event.failure, { provider, baseUrl, key });
  }
  return { ok: false, problem: 'address', reason: `${baseUrl} gave no answer` };
}

function onlyKey(key: string | undefined): CredentialSource {
  return {
    credential: async () =>
      key === undefined ? { ok: true, kind: 'none' } : { ok: true, kind: 'api-key', secret: key },
    profileFor: async () => undefined,
    baseUrlFor: async () => undefined,
  };
}

function verdictOf(
  { code, message }: ModelFailure,
  { provider, baseUrl, key }: Pick<ConnectionRequest, 'provider' | 'baseUrl' | 'key'>,
): CheckedConnection {
  switch (code) {
    case 'auth':
      return { ok: false, problem: 'key', reason: refusedKey(provider, baseUrl, key, message) };
    case 'network':
    case 'cancelled':
      return { ok: false, problem: 'network', reason: code === 'network' ? message : unreachable(baseUrl) };
    case 'protocol':
      return { ok: false, problem: 'address', reason: message };
    case 'rate_limit':
    case 'overloaded':
    case 'context_length':
      return { ok: true, warning: message };
    case 'refused':
      return /out of credit/.test(message)
        ? { ok: true, warning: message }
        : { ok: false, problem: 'model', reason: message };
  }
}

function listPath({ api }: Provider): string {
  return api === 'anthropic-messages' || api === 'mistral-conversations' ? '/v1/models' : '/models';
}

function headersFor({ api }: Provider, key: string | undefined): Record<string, string> {
  if (api === 'anthropic-messages') return { 'anthropic-version': '2023-06-01', ...(key && { 'x-api-key': key }) };
  return key ? { authorization: `Bearer ${key}` } : {};
}

/** Undefined for what is not JSON. */
function modelsIn(text: string): string[] | undefined {
  try {
    const value = JSON.parse(text) as { data?: unknown } | null;
    if (typeof value !== 'object' || value === null) return undefined;
    return Array.isArray(value.data) ? value.data.flatMap(readListed).map(({ id }) => id) : [];
  } catch {
    return undefined;
  }
}

function refusedKey(provider: Provider, baseUrl: string, key: string | undefined, said: string): string {
  if (key === undefined) return `${baseUrl} wants a key (${said}). To sign in: ${signInAdvice(provider, baseUrl)}`;
  const page = provider.keyPage ? ` Keys are made at ${provider.keyPage}` : '';
  return `${provider.label} does not accept this key (${said}).${page}`;
}

function unreachable(baseUrl: string, error?: unknown): string {
  const { cause, name } = (error ?? {}) as { cause?: { code?: string }; name?: string };
  const why = cause?.code ?? (error === undefined || name === 'TimeoutError' ? 'no answer in time' : 'no connection');
  return `${baseUrl} cannot be reached (${why}). Check the network and the address`;
}
