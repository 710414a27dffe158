import type { Provider } from './provider.ts';

export const meta: Provider = {
  name: 'meta',
  label: 'Meta',
  api: 'openai-responses',
  signIn: 'api-key',
  keyVariables: ['META_API_KEY'],
  baseUrl: 'https://api.meta.ai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/meta.models')).META_MODELS,
  model: 'muse-spark-1.3',
};
