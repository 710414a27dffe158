import type { Provider } from './provider.ts';

export const openrouter: Provider = {
  name: 'openrouter',
  label: 'OpenRouter',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['OPENROUTER_API_KEY'],
  keyPage: 'https://openrouter.ai/settings/keys',
  baseUrl: 'https://openrouter.ai/api/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/openrouter.models')).OPENROUTER_MODELS,
  model: 'anthropic/claude-sonnet-5',
  // Its list of models is public: a wrong key would pass.
  keyCheck: '/key',
};
