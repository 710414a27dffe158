import { ollamaAddress } from './ollama.ts';
import type { Provider } from './provider.ts';

export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  label: 'Any server that speaks Chat Completions',
  api: 'openai-completions',
  signIn: 'optional-key',
  keyVariables: ['LAINCLAW_API_KEY'],
  baseUrl: (variables) => `${ollamaAddress(variables)}/v1`,
  baseUrlVariable: 'LAINCLAW_BASE_URL',
};
