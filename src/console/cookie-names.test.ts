// Consoles on PostgreSQL that one browser reaches at one host: it sends its cookies to each of them.
import { expect, it } from 'vitest';
import { testDatabase } from '../../test/support/postgres.ts';
import { testConsole } from '../../test/support/test-console.ts';
import { afterFile } from '../../test/support/test-home.ts';

const database = await testDatabase();
afterFile(() => database.drop());
const config = { provider: 'stub' };
const variables = { LAINCLAW_STORE: database.url, LAINCLAW_STORE_KEY: 'ab'.repeat(32) };
const nameOf = (cookie: string): string => cookie.split('=')[0] ?? '';

it('gateways of one database have one cookie; a database of the same name has another', async () => {
  const [one, two] = await Promise.all([testConsole(config, variables), testConsole(config, variables)]);
  const cookie = await one.signIn();
  const headers = { cookie, ...one.pageOf(cookie) };
  expect((await two.send('/api/me', { headers })).json()).toMatchObject({ role: 'owner' });
  expect(nameOf(await two.signIn())).toBe(nameOf(cookie));

  await database.replace();
  const other = await testConsole(config, variables);
  expect(nameOf(await other.signIn())).not.toBe(nameOf(cookie));
});
