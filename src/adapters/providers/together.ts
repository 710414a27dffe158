import type { Provider } from './provider.ts';

export const together: Provider = {
  name: 'together',
  label: 'Together',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['TOGETHER_API_KEY'],
  keyPage: 'https://api.together.ai/settings/api-keys',
  baseUrl: 'https://api.together.ai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/together.models')).TOGETHER_MODELS,
  model: 'moonshotai/Kimi-K3',
};
