import type { Provider } from './provider.ts';

export const zai: Provider = {
  name: 'zai',
  label: 'Z.ai',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['ZAI_API_KEY'],
  keyPage: 'https://z.ai/manage-apikey/apikey-list',
  baseUrl: 'https://api.z.ai/api/coding/paas/v4',
  models: async () => (await import('@earendil-works/pi-ai/providers/zai.models')).ZAI_MODELS,
  model: 'glm-5.3',
};
