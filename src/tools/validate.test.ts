import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { noSubject } from './subject.ts';
import type { ToolArgs, ToolSpec } from './tool.ts';
import { createValidate } from './validate.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['overwrite', 'append'] },
    count: { type: 'integer', minimum: 1, maximum: 10 },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' }, maxItems: 2 },
  },
  required: ['path'],
  additionalProperties: false,
};

const spec = (inputSchema: JsonSchema): ToolSpec => ({
  name: 'tool',
  inputSchema,
  effect: 'read',
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1,
  execute: async () => ({ data: null }),
});

const validate = createValidate();
const problem = (args: unknown, schema = SCHEMA): Promise<string | undefined> =>
  validate(spec(schema), args as ToolArgs);

describe('arguments', () => {
  it.each([{ path: 'a' }, { path: 'a', mode: 'append', count: 10, flag: false, list: ['x'] }])(
    '%j are accepted',
    async (args) => {
      expect(await problem(args)).toBeUndefined();
    },
  );

  it.each([
    [{}, /"path" is missing/],
    [{ path: '' }, /"path" must not have fewer than 1 character/],
    [{ path: 1 }, /"path" must be string/],
    [{ path: null }, /"path" must be string/],
    [{ path: 'a', mode: 'replace' }, /"mode" must be one of "overwrite", "append"/],
    [{ path: 'a', count: 0 }, /"count" must be >= 1/],
    [{ path: 'a', count: 11 }, /"count" must be <= 10/],
    [{ path: 'a', count: 1.5 }, /"count" must be integer/],
    [{ path: 'a', count: '1' }, /"count" must be integer/],
    [{ path: 'a', flag: 'true' }, /"flag" must be boolean/],
    [{ path: 'a', list: ['x', 1] }, /"list\.1" must be string/],
    [{ path: 'a', other: 1 }, /"other" is not a parameter/],
    [{ other: 1, third: 2 }, /"path" is missing.*"other", "third"/],
    [JSON.parse('{"path":"a","__proto__":{}}'), /"__proto__" is not a parameter/],
  ])('%j are refused by parameter, with all that there are', async (args, words) => {
    expect(await problem(args)).toMatch(words);
    expect(await problem(args)).toContain('(it takes path, mode, count, flag, list)');
  });

  it.each([[[]], [null], ['text'], [1], [undefined]])('%j are not an object', async (args) => {
    expect(await problem(args)).toBe('the arguments must be a JSON object');
  });

  it('for a tool without parameters say so', async () => {
    const none: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };
    expect(await problem({}, none)).toBeUndefined();
    expect(await problem({ a: 1 }, none)).toBe('"a" is not a parameter (it takes no parameters)');
  });

  it('for a tool that takes anything are anything', async () => {
    const open: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };
    expect(await problem({ a: { b: [1] }, '': null }, open)).toBeUndefined();
  });
});
