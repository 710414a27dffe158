import type { Provider } from './provider.ts';

export const groq: Provider = {
  name: 'groq',
  label: 'Groq',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['GROQ_API_KEY'],
  keyPage: 'https://console.groq.com/keys',
  baseUrl: 'https://api.groq.com/openai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/groq.models')).GROQ_MODELS,
  model: 'openai/gpt-oss-120b',
};
