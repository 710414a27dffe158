import { ownedBy } from './openai-list.ts';
import type { Provider } from './provider.ts';

const ADDRESS = 'http://127.0.0.1:8000';

export const vllm: Provider = {
  name: 'vllm',
  label: 'vLLM',
  api: 'openai-completions',
  signIn: 'optional-key',
  keyVariables: ['VLLM_API_KEY'],
  baseUrl: `${ADDRESS}/v1`,
  local: {
    address: () => ADDRESS,
    path: '/v1/models',
    modelsIn: ownedBy(/^vllm$/),
    getModel: 'vllm serve Qwen/Qwen3-8B',
  },
};
