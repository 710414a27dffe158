// Where a provider is and which model it answers with, after the owner's settings. Each provider has its own: an address
// set for one is never used for another, so no key can follow it there.
import type { ModelFailure } from './adapter.ts';
import { readBaseUrl } from './base-url.ts';
import { ollamaAddress } from './ollama.ts';
import type { ProviderInfo } from './provider-table.ts';

export interface EndpointOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** By provider, from the command line or the owner's config. Comes before the environment. */
  baseUrls?: Readonly<Record<string, string | undefined>>;
  /** By provider: the model of a request that names none. */
  models?: Readonly<Record<string, string | undefined>>;
}

export interface Endpoint {
  ok: true;
  provider: ProviderInfo;
  baseUrl: string;
  model?: string;
}

export function endpointOf(
  provider: ProviderInfo,
  { env, baseUrls, models }: EndpointOptions,
): Endpoint | { ok: false; failure: ModelFailure } {
  const { name, baseUrlVariable, signIn } = provider;
  const given =
    baseUrls?.[name] ||
    env[baseUrlVariable] ||
    (signIn === 'optional-key' ? `${ollamaAddress(env)}/v1` : provider.baseUrl);
  const parsed = readBaseUrl(given);
  if (!parsed.ok) {
    const message = `The base URL of ${name} cannot be used: ${parsed.problem}. Set --base-url or ${baseUrlVariable}`;
    return { ok: false, failure: { code: 'refused', message } };
  }
  return { ok: true, provider, baseUrl: parsed.url, model: models?.[name] ?? provider.model };
}
