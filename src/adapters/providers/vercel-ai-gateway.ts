import type { Provider } from './provider.ts';

export const vercelAiGateway: Provider = {
  name: 'vercel-ai-gateway',
  label: 'Vercel AI Gateway',
  api: 'anthropic-messages',
  signIn: 'api-key',
  keyVariables: ['AI_GATEWAY_API_KEY'],
  baseUrl: 'https://ai-gateway.vercel.sh',
  models: async () =>
    (await import('@earendil-works/pi-ai/providers/vercel-ai-gateway.models')).VERCEL_AI_GATEWAY_MODELS,
  model: 'anthropic/claude-sonnet-5',
  // Its list of models is public: a wrong key would pass.
  keyCheck: '/v1/credits',
};
