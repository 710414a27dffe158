// Where a provider is and which model it answers with: the owner's settings, then the address stored with the sign-in,
// then the row's own. Each provider has its own: an address set for one is never used for another, so no key can follow
// it there.
import type { ModelFailure } from './adapter.ts';
import { readBaseUrl } from './base-url.ts';
import type { Place } from './pi/catalogue.ts';
import { baseUrlVariableOf, defaultBaseUrl, type Provider } from './providers/provider.ts';

export interface EndpointOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** By provider, from the command line or the owner's config. Comes before the environment. */
  baseUrls?: Readonly<Record<string, string | undefined>>;
  /** By provider: the model of a request that names none. */
  models?: Readonly<Record<string, string | undefined>>;
}

export interface Endpoint extends Place {
  ok: true;
  model?: string;
}

export type FoundEndpoint = Endpoint | { ok: false; failure: ModelFailure };

/** `stored`: the address that was given when signing in. */
export function endpointOf(
  provider: Provider,
  { env, baseUrls, models }: EndpointOptions,
  stored?: string,
): FoundEndpoint {
  const { name } = provider;
  const variable = baseUrlVariableOf(provider);
  const given = baseUrls?.[name] || env[variable] || stored || defaultBaseUrl(provider, env);
  const parsed = readBaseUrl(given);
  if (!parsed.ok) {
    const message = `The base URL of ${name} cannot be used: ${parsed.problem}. Set --base-url or ${variable}`;
    return { ok: false, failure: { code: 'refused', message } };
  }
  return { ok: true, provider, baseUrl: parsed.url, model: models?.[name] ?? provider.model };
}
