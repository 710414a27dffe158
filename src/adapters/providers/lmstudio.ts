import { ownedBy } from './openai-list.ts';
import type { Provider } from './provider.ts';

const ADDRESS = 'http://127.0.0.1:1234';

export const lmstudio: Provider = {
  name: 'lmstudio',
  label: 'LM Studio',
  api: 'openai-completions',
  signIn: 'none',
  baseUrl: `${ADDRESS}/v1`,
  local: {
    address: () => ADDRESS,
    path: '/v1/models',
    modelsIn: ownedBy(/^organization_owner$/),
    getModel: 'lms get qwen3',
  },
  windowQuestion: {
    path: (baseUrl) => new URL('/api/v0/models', baseUrl).href,
    windowIn(body, model) {
      const { data } = body as { data: { id: string; loaded_context_length?: number; max_context_length?: number }[] };
      const found = data.find(({ id }) => id === model);
      return found?.loaded_context_length ?? found?.max_context_length;
    },
  },
};
