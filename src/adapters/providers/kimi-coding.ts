import type { Provider } from './provider.ts';

export const kimiCoding: Provider = {
  name: 'kimi-coding',
  label: 'Kimi for Coding',
  api: 'anthropic-messages',
  signIn: 'api-key',
  keyVariables: ['KIMI_API_KEY'],
  baseUrl: 'https://api.kimi.com/coding',
  models: async () => (await import('@earendil-works/pi-ai/providers/kimi-coding.models')).KIMI_CODING_MODELS,
  model: 'kimi-for-coding',
};
