import { expect, it } from 'vitest';
import { schemaForModel } from './schema-for-model.ts';

it('a model is sent types, choices, defaults and limits, and none of the bounds that go without saying', () => {
  const sent = schemaForModel({
    type: 'object',
    properties: {
      path: { type: 'string', minLength: 1, maxLength: 500, pattern: '^[a-z]+$', description: 'Where' },
      mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
      limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
      waitMs: { type: 'integer', minimum: 100 },
    },
    required: ['path'],
    additionalProperties: false,
  });
  expect(sent).toEqual({
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where' },
      mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
      limit: { type: 'integer', maximum: 50, default: 10 },
      waitMs: { type: 'integer', minimum: 100 },
    },
    required: ['path'],
  });
});

it('a tool that takes anything says so', () => {
  const schema = { type: 'object' as const, properties: {}, additionalProperties: true };
  expect(schemaForModel(schema)).toEqual(schema);
});
