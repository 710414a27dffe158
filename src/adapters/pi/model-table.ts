// The protocols of the model library that we use, and its tables of models.
import type { Api, Model } from '@earendil-works/pi-ai';

export type ApiName =
  | 'openai-codex-responses'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'openai-completions'
  | 'mistral-conversations';

export type ModelTable = Readonly<Record<string, Model<Api>>>;
