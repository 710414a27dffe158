import type { Provider } from './provider.ts';

export const baseten: Provider = {
  name: 'baseten',
  label: 'Baseten',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['BASETEN_API_KEY'],
  baseUrl: 'https://inference.baseten.co/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/baseten.models')).BASETEN_MODELS,
  model: 'moonshotai/Kimi-K3',
};
