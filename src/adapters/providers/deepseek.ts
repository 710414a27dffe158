import type { Provider } from './provider.ts';

export const deepseek: Provider = {
  name: 'deepseek',
  label: 'DeepSeek',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['DEEPSEEK_API_KEY'],
  keyPage: 'https://platform.deepseek.com/api_keys',
  baseUrl: 'https://api.deepseek.com',
  models: async () => (await import('@earendil-works/pi-ai/providers/deepseek.models')).DEEPSEEK_MODELS,
  model: 'deepseek-v4-pro',
};
