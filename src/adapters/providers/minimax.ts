import type { Provider } from './provider.ts';

export const minimax: Provider = {
  name: 'minimax',
  label: 'MiniMax',
  api: 'anthropic-messages',
  signIn: 'api-key',
  keyVariables: ['MINIMAX_API_KEY'],
  baseUrl: 'https://api.minimax.io/anthropic',
  models: async () => (await import('@earendil-works/pi-ai/providers/minimax.models')).MINIMAX_MODELS,
  model: 'MiniMax-M3',
};
