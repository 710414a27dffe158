import type { Provider } from './provider.ts';

export const antLing: Provider = {
  name: 'ant-ling',
  label: 'Ant Ling',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['ANT_LING_API_KEY'],
  baseUrl: 'https://api.ant-ling.com/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/ant-ling.models')).ANT_LING_MODELS,
  model: 'Ling-2.6-1T',
};
