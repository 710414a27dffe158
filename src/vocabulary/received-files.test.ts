import { expect, it } from 'vitest';
import { inboxOf } from './inbox-of.ts';
import { isSentByOthers } from './received-files.ts';

const anna = inboxOf('person:telegram:1');
const group = inboxOf('chat:telegram:-7');

it('every reader has a folder of their own', () => {
  expect(inboxOf('owner')).toBe('inbox');
  expect(new Set([anna, group, inboxOf('person:telegram:2')]).size).toBe(3);
  expect(anna).toMatch(/^inbox-of-others\/[0-9a-f]{16}$/);
});

it.each([
  ['inbox', anna, true],
  ['inbox/2026-01-01/a.txt', anna, true],
  ['Inbox/2026-01-01/a.txt', anna, true],
  ['inbox-of-others', anna, false],
  [`${anna}/2026-01-01/a.txt`, anna, false],
  [group, anna, true],
  [`${group}/2026-01-01/a.txt`, anna, true],
  [`${anna}0/2026-01-01/a.txt`, anna, true],
  ['inboxes/a.txt', anna, false],
  ['src/inbox/a.txt', anna, false],
])('%s', (path, own, isOfOthers) => {
  expect(isSentByOthers(path, own)).toBe(isOfOthers);
});
