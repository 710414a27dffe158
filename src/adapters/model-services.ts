// Everything about models that is not the stub, built in one place and loaded only when a command needs a model.
import { ConfigError } from '../config/config.ts';
import type { Locks } from '../storage/storage.ts';
import type { Adapter } from './adapter.ts';
import { type Auth, createAuth } from './auth/auth.ts';
import { type Link, withFallbacks } from './fallback.ts';
import { createModels, type Models } from './models.ts';
import { detectOllama } from './ollama.ts';
import { createProviders } from './providers.ts';

export interface ModelServicesOptions {
  home: string;
  locks: Locks;
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Of the `openai-compatible` provider. */
  baseUrl?: string;
  /** "provider" or "provider/model", tried in order when the provider asked fails. */
  fallback: readonly string[];
}

export interface ModelServices {
  auth: Auth;
  models: Models;
  names(): string[];
  detectOllama: typeof detectOllama;
  /** With the configured fallbacks behind it. */
  adapter(name: string): Adapter | undefined;
}

export function createModelServices({ home, locks, env, now, baseUrl, fallback }: ModelServicesOptions): ModelServices {
  const auth = createAuth({ home, locks, now, env });
  const endpoints = { env, baseUrls: { 'openai-compatible': baseUrl } };
  const providers = createProviders({ ...endpoints, credentials: auth, now });
  return {
    auth,
    models: createModels({ ...endpoints, credentials: auth }),
    names: providers.names,
    detectOllama,
    adapter(name) {
      const first = providers.get(name);
      if (!first) return undefined;
      const links = fallback.map((entry): Link => {
        const [, provider = '', model] = /^([^/]+)(?:\/(.+))?$/.exec(entry) ?? [];
        const adapter = providers.get(provider);
        if (adapter) return { adapter, model };
        const accepted = `"provider" or "provider/model" with a provider of ${providers.names().join(', ')}`;
        throw new ConfigError(`"fallback" in config.json holds "${entry}"; accepted: ${accepted}`);
      });
      return links.length > 0 ? withFallbacks([{ adapter: first }, ...links]) : first;
    },
  };
}
