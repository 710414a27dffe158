import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { afterFile } from '../../../test/support/test-home.ts';
import { answerWithin } from './answer-within.ts';
import type { Query } from './database.ts';

const WITHIN_MS = 50;

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function connection(): Promise<[Socket, Socket]> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  server.close();
  afterFile(() => near.destroy());
  return [near, far];
}

it('an answer that arrives while the process is paused is not late', async () => {
  const [near, far] = await connection();
  const query: Query = async () => {
    const answer = once(near, 'data');
    far.write('answer');
    setImmediate(() => standStill(2 * WITHIN_MS));
    await answer;
    return [];
  };
  const ask = answerWithin(query, WITHIN_MS);
  for (let times = 0; times < 5; times += 1) await expect(ask('SELECT 1')).resolves.toEqual([]);
});

it('without an answer in time it rejects, and at once until that answer has come', async () => {
  const answer = Promise.withResolvers<never[]>();
  const ask = answerWithin((() => answer.promise) as Query, 1);
  await expect(ask('SELECT 1')).rejects.toThrow('no answer came in time');
  await expect(ask('SELECT 2')).rejects.toThrow('an earlier statement has no answer yet');
  answer.resolve([]);
  await answer.promise;
  await expect(ask('SELECT 3')).resolves.toEqual([]);
});
