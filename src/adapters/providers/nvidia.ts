import type { Provider } from './provider.ts';

export const nvidia: Provider = {
  name: 'nvidia',
  label: 'NVIDIA',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['NVIDIA_API_KEY'],
  keyPage: 'https://build.nvidia.com',
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/nvidia.models')).NVIDIA_MODELS,
  model: 'moonshotai/kimi-k3',
  // Its list of models is public: a wrong key would pass.
  keyCheck: 'ask',
};
