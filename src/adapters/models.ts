// What each provider offers: the library's table for the known ones, the server's own list for the others.
import type { ModelFailure } from './adapter.ts';
import type { CredentialSource } from './auth/credential.ts';
import { type Endpoint, type EndpointOptions, endpointOf } from './endpoint.ts';
import { isPriced, knownModels } from './pi/catalogue.ts';
import { findProvider, type ProviderInfo, signInAdvice } from './provider-table.ts';

export interface ModelInfo {
  id: string;
  name?: string;
  contextWindow?: number;
  /** USD for a million tokens; absent when unknown. */
  price?: { input: number; output: number };
  isDefault: boolean;
}

export type ModelList = { ok: true; models: ModelInfo[] } | { ok: false; failure: ModelFailure };

export interface ModelsOptions extends EndpointOptions {
  credentials: CredentialSource;
  fetch?: typeof globalThis.fetch;
}

export interface Models {
  /** Never throws; undefined for an unknown provider. */
  list(provider: string, signal?: AbortSignal): Promise<ModelList | undefined>;
  /** Those of the library's table; asks no server. Never throws. */
  known(provider: string): Promise<ModelInfo[]>;
}

const TIMEOUT_MS = 10_000;

export function createModels({ credentials, fetch = globalThis.fetch, ...endpoints }: ModelsOptions): Models {
  async function list(name: string, signal?: AbortSignal): Promise<ModelList | undefined> {
    const provider = findProvider(name);
    if (!provider) return undefined;
    const endpoint = endpointOf(provider, endpoints);
    if (!endpoint.ok) return endpoint;
    const models = await tableOf(endpoint);
    if (models.length > 0) return { ok: true, models };
    const listed = await listFromServer({ provider, baseUrl: endpoint.baseUrl, credentials, fetch, signal });
    if (!listed.ok) return listed;
    const isDefault = ({ id }: ServerModel, index: number): boolean =>
      endpoint.model ? id === endpoint.model : index === 0;
    return {
      ok: true,
      models: listed.models.map((model, index) => ({ ...model, isDefault: isDefault(model, index) })),
    };
  }

  return {
    list,
    async known(name) {
      const provider = findProvider(name);
      const endpoint = provider && endpointOf(provider, endpoints);
      return endpoint?.ok ? tableOf(endpoint) : [];
    },
  };
}

async function tableOf({ provider: { name, api }, baseUrl, model: ownModel }: Endpoint): Promise<ModelInfo[]> {
  const known = await knownModels({ provider: name, api, baseUrl });
  return known.map(
    (model): ModelInfo => ({
      id: model.id,
      name: model.name,
      contextWindow: model.contextWindow || undefined,
      price: isPriced(model) ? { input: model.cost.input, output: model.cost.output } : undefined,
      isDefault: model.id === ownModel,
    }),
  );
}

type ServerModel = Omit<ModelInfo, 'isDefault'>;

export interface ServerListOptions {
  provider: ProviderInfo;
  baseUrl: string;
  credentials: CredentialSource;
  fetch: typeof globalThis.fetch;
  signal?: AbortSignal;
}

/** What a server says it has, as OpenAI, Ollama, vLLM and llama.cpp tell it. Never throws. */
export async function listFromServer(
  options: ServerListOptions,
): Promise<{ ok: true; models: ServerModel[] } | { ok: false; failure: ModelFailure }> {
  const { provider, baseUrl, credentials, fetch, signal } = options;
  const credential = await credentials.credential(provider.name, { baseUrl, signal });
  if (!credential.ok) return credential;
  const answer = await get(`${baseUrl}/models`, credential.secret, fetch, signal);
  if ('models' in answer) return { ok: true, models: answer.models };
  const { status, reason } = answer;
  const advice = status === 401 || status === 403 ? ` To sign in: ${signInAdvice(provider, baseUrl)}` : '';
  const code = advice ? 'auth' : status === undefined ? 'network' : 'protocol';
  return { ok: false, failure: { code, message: `${baseUrl} does not list its models (${reason}).${advice}` } };
}

type Answer = { models: ServerModel[] } | { reason: string; status?: number };

async function get(
  url: string,
  key: string | undefined,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status } = response;
    if (!response.ok) return { reason: `HTTP ${status}`, status };
    const body = (await response.json().catch(() => undefined)) as { data?: unknown } | undefined;
    if (!Array.isArray(body?.data)) return { reason: 'its list could not be understood', status };
    return { models: body.data.flatMap(entryOf) };
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name?: string };
    return { reason: cause?.code ?? (name === 'TimeoutError' ? 'no answer in time' : 'it cannot be reached') };
  }
}

function entryOf(
  entry: { id?: unknown; max_model_len?: unknown; context_length?: unknown; meta?: { n_ctx?: unknown } } | null,
): ServerModel[] {
  if (typeof entry?.id !== 'string') return [];
  const contextWindow = [entry.max_model_len, entry.context_length, entry.meta?.n_ctx].find(
    (value) => typeof value === 'number',
  );
  return [{ id: entry.id, ...(contextWindow === undefined ? {} : { contextWindow }) }];
}
