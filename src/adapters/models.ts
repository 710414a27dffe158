// What each provider offers: the library's table for the known ones, the server's own list for the others.
import type { ModelFailure } from './adapter.ts';
import type { CredentialSource } from './auth/credential.ts';
import { type Endpoint, type EndpointOptions, endpointOf } from './endpoint.ts';
import { type HttpFetch, httpFetch } from './http-fetch.ts';
import { isPriced, knownModels } from './pi/catalogue.ts';
import { findProvider } from './providers/all.ts';
import { type Provider, signInAdvice } from './providers/provider.ts';

export interface ModelInfo {
  id: string;
  name?: string;
  contextWindow?: number;
  /** USD for a million tokens; absent when unknown. */
  price?: { input: number; output: number };
  /** False when its server says that it cannot call tools; absent when nobody says. */
  tools?: boolean;
  isDefault: boolean;
}

export type ModelList = { ok: true; models: ModelInfo[] } | { ok: false; failure: ModelFailure };

export interface ModelsOptions extends EndpointOptions {
  credentials: CredentialSource;
  fetch?: HttpFetch;
}

export interface Models {
  /** Never throws; undefined for an unknown provider. */
  list(provider: string, signal?: AbortSignal): Promise<ModelList | undefined>;
  /** Those of the library's table; asks no server. Never throws. */
  known(provider: string): Promise<ModelInfo[]>;
}

const TIMEOUT_MS = 10_000;

export function createModels({ credentials, fetch = httpFetch, ...endpoints }: ModelsOptions): Models {
  async function list(name: string, signal?: AbortSignal): Promise<ModelList | undefined> {
    const provider = findProvider(name);
    if (!provider) return undefined;
    const endpoint = endpointOf(provider, endpoints, await credentials.baseUrlFor(name));
    if (!endpoint.ok) return endpoint;
    const models = await tableOf(endpoint);
    if (models.length > 0) return { ok: true, models };
    const listed = await listFromServer({ provider, baseUrl: endpoint.baseUrl, credentials, fetch, signal });
    if (!listed.ok) return listed;
    const own = endpoint.model ?? firstToChatWith(listed.models)?.id;
    return { ok: true, models: listed.models.map((model) => ({ ...model, isDefault: model.id === own })) };
  }

  return {
    list,
    async known(name) {
      const provider = findProvider(name);
      const endpoint = provider && endpointOf(provider, endpoints, await credentials.baseUrlFor(name));
      return endpoint?.ok ? tableOf(endpoint) : [];
    },
  };
}

async function tableOf({ model: ownModel, ...place }: Endpoint): Promise<ModelInfo[]> {
  const known = await knownModels(place);
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

/** Servers list models for embeddings beside the others; one that can call tools is preferred. */
export function firstToChatWith(models: readonly ServerModel[]): ServerModel | undefined {
  const talking = models.filter(({ id }) => !/embed|rerank|whisper|tts/i.test(id));
  return talking.find(({ tools }) => tools !== false) ?? talking[0] ?? models[0];
}

export interface ServerListOptions {
  provider: Provider;
  baseUrl: string;
  credentials: CredentialSource;
  fetch: HttpFetch;
  signal?: AbortSignal;
}

/** What a server says it has, as OpenAI, Ollama, vLLM, llama.cpp and OpenRouter tell it. Never throws. */
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

async function get(url: string, key: string | undefined, fetch: HttpFetch, signal?: AbortSignal): Promise<Answer> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const { status } = response;
    const text = await response.text();
    if (!response.ok) return { reason: `HTTP ${status}`, status };
    const body = parsed(text);
    if (!Array.isArray(body?.data)) return { reason: 'its list could not be understood', status };
    return { models: body.data.flatMap(readListed) };
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name?: string };
    return { reason: cause?.code ?? (name === 'TimeoutError' ? 'no answer in time' : 'it cannot be reached') };
  }
}

function parsed(text: string): { data?: unknown } | undefined {
  try {
    return JSON.parse(text) as { data?: unknown };
  } catch {
    return undefined;
  }
}

export interface ListedModel {
  id?: unknown;
  max_model_len?: unknown;
  context_length?: unknown;
  meta?: { n_ctx?: unknown };
  /** OpenRouter's. */
  supported_parameters?: unknown;
  /** A list (LM Studio, Ollama), or a record (Mistral). */
  capabilities?: unknown;
}

export function readListed(entry: ListedModel | null): ServerModel[] {
  if (typeof entry?.id !== 'string') return [];
  const contextWindow = [entry.max_model_len, entry.context_length, entry.meta?.n_ctx].find(
    (value) => typeof value === 'number',
  );
  const tools = toolsIn(entry);
  return [
    {
      id: entry.id,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(tools === undefined ? {} : { tools }),
    },
  ];
}

function toolsIn({ supported_parameters: parameters, capabilities }: ListedModel): boolean | undefined {
  if (Array.isArray(parameters)) return parameters.includes('tools');
  if (Array.isArray(capabilities))
    return capabilities.some((one) => /^(tools|tool_use|function_call)/.test(String(one)));
  const calling = (capabilities as { function_calling?: unknown } | undefined)?.function_calling;
  return typeof calling === 'boolean' ? calling : undefined;
}
