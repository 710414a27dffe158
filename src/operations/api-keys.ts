// Keys of the OpenAI-compatible API: each program has its own, so that one can be revoked alone.
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const KEY = { id: TEXT, name: TEXT, createdAt: TIME } as const;
const USED = { usedAt: { ...TIME, description: 'to the hour; absent until then' } } as const;

export const listApiKeys = defineOperation({
  name: 'api-keys.list',
  class: 'read',
  summary: 'List the keys of the OpenAI-compatible API.',
  input: NO_INPUT,
  output: listOf(objectWith(KEY, USED)),
  run: async (_input, { runtime }) => (await runtime.consoleAccess()).keys(),
});

export const createApiKey = defineOperation({
  name: 'api-keys.create',
  class: 'danger',
  summary: 'Make a key for a program that uses the OpenAI-compatible API. It is shown once.',
  input: {
    type: 'object',
    properties: { name: { ...TEXT, description: 'the program that uses it' } },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ ...KEY, secret: TEXT }, USED),
  run: async ({ name }, { runtime }) => (await runtime.consoleAccess()).createKey(name),
});

export const revokeApiKey = defineOperation({
  name: 'api-keys.revoke',
  class: 'change',
  summary: 'Revoke a key of the OpenAI-compatible API; it stops working at once.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ revoked: YES_OR_NO }),
  async run({ id }, { runtime }) {
    if (!(await (await runtime.consoleAccess()).revokeKey(id)))
      throw new CodedError('KEY_UNKNOWN', `there is no key "${id}": "lainclaw console keys" lists them`);
    return { revoked: true };
  },
});
