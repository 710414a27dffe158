import type { Provider } from './provider.ts';

export const qwenCn: Provider = {
  name: 'qwen-cn',
  label: 'Qwen (阿里云百炼)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['DASHSCOPE_API_KEY'],
  keyPage: 'https://bailian.console.aliyun.com/?tab=model#/api-key',
  baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
  models: async () =>
    (await import('@earendil-works/pi-ai/providers/qwen-token-plan-cn.models')).QWEN_TOKEN_PLAN_CN_MODELS,
  model: 'qwen3.8-max',
  libraryName: 'qwen-token-plan-cn',
};
