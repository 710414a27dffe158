import type { Provider } from './provider.ts';

export const qwen: Provider = {
  name: 'qwen',
  label: 'Qwen (Alibaba Model Studio)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
  keyPage: 'https://modelstudio.console.alibabacloud.com/?tab=playground#/api-key',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/qwen-token-plan.models')).QWEN_TOKEN_PLAN_MODELS,
  model: 'qwen3.8-max',
  libraryName: 'qwen-token-plan',
};
