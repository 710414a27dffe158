import type { Provider } from './provider.ts';

export const moonshotCn: Provider = {
  name: 'moonshot-cn',
  label: 'Moonshot (月之暗面)',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['MOONSHOT_API_KEY'],
  keyPage: 'https://platform.moonshot.cn/console/api-keys',
  baseUrl: 'https://api.moonshot.cn/v1',
  models: async () => (await import('@earendil-works/pi-ai/providers/moonshotai-cn.models')).MOONSHOTAI_CN_MODELS,
  model: 'kimi-k3',
  libraryName: 'moonshotai-cn',
};
