import { expect, it } from 'vitest';
import { createOfferTools } from './offered-tools.ts';
import { createRegistry } from './registry.ts';
import { noSubject } from './subject.ts';
import type { ToolSpec } from './tool.ts';

const spec = (name: string, aliases: string[] = []): ToolSpec => ({
  name,
  aliases,
  effect: 'read',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', minLength: 1 } },
    required: ['path'],
    additionalProperties: false,
  },
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1_000,
  execute: async () => ({ data: {} }),
});

const texts = { 'fs.read': { description: 'Reads.', parameters: { path: 'Which file.' } } };

it('each tool is offered once, under a name legal on the wire, with its texts and without bounds', async () => {
  const { tools, wireNames } = createOfferTools(async () => texts)(createRegistry([spec('fs.read', ['read'])]));
  expect(await tools()).toEqual([
    {
      name: 'fs_read',
      description: 'Reads.',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string', description: 'Which file.' } },
        required: ['path'],
      },
    },
  ]);
  expect(wireNames.fromWire('fs_read')).toBe('fs.read');
});

it('is made once for a registry, in one language', async () => {
  let loaded = 0;
  const offer = createOfferTools(async () => {
    loaded += 1;
    return texts;
  });
  const registry = createRegistry([spec('fs.read'), spec('grep')]);
  const first = await offer(registry).tools();
  expect(await offer(registry).tools()).toBe(first);
  expect(loaded).toBe(1);
  expect(await offer(registry.filter(['grep'])).tools()).toMatchObject([{ name: 'grep' }]);
});

it('names of earlier calls get a name of their own on the wire, and stay out of what is kept', async () => {
  const offer = createOfferTools(async () => texts);
  const registry = createRegistry([spec('fs.read')]);
  const { toWire } = offer(registry, ['fs/read']).wireNames;
  expect([toWire('fs.read'), toWire('fs/read')]).toEqual(['fs_read', 'fs_read_2']);
  expect(offer(registry).wireNames.fromWire('fs_read_2')).toBe('fs_read_2');
});
