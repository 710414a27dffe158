import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineTool } from './define-tool.ts';
import type { ArgsOf } from './schema-args.ts';
import { noSubject } from './subject.ts';
import type { ToolContext } from './tool.ts';
import { createValidate } from './validate.ts';

const CONTEXT = {} as ToolContext;

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1 },
    mode: { type: 'string', enum: ['fast', 'careful'], default: 'fast' },
    limit: { type: 'integer', default: 10 },
    exact: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    range: {
      type: 'object',
      properties: { from: { type: 'number' } },
      required: ['from'],
      additionalProperties: false,
    },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    anything: {},
  },
  required: ['text'],
  additionalProperties: false,
} as const;

describe('the arguments of a tool', () => {
  it('have the types that the schema describes', () => {
    type Args = ArgsOf<typeof SCHEMA>;
    expectTypeOf<Args['text']>().toEqualTypeOf<string>();
    expectTypeOf<Args['mode']>().toEqualTypeOf<'fast' | 'careful'>();
    expectTypeOf<Args['limit']>().toEqualTypeOf<number>();
    expectTypeOf<Args['exact']>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Args['tags']>().toEqualTypeOf<readonly string[] | undefined>();
    expectTypeOf<Args['range']>().toEqualTypeOf<{ readonly from: number } | undefined>();
    expectTypeOf<Args['either']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Args['anything']>().toEqualTypeOf<unknown>();
    expectTypeOf<keyof Args>().toEqualTypeOf<keyof (typeof SCHEMA)['properties']>();
  });

  it('are typed without any annotation, and unknown names stay unknown', () => {
    defineTool({
      name: 'one',
      schema: {
        type: 'object',
        properties: { kind: { enum: ['a', 'b'] } },
        required: ['kind'],
        additionalProperties: true,
      },
      effect: 'read',
      subject: noSubject,
      async execute(args) {
        expectTypeOf(args.kind).toEqualTypeOf<'a' | 'b'>();
        expectTypeOf(args.other).toEqualTypeOf<unknown>();
        return { data: null };
      },
    });
  });

  it('hold the defaults of the schema in every function of the tool', async () => {
    const seen: unknown[] = [];
    const note = (args: ArgsOf<typeof SCHEMA>): void => void seen.push([args.text, args.mode, args.limit]);
    const tool = defineTool({
      name: 'one',
      schema: SCHEMA,
      effect: 'write',
      subject: (args) => {
        note(args);
        return { kind: 'none' };
      },
      timeoutOf: (args) => {
        note(args);
        return args.limit;
      },
      fingerprint: async (args) => void note(args),
      preview: async (args) => {
        note(args);
        return { summary: '', text: '', paths: [] };
      },
      execute: async (args) => {
        note(args);
        return { data: args };
      },
    });
    const given = { text: 'x', mode: 'careful' };
    tool.subject(given);
    tool.timeoutOf?.(given);
    await tool.fingerprint?.(given, CONTEXT);
    await tool.preview?.(given, CONTEXT);
    expect((await tool.execute(given, CONTEXT)).data).toEqual({ text: 'x', mode: 'careful', limit: 10 });
    expect(seen).toEqual(Array.from({ length: 5 }, () => ['x', 'careful', 10]));
    expect(given).toEqual({ text: 'x', mode: 'careful' });
    expect(await createValidate()(tool, { mode: 'careful' })).toContain('"text" is missing');
  });
});

it('what does more than read needs permission unless the tool says otherwise', () => {
  const tool = (effect: 'read' | 'send', requiresPermission?: boolean) =>
    defineTool({
      name: 'one',
      schema: { type: 'object', properties: {}, additionalProperties: false },
      effect,
      ...(requiresPermission !== undefined && { requiresPermission }),
      subject: noSubject,
      execute: async () => ({ data: null }),
    }).requiresPermission;
  expect([tool('read'), tool('send'), tool('send', false)]).toEqual([false, true, false]);
});
