import { expect, it } from 'vitest';
import type { PastConversations } from '../../memory/past-conversations.ts';
import { createHistorySearchTool } from './search.ts';

it('the times of what was said are those of the person', async () => {
  const said = {
    scope: 'owner',
    source: 'session:main',
    date: '2026-11-15T20:30:00.000Z',
    speaker: 'user',
    text: 'Tea.',
  };
  const past = {
    catchUp: async () => ({ done: 1, total: 1 }),
    search: async () => ({ results: [said], leftOut: 0 }),
  } as unknown as PastConversations;
  const tool = createHistorySearchTool({ pastConversations: async () => past, systemTimezone: () => 'Asia/Shanghai' });
  const { text } = await tool.execute({ query: 'tea' }, { signal: new AbortController().signal } as never);
  expect(text).toBe('[session:main | 2026-11-16 04:30 | user]\nTea.');
});
