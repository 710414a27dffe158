import { readBaseUrl } from '../base-url.ts';
import type { Provider } from './provider.ts';

export const ollama: Provider = {
  name: 'ollama',
  label: 'Ollama',
  api: 'openai-completions',
  signIn: 'none',
  baseUrl: (variables) => `${ollamaAddress(variables)}/v1`,
  local: {
    address: ollamaAddress,
    path: '/api/tags',
    modelsIn(body) {
      const { models } = (body ?? {}) as { models?: { name?: unknown; size?: unknown }[] };
      if (!Array.isArray(models)) return undefined;
      return models.flatMap((model) =>
        typeof model?.name === 'string'
          ? [{ id: model.name, ...(typeof model.size === 'number' && { sizeBytes: model.size }) }]
          : [],
      );
    },
    getModel: 'ollama pull qwen3',
  },
  // The model's own limit is not the one that holds: Ollama loads it with a smaller window, which it says while it is loaded.
  windowQuestion: {
    path: (baseUrl) => new URL('/api/ps', baseUrl).href,
    windowIn(body, model) {
      const { models } = body as { models: { name: string; model?: string; context_length?: number }[] };
      const tagged = model.includes(':') ? model : `${model}:latest`;
      return models.find(({ name, model: id = name }) => name === tagged || id === tagged)?.context_length;
    },
  },
};

const DEFAULT_ADDRESS = 'http://127.0.0.1:11434';

/** OLLAMA_HOST as Ollama reads it: a host, a port, or both, with or without http. */
export function ollamaAddress(variables: Readonly<Record<string, string | undefined>>): string {
  const host = variables.OLLAMA_HOST?.trim();
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
