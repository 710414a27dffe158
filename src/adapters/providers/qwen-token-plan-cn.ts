import type { Provider } from './provider.ts';

export const qwenTokenPlanCn: Provider = {
  name: 'qwen-token-plan-cn',
  label: 'Qwen Token Plan (China)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['QWEN_TOKEN_PLAN_CN_API_KEY'],
  baseUrl: 'https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1',
  models: async () =>
    (await import('@earendil-works/pi-ai/providers/qwen-token-plan-cn.models')).QWEN_TOKEN_PLAN_CN_MODELS,
  model: 'qwen3.8-max',
};
