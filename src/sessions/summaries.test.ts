import { expect, it } from 'vitest';
import { summariesOf } from './summaries.ts';

it('summaries are found by their session and the last message they cover', () => {
  const notes = [
    '# Memory of session main\n',
    '## 2026-11-01\n<!-- messages 1-14 of session-a -->\n\n- one\n\n## a heading of its own\n- two\n<!-- outside -->\n',
    '## 2026-11-02\n<!-- messages 1-12 of session-b -->\n\n- other\n',
    '## 2026-11-03\n<!-- messages 15-30 of session-a -->\n\n- three\n',
  ].join('\n');
  expect([...summariesOf(notes, 'session-a')]).toEqual([
    [14, '- one\n\n## a heading of its own\n- two'],
    [30, '- three'],
  ]);
  expect(summariesOf('', 'session-a').size).toBe(0);
});
