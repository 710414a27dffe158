import type { Provider } from './provider.ts';

export const anthropic: Provider = {
  name: 'anthropic',
  label: 'Anthropic',
  api: 'anthropic-messages',
  signIn: 'api-key',
  keyVariables: ['ANTHROPIC_API_KEY'],
  keyPage: 'https://console.anthropic.com/settings/keys',
  baseUrl: 'https://api.anthropic.com',
  models: async () => (await import('@earendil-works/pi-ai/providers/anthropic.models')).ANTHROPIC_MODELS,
  model: 'claude-sonnet-5',
  webSearch: 'messages',
};
