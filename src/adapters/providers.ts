// The adapters by name. Each is built when it is first asked for and keeps trying within reason.
import type { Adapter, ModelFailure } from './adapter.ts';
import type { CredentialSource } from './auth/credential.ts';
import { type Endpoint, type EndpointOptions, endpointOf } from './endpoint.ts';
import { listFromServer } from './models.ts';
import type { Reasoning } from './pi/apis.ts';
import { createPiAdapter } from './pi/pi-adapter.ts';
import { findProvider, PROVIDERS, type ProviderInfo, signInAdvice } from './provider-table.ts';
import { DEFAULT_RETRY_POLICY, type RetryDependencies, type RetryPolicy, withRetries } from './robust.ts';

export interface ProvidersOptions extends EndpointOptions {
  credentials: CredentialSource;
  now(): number;
  fetch?: typeof globalThis.fetch;
  /** How long to think; each service's own default when absent. */
  reasoning?: Reasoning;
  retryPolicy?: RetryPolicy;
  retryDependencies?: RetryDependencies;
  /** Adapters that need nothing of this, such as the stub. They come first. */
  extra?: readonly Adapter[];
}

export interface Providers {
  names(): string[];
  get(name: string): Adapter | undefined;
}

export function createProviders(options: ProvidersOptions): Providers {
  const { extra = [], retryPolicy = DEFAULT_RETRY_POLICY, retryDependencies } = options;
  const built = new Map<string, Adapter>(extra.map((adapter) => [adapter.provider, adapter]));

  return {
    names: () => [...new Set([...extra.map(({ provider }) => provider), ...PROVIDERS.map(({ name }) => name)])],
    get(name) {
      const known = built.get(name);
      if (known) return known;
      const provider = findProvider(name);
      if (!provider) return undefined;
      const endpoint = endpointOf(provider, options);
      const adapter = endpoint.ok
        ? withRetries(build(endpoint, options), retryPolicy, retryDependencies)
        : unusable(provider, endpoint.failure);
      built.set(name, adapter);
      return adapter;
    },
  };
}

function build({ provider, baseUrl, model }: Endpoint, options: ProvidersOptions): Adapter {
  const { credentials, now, fetch = globalThis.fetch, reasoning } = options;
  const { name, route, api } = provider;

  async function firstOfServer(signal?: AbortSignal): Promise<string | ModelFailure> {
    const listed = await listFromServer({ provider, baseUrl, credentials, fetch, signal });
    if (!listed.ok) return listed.failure;
    const message = `${baseUrl} lists no model. Name one with --model`;
    return listed.models[0]?.id ?? { code: 'refused', message };
  }

  return createPiAdapter({
    provider: name,
    route,
    api,
    baseUrl,
    signIn: signInAdvice(provider, baseUrl),
    credentials,
    defaultModel: async (signal) => model ?? (await firstOfServer(signal)),
    reasoning: reasoning ?? provider.reasoning,
    fetch,
    now,
  });
}

function unusable({ name, route }: ProviderInfo, failure: ModelFailure): Adapter {
  return {
    provider: name,
    route,
    callsTools: true,
    describe: async () => ({}),
    async *stream() {
      yield { type: 'failure', failure };
    },
  };
}
