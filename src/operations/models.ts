// The models that providers offer.
import type { ModelList } from '../adapters/models.ts';
import { nearest } from '../lib/nearest.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const NUMBER = { type: 'number' } as const;
const MODEL = objectWith(
  { id: TEXT, isDefault: YES_OR_NO },
  {
    name: TEXT,
    contextWindow: NUMBER,
    price: { ...objectWith({ input: NUMBER, output: NUMBER }), description: 'USD for a million tokens' },
    tools: { ...YES_OR_NO, description: 'false when its server says that it cannot call tools' },
  },
);

export const listModels = defineOperation({
  name: 'models.list',
  class: 'read',
  summary: 'List the models that each provider, or one of them, offers.',
  input: {
    type: 'object',
    properties: {
      provider: TEXT,
      baseUrl: { type: 'string', description: 'the address of an openai-compatible server' },
    },
    additionalProperties: false,
  },
  output: listOf(
    objectWith(
      { provider: TEXT, models: listOf(MODEL) },
      { problem: { type: 'string', description: 'why the list is empty' } },
    ),
  ),
  async run({ provider: only, baseUrl }, { runtime, signal }) {
    const { models, names } = await runtime.modelServices(baseUrl);
    const accepted = names();
    if (only !== undefined && !accepted.includes(only)) throw unknownProvider(only, accepted);
    const wanted = only === undefined ? accepted : [only];
    return Promise.all(wanted.map(async (name) => described(name, await models.list(name, signal))));
  },
});

function described(provider: string, found: ModelList | undefined) {
  if (found?.ok) return { provider, models: found.models };
  return { provider, models: [], ...(found && { problem: found.failure.message }) };
}

function unknownProvider(name: string, accepted: readonly string[]): CodedError {
  const close = nearest(name, accepted);
  const hint = close ? ` (did you mean "${close}"?)` : '';
  return new CodedError(
    'UNSUPPORTED_PROVIDER',
    `there is no provider "${name}"${hint}; accepted: ${accepted.join(', ')}`,
  );
}
