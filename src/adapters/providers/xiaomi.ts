import type { Provider } from './provider.ts';

export const xiaomi: Provider = {
  name: 'xiaomi',
  label: 'Xiaomi MiMo',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['XIAOMI_API_KEY'],
  baseUrl: 'https://api.xiaomimimo.com/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/xiaomi.models')).XIAOMI_MODELS,
  model: 'mimo-v2.6-pro',
};
