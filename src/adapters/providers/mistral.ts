import type { Provider } from './provider.ts';

export const mistral: Provider = {
  name: 'mistral',
  label: 'Mistral',
  api: 'mistral-conversations',
  signIn: 'api-key',
  keyVariables: ['MISTRAL_API_KEY'],
  keyPage: 'https://console.mistral.ai/api-keys',
  baseUrl: 'https://api.mistral.ai',
  models: async () => (await import('@earendil-works/pi-ai/providers/mistral.models')).MISTRAL_MODELS,
  model: 'mistral-medium-latest',
};
