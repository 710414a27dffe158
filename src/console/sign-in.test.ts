import { expect, it } from 'vitest';
import { testConsole } from '../../test/support/test-console.ts';

const { send } = await testConsole();

it('a body that is larger than a password is refused, and counts as an attempt', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ password: 'x'.repeat(9_000) });
  const statuses: number[] = [];
  for (let sent = 0; sent < 30; sent += 1)
    statuses.push((await send('/login', { method: 'POST', headers, body })).status);
  expect([statuses[0], statuses.includes(429)]).toEqual([413, true]);
});
