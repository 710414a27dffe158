import { ownedBy } from './openai-list.ts';
import type { Provider } from './provider.ts';

const ADDRESS = 'http://127.0.0.1:8080';

export const llamaCpp: Provider = {
  name: 'llama-cpp',
  label: 'llama.cpp',
  api: 'openai-completions',
  signIn: 'none',
  baseUrl: `${ADDRESS}/v1`,
  local: {
    address: () => ADDRESS,
    path: '/v1/models',
    modelsIn: ownedBy(/^llamacpp$/),
    getModel: 'llama-server -hf ggml-org/Qwen3-4B-GGUF --jinja',
  },
  windowQuestion: {
    path: (baseUrl) => new URL('/props', baseUrl).href,
    windowIn: (body) => (body as { default_generation_settings: { n_ctx?: number } }).default_generation_settings.n_ctx,
  },
};
