import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWireCalls, TOOL_CALL } from './folded-calls.ts';
import { createOfferTools } from './offered-tools.ts';
import { createRegistry } from './registry.ts';
import { noSubject } from './subject.ts';
import type { ToolContext, ToolSpec } from './tool.ts';
import { createToolCallTool } from './unfold/call.ts';
import { createToolSearchTool } from './unfold/search.ts';
import { createWireNames } from './wire-names.ts';

const spec = (name: string, description: string, isFolded?: true): ToolSpec => ({
  name,
  description,
  isFolded,
  effect: 'read',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: [], additionalProperties: false },
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1_000,
  execute: async () => ({ data: {} }),
});

const SPECS = [
  spec('read', 'Reads.'),
  spec('job.pause', 'Pauses a job.', true),
  spec('job.edit', 'Changes when a job runs.', true),
  createToolSearchTool(),
  createToolCallTool(),
];
const offer = createOfferTools(async () => ({}));
const registry = createRegistry(SPECS);

const search = async (query: string): Promise<string> => {
  const { folded } = offer(registry);
  const context = { foldedTools: folded } as unknown as ToolContext;
  return (await createToolSearchTool().execute({ query }, context)).text ?? '';
};

describe('folded tools', () => {
  it('are named in the description of the tool that finds them, and offered nowhere else', async () => {
    const tools = await offer(registry).tools();
    expect(tools.map(({ name }) => name)).toEqual(['read', 'tool_search', 'tool_call']);
    expect(tools[1]?.description).toMatch(/ job_pause, job_edit$/);
  });

  it('are offered whole where the tools that unfold them are not allowed', async () => {
    const { tools, wireNames } = offer(registry.filter(['read', 'job.pause']));
    expect((await tools()).map(({ name }) => name)).toEqual(['read', 'job_pause']);
    expect(wireNames.callToWire({ name: 'job.pause', args: {} }).name).toBe('job_pause');
  });

  it('without any, nothing unfolds them', async () => {
    const { tools } = offer(registry.filter(['read', 'tool_search', 'tool_call']));
    expect((await tools()).map(({ name }) => name)).toEqual(['read']);
  });

  it('are counted where a server has many', async () => {
    const many = Array.from({ length: 30 }, (_, index) => spec(`mcp__big__t${index}`, 'Does it.', true));
    const tools = await offer(createRegistry([...SPECS, ...many])).tools();
    expect(tools[1]?.description).toMatch(/ job_pause, job_edit, mcp__big__\* \(30\)$/);
  });

  it('are found by name and by words, with their schema', async () => {
    expect(await search('job_edit')).toMatch(/^Call with tool_call:\n\njob_edit: Changes when a job runs\.\n\{/);
    expect(await search('how do I pause something?')).toContain('job_pause: Pauses a job.\n{"type":"object"');
    expect(await search('weather')).toBe('No tool fits. There are: job_pause, job_edit');
  });
});

describe('calls through tool_call', () => {
  const names = ['read', 'job.pause', TOOL_CALL];
  const { callToWire, callFromWire, toWire } = createWireCalls(createWireNames(names), new Set(['job.pause']));

  it('are ordinary calls everywhere but on the wire', () => {
    const wire = { name: 'tool_call', args: { name: 'job_pause', args: { id: 'a' } } };
    expect(callFromWire(wire)).toEqual({ name: 'job.pause', args: { id: 'a' } });
    expect(callToWire({ name: 'job.pause', args: { id: 'a' } })).toEqual(wire);
    expect(toWire('job.pause')).toBe('tool_call');
  });

  it.each([
    ['its own name', { name: 'job_pause', args: { id: 'a' } }],
    ['arguments as a text', { name: 'tool_call', args: { name: 'job.pause', args: '{"id":"a"}' } }],
  ])('are understood with %s', (_, call) => {
    expect(callFromWire(call)).toEqual({ name: 'job.pause', args: { id: 'a' } });
  });

  it.each([
    {},
    { name: 3 },
    { name: 'tool_call', args: {} },
    { name: 'job_pause', args: [] },
    { name: 'x', args: '{' },
  ])('that name no call stay as they are: %j', (args) => {
    expect(callFromWire({ name: 'tool_call', args })).toEqual({ name: 'tool_call', args });
  });

  it('come back as they were sent, whatever the arguments', () => {
    const args = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.constantFrom('read', 'job.pause'), args, (name, given) => {
        expect(callFromWire(callToWire({ name, args: given }))).toEqual({ name, args: given });
      }),
    );
  });
});
