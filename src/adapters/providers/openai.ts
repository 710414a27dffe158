import type { Provider } from './provider.ts';

export const openai: Provider = {
  name: 'openai',
  label: 'OpenAI',
  api: 'openai-responses',
  signIn: 'api-key',
  keyVariables: ['OPENAI_API_KEY'],
  keyPage: 'https://platform.openai.com/api-keys',
  baseUrl: 'https://api.openai.com/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/openai.models')).OPENAI_MODELS,
  model: 'gpt-6-sol',
  effort: 'medium',
  webSearch: 'responses',
};
