// The adapters by name. Each is built when it is first asked for and keeps trying within reason.
import type { Effort } from '../config/effort.ts';
import type { Holds } from '../storage/limits.ts';
import type { Adapter, ModelFailure, ModelRequest } from './adapter.ts';
import type { CredentialSource } from './auth/credential.ts';
import { createContextWindows } from './context-window.ts';
import { type Endpoint, type EndpointOptions, endpointOf, type FoundEndpoint } from './endpoint.ts';
import { httpFetch, withWholeBody } from './http-fetch.ts';
import type { ModelLimits } from './model-limits.ts';
import { firstToChatWith, listFromServer } from './models.ts';
import { createPiAdapter, type DefaultModel } from './pi/pi-adapter.ts';
import { findProvider, PROVIDERS } from './providers/all.ts';
import type { Provider } from './providers/provider.ts';
import {
  DEFAULT_RETRY_POLICY,
  type RetryDependencies,
  type RetryPolicy,
  type SharedWaits,
  withRetries,
} from './robust.ts';

export interface ProviderAdaptersOptions extends EndpointOptions {
  credentials: CredentialSource;
  limits: ModelLimits;
  now(): number;
  fetch?: typeof globalThis.fetch;
  /** The most tokens that any model is taken to take in. */
  contextWindow?: number;
  /** How long to think when a request does not say; each service's own default when absent. */
  effort?: Effort;
  retryPolicy?: RetryPolicy;
  retryDependencies?: RetryDependencies;
  /** Where other gateways use the same accounts: what they were asked to wait for, by name. */
  holds?: Holds;
  /** Adapters that need nothing of this, such as the stub. They come first. */
  extra?: readonly Adapter[];
}

export interface ProviderAdapters {
  names(): string[];
  get(name: string): Adapter | undefined;
}

export function createProviderAdapters(options: ProviderAdaptersOptions): ProviderAdapters {
  const { extra = [], retryPolicy = DEFAULT_RETRY_POLICY, retryDependencies } = options;
  const built = new Map<string, Adapter>(extra.map((adapter) => [adapter.provider, adapter]));

  return {
    names: () => [...new Set([...extra.map(({ provider }) => provider), ...PROVIDERS.map(({ name }) => name)])],
    get(name) {
      const known = built.get(name);
      if (known) return known;
      const provider = findProvider(name);
      if (!provider) return undefined;
      const adapter = withRetries(build(provider, options), retryPolicy, retryDependencies, waitsOf(provider, options));
      built.set(name, adapter);
      return adapter;
    },
  };
}

/**
 * An account is named by the service, its address, the profile and the model, never by a key: gateways with different keys in their environment wait for each
 * other. Which profile is active is looked up only while something is held. A server of this machine is nobody else's.
 */
function waitsOf(provider: Provider, options: ProviderAdaptersOptions): SharedWaits | undefined {
  const { holds, credentials } = options;
  if (!holds || provider.local) return undefined;
  const found = endpointOf(provider, options);
  const place = [provider.name, found.ok ? found.baseUrl : ''];
  const anyName = ({ model = '' }: ModelRequest): string => JSON.stringify([...place, model]);
  const ownName = async ({ model = '', profileId }: ModelRequest): Promise<string> => {
    const profile = await credentials.profileFor(provider.name, { profileId }).catch(() => undefined);
    return JSON.stringify([...place, model, profile ?? '']);
  };
  return {
    async leftMs(request) {
      if ((await holds.leftMs(anyName(request))) === 0) return 0;
      return holds.leftMs(await ownName(request));
    },
    async hold(request, ms) {
      const own = await ownName(request);
      await Promise.all([holds.hold(own, ms), holds.hold(anyName(request), ms)]);
    },
  };
}

function build(provider: Provider, options: ProviderAdaptersOptions): Adapter {
  const { credentials, limits, now, fetch = globalThis.fetch, effort, contextWindow: most } = options;
  const http = options.fetch ? withWholeBody(options.fetch) : httpFetch;

  async function defaultModel(
    { baseUrl, model }: Endpoint,
    signal?: AbortSignal,
  ): Promise<DefaultModel | ModelFailure> {
    if (model !== undefined) return { id: model };
    const listed = await listFromServer({ provider, baseUrl, credentials, fetch: http, signal });
    if (!listed.ok) return listed.failure;
    const first = firstToChatWith(listed.models);
    if (!first) return { code: 'refused', message: `${baseUrl} lists no model. Name one with --model` };
    const { id, tools, contextWindow } = first;
    return { id, lacks: tools === false ? ['tools'] : [], ...(contextWindow !== undefined && { contextWindow }) };
  }

  // The settings are those of this process; by the address that was given when signing in.
  const endpoints = new Map<string | undefined, FoundEndpoint>();

  return createPiAdapter({
    provider,
    async endpoint(profileId) {
      const stored = await credentials.baseUrlFor(provider.name, profileId);
      const found = endpoints.get(stored) ?? endpointOf(provider, options, stored);
      endpoints.set(stored, found);
      return found;
    },
    credentials,
    defaultModel,
    limits,
    windows: createContextWindows({ limits, credentials, fetch: http, most }),
    effort,
    fetch,
    http,
    now,
  });
}
