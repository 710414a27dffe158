import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('ids carry their prefix and do not repeat', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('msg-user'));
  for (const id of ids.slice(0, 100)) expect(id).toMatch(/^msg-user-[a-z0-9]{20}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
