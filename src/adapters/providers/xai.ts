import type { Provider } from './provider.ts';

export const xai: Provider = {
  name: 'xai',
  label: 'xAI',
  api: 'openai-responses',
  signIn: 'api-key',
  keyVariables: ['XAI_API_KEY'],
  keyPage: 'https://console.x.ai',
  baseUrl: 'https://api.x.ai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/xai.models')).XAI_MODELS,
  model: 'grok-4.7',
};
