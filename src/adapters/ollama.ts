// A local Ollama, found by asking for it.
import { readBaseUrl } from './base-url.ts';

export interface Ollama {
  /** What `openai-compatible` is to be pointed at. */
  baseUrl: string;
  models: { id: string; sizeBytes?: number }[];
}

export interface DetectOllamaOptions {
  fetch?: typeof globalThis.fetch;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Undefined when none answers in time. Never throws. */
export async function detectOllama({
  fetch = globalThis.fetch,
  env,
  signal,
  timeoutMs = 300,
}: DetectOllamaOptions): Promise<Ollama | undefined> {
  const address = ollamaAddress(env);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${address}/api/tags`, {
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (!response.ok) return undefined;
    const { models } = (await response.json()) as { models?: { name?: unknown; size?: unknown }[] };
    if (!Array.isArray(models)) return undefined;
    const found = models.flatMap(({ name, size }) =>
      typeof name === 'string' ? [{ id: name, sizeBytes: typeof size === 'number' ? size : undefined }] : [],
    );
    return { baseUrl: `${address}/v1`, models: found };
  } catch {
    return undefined;
  }
}

const DEFAULT_ADDRESS = 'http://127.0.0.1:11434';

/** OLLAMA_HOST as Ollama reads it: a host, a port, or both, with or without http. */
export function ollamaAddress(env: Readonly<Record<string, string | undefined>>): string {
  const host = env.OLLAMA_HOST?.trim();
  if (!host) return DEFAULT_ADDRESS;
  const parsed = readBaseUrl(
    host.includes('://') ? host : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`,
  );
  if (!parsed.ok) return DEFAULT_ADDRESS;
  const url = new URL(parsed.url);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (url.port === '' && url.protocol === 'http:' && !/:\d+$/.test(host)) url.port = '11434';
  return url.origin;
}
