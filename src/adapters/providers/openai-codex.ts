import type { Provider } from './provider.ts';

export const openaiCodex: Provider = {
  name: 'openai-codex',
  label: 'ChatGPT',
  api: 'openai-codex-responses',
  signIn: 'chatgpt',
  baseUrl: 'https://chatgpt.com/backend-api',
  models: async () => (await import('@earendil-works/pi-ai/providers/openai-codex.models')).OPENAI_CODEX_MODELS,
  model: 'gpt-6-sol',
  route: 'codex',
  effort: 'medium',
  webSearch: 'responses',
};
