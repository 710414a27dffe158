// Several gateways on one database answer the chats of one bot: each has room for one turn, so what runs at the same time runs in different ones.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { eventually } from '../support/eventually.ts';
import { judged, writtenLines } from '../support/gateway-kills.ts';
import type { OutboxLine } from '../support/local-gateway.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';

const FAULTLESS = { lost: [], repeated: [], outOfOrder: [] };

let database: TestDatabase;
let shared: SharedGateways;
let model: ModelServer;
/** Questions that the model is thinking about, and what lets it answer. */
let thinking: Set<string>;
let gate: PromiseWithResolvers<void>;
beforeEach(async () => {
  thinking = new Set();
  gate = Promise.withResolvers();
  model = await startModelServer({ script: answer });
  database = await testDatabase();
  shared = createSharedGateways({
    url: database.url,
    count: 2,
    config: { provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1` },
    flags: ['--max-concurrent-turns=1', '--debounce-ms=50'],
  });
  for (const machine of shared.machines) await machine.start();
});
afterEach(async () => {
  gate.resolve();
  await shared.remove();
  await model.close();
  await database.drop();
});

async function answer({ messages }: NeutralRequest) {
  const text = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  thinking.add(text);
  await gate.promise;
  thinking.delete(text);
  return { text };
}

/** As a person sees them: an answer takes the place of the message that showed its progress. */
function messages(): OutboxLine[] {
  return [...new Map(shared.outbox().map((line) => [line.messageId, line])).values()];
}

async function runsOneEach(): Promise<void> {
  await eventually(() => expect(thinking.size).toBe(2));
  const running = await Promise.all(shared.machines.map(async (each) => (await each.status()).runningTurns));
  expect(running).toEqual([1, 1]);
}

it('chats of one bot are answered by both at the same time, one turn a gateway, each chat in order', async () => {
  const lines = writtenLines(4, 3);
  shared.write(lines.slice(0, 4));
  await runsOneEach();
  shared.write(lines.slice(4));
  gate.resolve();
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(judged(lines, messages(), 0)).toMatchObject({ ...FAULTLESS, handledOnce: lines.length });
});

it('what a lost gateway was answering is taken up by the other, and everything is answered once', async () => {
  const lines = writtenLines(4, 1);
  shared.write(lines);
  await runsOneEach();
  const states = await Promise.all(shared.machines.map((each) => each.stateOfBot()));
  const worker = shared.machines[states.indexOf('standby')] as Machine;
  await worker.end('SIGKILL');
  gate.resolve();
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(judged(lines, messages(), 1)).toMatchObject({ ...FAULTLESS, handledOnce: lines.length });
});

it('a gateway that stops in order finishes its turn, and the other sends the answer', async () => {
  const lines = writtenLines(2, 1);
  shared.write(lines);
  await runsOneEach();
  const states = await Promise.all(shared.machines.map((each) => each.stateOfBot()));
  const worker = shared.machines[states.indexOf('standby')] as Machine;
  const stopping = worker.end('SIGTERM');
  gate.resolve();
  await stopping;
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(judged(lines, messages(), 0)).toMatchObject({ ...FAULTLESS, handledOnce: lines.length });
});
