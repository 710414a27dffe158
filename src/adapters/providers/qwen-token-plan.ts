import type { Provider } from './provider.ts';

export const qwenTokenPlan: Provider = {
  name: 'qwen-token-plan',
  label: 'Qwen Token Plan',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['QWEN_TOKEN_PLAN_API_KEY'],
  baseUrl: 'https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/qwen-token-plan.models')).QWEN_TOKEN_PLAN_MODELS,
  model: 'qwen3.8-max',
};
