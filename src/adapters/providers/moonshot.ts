import type { Provider } from './provider.ts';

export const moonshot: Provider = {
  name: 'moonshot',
  label: 'Moonshot (Kimi)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['MOONSHOT_API_KEY'],
  keyPage: 'https://platform.moonshot.ai/console/api-keys',
  baseUrl: 'https://api.moonshot.ai/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/moonshotai.models')).MOONSHOTAI_MODELS,
  model: 'kimi-k3',
  libraryName: 'moonshotai',
};
