import type { Provider } from './provider.ts';

export const zaiCodingCn: Provider = {
  name: 'zai-coding-cn',
  label: 'Z.ai (智谱)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['ZAI_CODING_CN_API_KEY'],
  baseUrl: 'https://open.bigmodel.cn/api/coding/paas/v4',
  models: async () => (await import('@earendil-works/pi-ai/providers/zai-coding-cn.models')).ZAI_CODING_CN_MODELS,
  model: 'glm-5.3',
};
