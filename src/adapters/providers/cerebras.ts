import type { Provider } from './provider.ts';

export const cerebras: Provider = {
  name: 'cerebras',
  label: 'Cerebras',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['CEREBRAS_API_KEY'],
  keyPage: 'https://cloud.cerebras.ai',
  baseUrl: 'https://api.cerebras.ai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/cerebras.models')).CEREBRAS_MODELS,
  model: 'gpt-oss-120b',
};
