// Two gateways on one PostgreSQL database, each with a console and a home of its own: what is limited, is limited over both.
import { expect, it } from 'vitest';
import { startModelServer } from '../../test/fakes/model-server/model-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { type TestConsole, testConsole } from '../../test/support/test-console.ts';
import { afterFile } from '../../test/support/test-home.ts';
import { WRONG_SECRETS } from '../lib/secret-attempts.ts';

const answering = Promise.withResolvers<void>();
const server = await startModelServer({
  script: async ({ model }) => {
    if (model === 'busy') return { fault: { kind: 'status', status: 429, headers: { 'retry-after': '400' } } };
    if (model === 'slow') await answering.promise;
    return { text: 'Done.' };
  },
});
afterFile(() => server.close());
const database = await testDatabase();
afterFile(() => database.drop());
const config = { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'slow', modelTitles: false };
const variables = {
  LAINCLAW_STORE: database.url,
  LAINCLAW_STORE_KEY: 'ab'.repeat(32),
  LAINCLAW_API_KEY: 'key-of-a-test',
};
const one = await testConsole(config, variables);
const two = await testConsole(config, variables);
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * Tries wrong secrets on one gateway and the other in turn until one is not compared any more. No more were than on one gateway alone in that time, and the
 * first of the other.
 */
async function expectCountedTogether(isCompared: (isSecond: boolean) => Promise<boolean>): Promise<void> {
  const began = performance.now();
  let compared = 0;
  while (await isCompared(compared % 2 === 1)) compared += 1;
  const forgiven = Math.ceil((performance.now() - began) / WRONG_SECRETS.intervalMs);
  expect(compared).toBeLessThanOrEqual(WRONG_SECRETS.most + forgiven + 1);
  expect(compared).toBeGreaterThanOrEqual(WRONG_SECRETS.most);
}

it('wrong passwords count on both', async () => {
  const body = '{"password":"wrong horse"}';
  await expectCountedTogether(async (isSecond) => {
    const { status } = await (isSecond ? two : one).send('/login', { method: 'POST', headers: JSON_TYPE, body });
    expect([401, 429]).toContain(status);
    return status === 401;
  });
});

it('wrong tokens of the MCP server count on both', async () => {
  const [first, second] = [await one.runtime.mcpAdmission(), await two.runtime.mcpAdmission()];
  const headers = { authorization: 'Bearer wrong' };
  await expectCountedTogether(async (isSecond) => {
    const { outcome } = await (isSecond ? second : first).admits(new Request('http://127.0.0.1/mcp', { headers }));
    expect(['wrong', 'limited']).toContain(outcome);
    return outcome === 'wrong';
  });
});

it('an invited person has four turns at once over both gateways', async () => {
  const { id } = await (await one.runtime.consoleAccess()).addPerson('Anna');
  const cookies = [await one.signIn(id), await two.signIn(id)];
  const ask = (index: number) => {
    const [gateway, cookie = ''] = index % 2 ? [one, cookies[0]] : [two, cookies[1]];
    return gateway.send('/api/turns', { method: 'POST', headers: { ...JSON_TYPE, cookie }, body: '{"text":"hello"}' });
  };
  const statuses: number[] = [];
  for (let index = 0; index < 6; index += 1) statuses.push((await ask(index)).status);
  expect(statuses).toEqual([202, 202, 202, 202, 429, 429]);
  answering.resolve();
  await eventually(async () => expect((await ask(0)).status).toBe(202));
  await eventually(async () => expect((await ask(1)).status).toBe(202));
});

it('what a model’s service asks one gateway to wait for, the other does not ask before', async () => {
  /** What the turn showed. */
  async function ask({ call, runtime }: TestConsole, model = 'busy'): Promise<string> {
    const { turn } = await call<{ turn: string }>('/api/turns', { text: 'hello', model });
    const shown: unknown[] = [];
    for await (const item of runtime.hub.read(turn)) shown.push(item);
    return JSON.stringify(shown);
  }
  const asked = (): number => server.requests.filter(({ body }) => JSON.stringify(body).includes('"busy"')).length;
  expect(await ask(one)).toContain('It asks to wait');
  expect(asked()).toBe(1);
  expect(await ask(two)).toContain('has asked this account to wait');
  expect(asked()).toBe(1);
  // Other models of the account are asked.
  expect(await ask(two, 'idle')).toContain('Done.');
});
