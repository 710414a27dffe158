// Everything about models that is not the stub, built in one place and loaded only when a command needs a model.
import { ConfigError } from '../config/config-error.ts';
import type { Holds } from '../storage/limits.ts';
import type { Locks } from '../storage/locks.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import type { Adapter } from './adapter.ts';
import { type Auth, createAuth } from './auth/auth.ts';
import { type CheckedConnection, type ConnectionRequest, checkConnection } from './check-connection.ts';
import { endpointOf, type FoundEndpoint } from './endpoint.ts';
import { type Link, withFallbacks } from './fallback.ts';
import { findLocalServers } from './local-servers.ts';
import { createModelLimits } from './model-limits.ts';
import { createModels, type Models } from './models.ts';
import { createProviderAdapters } from './provider-adapters.ts';
import type { Provider } from './providers/provider.ts';
import { RETRY_POLICY_BEFORE_FALLBACK } from './robust.ts';

export interface ModelServicesOptions {
  locks: Locks;
  files: OwnerFiles;
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Of the `openai-compatible` provider. */
  baseUrl?: string;
  /** The most tokens that any model is taken to take in. */
  contextWindow?: number;
  /** "provider" or "provider/model", tried in order when the provider asked fails. */
  fallback: readonly string[];
  /** Where other gateways use the same accounts. */
  holds?: Holds;
}

export interface ModelServices {
  auth: Auth;
  models: Models;
  names(): string[];
  findLocalServers: typeof findLocalServers;
  /** Where a provider is asked, without a sign-in's own address. */
  endpointOf(provider: Provider): FoundEndpoint;
  /** Whether a service can be used with a key. Never throws, unless it was cancelled. */
  check(request: ConnectionRequest): Promise<CheckedConnection>;
  /** The provider somebody is signed in to: ChatGPT first, then the newest. Undefined when nobody is. */
  signedIn(): Promise<string | undefined>;
  /** With the configured fallbacks behind it, for one turn: it remembers which of them failed. */
  adapter(name: string): Adapter | undefined;
}

export function createModelServices(options: ModelServicesOptions): ModelServices {
  const { locks, files, env, now, baseUrl, fallback, contextWindow, holds } = options;
  const auth = createAuth({ files, locks, now, env });
  const endpoints = { env, baseUrls: { 'openai-compatible': baseUrl } };
  const limits = createModelLimits({ files, now });
  const parts = { ...endpoints, credentials: auth, limits, contextWindow, now, holds };
  const providers = createProviderAdapters(parts);
  const brief = createProviderAdapters({ ...parts, retryPolicy: RETRY_POLICY_BEFORE_FALLBACK });
  return {
    auth,
    models: createModels({ ...endpoints, credentials: auth }),
    names: providers.names,
    findLocalServers,
    endpointOf: (provider) => endpointOf(provider, endpoints),
    check: (request) => checkConnection(request, { fetch: globalThis.fetch, now }),
    async signedIn() {
      const profiles = (await auth.status()).profiles.filter(({ active }) => active);
      const newest = profiles.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));
      return (newest.find(({ kind }) => kind === 'oauth' || kind === 'borrowed') ?? newest[0])?.provider;
    },
    adapter(name) {
      const isOnly = fallback.length === 0;
      const first = (isOnly ? providers : brief).get(name);
      if (!first || isOnly) return first;
      const links = fallback.map((entry, index): Link => {
        const [, provider = '', model] = /^([^/]+)(?:\/(.+))?$/.exec(entry) ?? [];
        const isLast = index === fallback.length - 1;
        const adapter = (isLast ? providers : brief).get(provider);
        if (adapter) return { adapter, model };
        const accepted = `"provider" or "provider/model" with a provider of ${providers.names().join(', ')}`;
        throw new ConfigError(`"fallback" in config.json holds "${entry}"; accepted: ${accepted}`);
      });
      return withFallbacks([{ adapter: first }, ...links]);
    },
  };
}
