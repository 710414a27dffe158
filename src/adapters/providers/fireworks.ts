import type { Provider } from './provider.ts';

export const fireworks: Provider = {
  name: 'fireworks',
  label: 'Fireworks',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['FIREWORKS_API_KEY'],
  keyPage: 'https://fireworks.ai/account/api-keys',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/fireworks.models')).FIREWORKS_MODELS,
  model: 'accounts/fireworks/models/deepseek-v4-pro',
};
