import type { Provider } from './provider.ts';

export const huggingface: Provider = {
  name: 'huggingface',
  label: 'Hugging Face',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['HF_TOKEN'],
  keyPage: 'https://huggingface.co/settings/tokens',
  baseUrl: 'https://router.huggingface.co/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/huggingface.models')).HUGGINGFACE_MODELS,
  model: 'moonshotai/Kimi-K3',
  // Its list of models is public: a wrong key would pass.
  keyCheck: 'ask',
};
