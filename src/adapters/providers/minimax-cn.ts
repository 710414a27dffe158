import type { Provider } from './provider.ts';

export const minimaxCn: Provider = {
  name: 'minimax-cn',
  label: 'MiniMax (China)',
  api: 'anthropic-messages',
  signIn: 'api-key',
  keyVariables: ['MINIMAX_CN_API_KEY'],
  baseUrl: 'https://api.minimaxi.com/anthropic',
  models: async () => (await import('@earendil-works/pi-ai/providers/minimax-cn.models')).MINIMAX_CN_MODELS,
  model: 'MiniMax-M3',
};
