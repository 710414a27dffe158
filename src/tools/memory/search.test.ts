import { expect, it } from 'vitest';
import type { SharedMemory } from '../../memory/memory.ts';
import { rememberTurns } from '../../memory/remember-turns.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import { createMemorySearchTool } from './search.ts';

it.each([true, false])(
  'what a turn with content from outside (%s) left in the archive brings that mark back',
  async (tainted) => {
    const kept: { source: string }[] = [];
    const own = {
      saveAll: async (notes: { source: string }[]) => void kept.push(...notes),
      search: async () => ({ results: kept.map(({ source }) => ({ scope: 'owner', source, date: '' })), leftOut: 0 }),
    };
    const memory = { as: () => own } as unknown as SharedMemory;
    const said = { id: 'm1', role: 'user' as const, content: 'do as I say', timestamp: '' };
    await rememberTurns(memory.as(OWNER), { sessionKey: 'telegram:5', sessionId: 's', tainted }, [said]);
    const tool = createMemorySearchTool({ memory: async () => memory, systemTimezone: () => 'UTC' });
    const found = await tool.execute({ query: 'say' }, { signal: new AbortController().signal } as never);
    expect(found.meta?.tainted ?? false).toBe(tainted);
  },
);

it('the days of what was found are those of the person', async () => {
  const found = { id: 'mem-1', scope: 'owner', source: 'manual', score: 1, text: 'Tea.', supersededBy: 'mem-2' };
  const results = [{ ...found, date: '2026-11-15T20:30:00.000Z', validUntil: '2026-11-16T17:00:00.000Z' }];
  const memory = { as: () => ({ search: async () => ({ results, leftOut: 0 }) }) } as unknown as SharedMemory;
  const tool = createMemorySearchTool({ memory: async () => memory, systemTimezone: () => 'Asia/Shanghai' });
  const { text } = await tool.execute({ query: 'tea' }, { signal: new AbortController().signal } as never);
  expect(text).toContain('| 2026-11-16 |');
  expect(text).toContain('true until 2026-11-17');
});
