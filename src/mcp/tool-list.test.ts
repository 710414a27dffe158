import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import type { McpServerConfig, McpTool } from './mcp.ts';
import { createToolLists, usableTools } from './tool-list.ts';

const tool = (name: string, more: Partial<McpTool> = {}): McpTool => ({
  name,
  description: '',
  inputSchema: { type: 'object' },
  ...more,
});
const accepting = async (schema: Record<string, unknown>) =>
  JSON.stringify(schema).includes('"("') ? 'its input schema cannot be read' : undefined;

describe('the tools of a server', () => {
  it('are described in bounded text without what cannot be seen', async () => {
    const hidden = '\u0007\u202e\u{e0041}\u200b';
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', description: `a${hidden}b`, default: '\u0007' } },
    };
    const given = tool('one', { description: `Does${hidden} it.\n${'x'.repeat(5_000)}`, inputSchema: schema });
    const { tools, leftOut } = await usableTools([given], accepting);
    expect(leftOut).toEqual([]);
    expect(tools[0]?.description).toMatch(/^Does it\. x+$/);
    expect(tools[0]?.description).toHaveLength(1_024);
    const a = { type: 'string', description: 'a b', default: '\u0007' };
    expect(tools[0]?.inputSchema).toEqual({ type: 'object', properties: { a } });
  });

  it('are left out with the reason where they cannot be offered', async () => {
    const { tools, leftOut } = await usableTools(
      [
        tool('good'),
        tool('good'),
        tool('bad name'),
        tool(''),
        tool('x'.repeat(101)),
        tool('list', { inputSchema: { type: 'array' } }),
        tool('none', { inputSchema: undefined as never }),
        tool('long', { inputSchema: { type: 'object', properties: { a: { const: 'x'.repeat(20_001) } } } }),
        tool('broken', { inputSchema: { type: 'object', properties: { a: { pattern: '(' } } } }),
      ],
      accepting,
    );
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(leftOut).toEqual([
      'good: another one has the same name',
      expect.stringContaining('bad name: its name holds more than'),
      expect.stringContaining(': its name holds'),
      expect.stringMatching(/^x{100}: its name holds/),
      'list: its input schema is not an object',
      'none: its input schema is not an object',
      'long: its input schema is longer than 20000 characters',
      expect.stringContaining('broken: its input schema cannot be read'),
    ]);
  });

  it('are offered or left out, whatever a server says', async () => {
    const any = fc.record({
      name: fc.oneof(fc.constantFrom('a', 'b'), fc.string()),
      description: fc.string({ unit: 'binary', maxLength: 3_000 }),
      inputSchema: fc.oneof(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.record({ type: fc.constant('object'), properties: fc.dictionary(fc.string(), fc.jsonValue()) }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(any, { maxLength: 5 }), async (given) => {
        const { tools, leftOut } = await usableTools(given as McpTool[], accepting);
        expect(tools.length + leftOut.length).toBe(given.length);
        expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
        for (const { description } of tools) {
          expect(description.length).toBeLessThanOrEqual(1_024);
          expect(description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
      }),
    );
  });
});

describe('what is known of a server', () => {
  const server: McpServerConfig = { kind: 'command', command: 'x', args: [], env: {} };
  const listed = { tools: [tool('a')], leftOut: [] };

  it('holds for one configuration of it', async () => {
    const lists = createToolLists({ files: memoryOwnerFiles(), now: () => 0 });
    expect(await lists.get('s', server)).toBeUndefined();
    await lists.put('s', server, listed);
    expect(await lists.get('s', server)).toMatchObject(listed);
    expect(await lists.get('s', { ...server, args: ['new'] })).toBeUndefined();
    expect(await lists.get('other', server)).toBeUndefined();
    await lists.remove('s');
    expect(await lists.get('s', server)).toBeUndefined();
  });

  it('is a failure for a minute only, also when the clock is set back', async () => {
    let time = 1_000_000;
    const lists = createToolLists({ files: memoryOwnerFiles(), now: () => time });
    await lists.put('s', server, { error: 'it burns' });
    time += 59_999;
    expect(await lists.get('s', server)).toMatchObject({ error: 'it burns' });
    time += 1;
    expect(await lists.get('s', server)).toBeUndefined();
    time = 0;
    expect(await lists.get('s', server)).toBeUndefined();
  });

  it('is asked again when the file is damaged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const lists = createToolLists({ files: memoryOwnerFiles({ 'mcp-tools.json': text }), now: () => 0 });
        expect(await lists.get('s', server)).toBeUndefined();
        await lists.put('s', server, listed);
        expect(await lists.get('s', server)).toMatchObject(listed);
      }),
    );
  });
});
