// Gemini through Google's Chat Completions address: the library's own module for Gemini cannot be given a fetch, so a key
// could not be kept from it.
import { createThoughtSignatures } from './gemini-thought-signatures.ts';
import type { Provider } from './provider.ts';

export const gemini: Provider = {
  name: 'gemini',
  label: 'Google Gemini',
  api: 'openai-completions',
  signIn: 'api-key',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  keyPage: 'https://aistudio.google.com/apikey',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  models: async () => (await import('@earendil-works/pi-ai/providers/google.models')).GOOGLE_MODELS,
  model: 'gemini-flash-latest',
  libraryName: 'google',
  compat: { supportsReasoningEffort: true, maxTokensField: 'max_tokens' },
  createEchoes: createThoughtSignatures,
  webSearch: 'google-search',
};
