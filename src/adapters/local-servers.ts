// Servers with models on this machine, found by asking for them. Nothing but their lists of models is asked for.
import { readBaseUrl } from './base-url.ts';
import { PROVIDERS } from './providers/all.ts';
import { baseUrlVariableOf, type LocalServer, type Provider } from './providers/provider.ts';

export interface FoundServer {
  provider: Provider & { local: LocalServer };
  /** Where it is asked. */
  baseUrl: string;
  models: { id: string; sizeBytes?: number }[];
}

export interface FindLocalServersOptions {
  fetch?: typeof globalThis.fetch;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Most people have none: one that is only supposed to be there gets less time than one the owner has named an address for. */
const SUPPOSED_MS = 300;
const NAMED_MS = 5_000;

/** Those that answer in time, in the order of the table. Never throws. */
export async function findLocalServers({
  fetch = globalThis.fetch,
  env,
  signal,
  timeoutMs,
}: FindLocalServersOptions): Promise<FoundServer[]> {
  async function look(provider: Provider & { local: LocalServer }): Promise<FoundServer[]> {
    const { local } = provider;
    const given = readBaseUrl(env[baseUrlVariableOf(provider)] ?? '');
    const address = given.ok ? given.url.replace(/\/v1$/, '') : local.address(env);
    const isNamed = address !== local.address({});
    const timeout = AbortSignal.timeout(timeoutMs ?? (isNamed ? NAMED_MS : SUPPOSED_MS));
    try {
      const response = await fetch(address + local.path, {
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const models = response.ok ? local.modelsIn(await response.json()) : undefined;
      return models ? [{ provider, baseUrl: `${address}/v1`, models }] : [];
    } catch {
      return [];
    }
  }

  const local = PROVIDERS.filter((provider) => provider.local !== undefined) as FoundServer['provider'][];
  return (await Promise.all(local.map(look))).flat();
}
