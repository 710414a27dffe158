// Two gateways on one database: what runs on one is seen, answered and stopped on the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { openPage } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';

const WORDS = Array.from({ length: 60 }, (_, index) => `word-${index + 1} `);

let database: TestDatabase;
let shared: SharedGateways;
let model: ModelServer;
let one: Machine;
let two: Machine;
/** Lets the model answer what "wait" is in. */
let gate: PromiseWithResolvers<void>;
let looks: number;
beforeEach(async () => {
  looks = 0;
  gate = Promise.withResolvers();
  model = await startModelServer({ script: answer });
  database = await testDatabase();
  shared = createSharedGateways({
    url: database.url,
    count: 2,
    config: { provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1`, modelTitles: false },
    flags: [
      '--max-concurrent-turns=1',
      '--debounce-ms=50',
      '--with-tools=true',
      '--tool-max-steps=1000',
      '--pairing-allow-from=ann',
    ],
  });
  for (const machine of shared.machines) await machine.start();
  [one, two] = shared.machines as [Machine, Machine];
});
afterEach(async () => {
  gate.resolve();
  await shared.remove();
  await model.close();
  await database.drop();
});

async function answer({ messages }: NeutralRequest): Promise<Reply> {
  const asked = messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const isBegun = messages.at(-1)?.role === 'tool';
  if (asked.includes('look until told')) {
    looks += 1;
    await sleep(150);
    return { toolCalls: [{ name: 'bash', args: { command: `echo ${looks}` } }] };
  }
  if (asked.includes('enough')) return { text: `It looked until: ${asked}` };
  if (isBegun) return { text: `Done: ${messages.at(-1)?.text}` };
  if (asked.includes('wait')) await gate.promise;
  if (asked.includes('words')) return { text: WORDS, fault: { kind: 'delay', betweenFramesMs: 20 } };
  if (asked.includes('run')) return { toolCalls: [{ name: 'bash', args: { command: 'rm -rf /etc/nothing-here' } }] };
  if (asked.includes('choose'))
    return { toolCalls: [{ name: 'ask_user', args: { question: 'Which branch?', choices: ['main', 'next'] } }] };
  return { text: asked };
}

interface Question {
  id: string;
  turnId: string;
}
const operation = <T>(machine: Machine, name: string, input: object = {}): Promise<T> =>
  machine.call<T>(`/api/operations/${name}`, input);
const ask = (machine: Machine, text: string, session = 'main') =>
  machine.call<{ turn: string }>('/api/turns', { session, text });
const questionOn = (machine: Machine): Promise<Question> =>
  eventually(async () => {
    const [question] = await operation<Question[]>(machine, 'turns.questions');
    if (!question) throw new Error('nothing is asked');
    return question;
  });

it('a turn is seen live on the other gateway, whole, once and with the same numbers, also by a page that is loaded again', async () => {
  const [page, other] = [openPage(one.address), openPage(two.address)];
  await eventually(() => expect([page.counts.connections, other.counts.connections]).toEqual([1, 1]));
  const { turn } = await ask(one, 'say the words');
  await eventually(() => expect(other.textOf(turn)).toContain('word-3 '));
  expect(other.textOf(turn)).not.toContain('word-60 ');
  other.reset();
  await eventually(() => expect([page.isEnded(turn), other.isEnded(turn)]).toEqual([true, true]));
  expect(other.textOf(turn)).toBe(WORDS.join(''));
  expect(other.turn(turn).at(-1)).toEqual(page.turn(turn).at(-1));
  expect([page.problems, other.problems]).toEqual([[], []]);
  page.close();
  other.close();
});

it('a page that comes later gets the turn from its beginning', async () => {
  const { turn } = await ask(one, 'wait, then say the words');
  await eventually(async () => expect(await operation<object[]>(two, 'turns.list')).toHaveLength(1));
  const page = openPage(two.address);
  await eventually(() => expect(page.turn(turn).length).toBeGreaterThan(0));
  gate.resolve();
  await eventually(() => expect(page.isEnded(turn)).toBe(true));
  expect(page.textOf(turn)).toBe(WORDS.join(''));
  expect(page.turn(turn)[0]).toMatchObject({ type: 'run-start' });
  expect(page.problems).toEqual([]);
  page.close();
});

it('its question is answered on the other gateway, and the first answer counts', async () => {
  await ask(one, 'run it');
  const question = await questionOn(two);
  const input = { questionId: question.id, answer: 'deny' };
  expect(await operation(two, 'turns.answer', input)).toEqual({ isAccepted: true });
  expect(await operation(one, 'turns.answer', input)).toMatchObject({ code: 'QUESTION_ENDED' });
  await eventually(async () => expect(await operation(two, 'turns.questions')).toEqual([]));
});

it('it is stopped and written to on the other gateway', async () => {
  const { turn } = await ask(one, 'wait');
  await eventually(async () => expect(await operation<object[]>(two, 'turns.list')).toHaveLength(1));
  expect(await operation(two, 'turns.stop', { id: turn })).toEqual({ isStopped: true });
  const stage = async () => (await operation<{ stage?: string }[]>(one, 'turns.list'))[0]?.stage;
  await eventually(async () => expect(await stage()).toBe('cancelled'));
  await ask(one, 'choose');
  const { turnId, id } = await questionOn(two);
  const steering = operation(two, 'turns.steer', { id: turnId, text: 'quickly' });
  await operation(two, 'turns.answer', { questionId: id, answer: 'send', content: { answer: 'main' } });
  expect(await steering).toMatchObject({ outcome: 'joined' });
});

it('a message that the other gateway keeps waits in sight of both, is taken back on either, or is asked once', async () => {
  const [page, other] = [openPage(one.address), openPage(two.address)];
  const { turn } = await ask(one, 'wait');
  await eventually(async () => expect(await operation<object[]>(two, 'turns.list')).toHaveLength(1));
  const keep = (text: string) => operation<{ message: string }>(two, 'turns.steer', { id: turn, text, keep: true });
  const [back, stays] = [await keep('a first thought'), await keep('say the second thought')];
  const typesOn = (where: typeof page) => where.turn(turn).map(({ type }) => type);
  await eventually(() => {
    for (const where of [page, other])
      expect(typesOn(where).filter((type) => type === 'steer-waiting')).toHaveLength(2);
  });
  expect(await operation(one, 'turns.withdraw', { id: turn, message: back.message })).toEqual({ outcome: 'withdrawn' });
  await eventually(() => expect(typesOn(other)).toContain('steer-withdrawn'));
  gate.resolve();
  const ended = async () =>
    (await operation<{ id: string; stage?: string }[]>(two, 'turns.list')).filter(({ stage }) => stage === 'answered');
  await eventually(async () => expect(await ended()).toHaveLength(2));
  const next = (await ended()).find(({ id }) => id !== turn)?.id ?? '';
  await eventually(() => expect(page.textOf(next)).toBe('say the second thought'));
  expect(page.turn(next)[0]).toMatchObject({ type: 'run-start', origin: stays.message });
  page.close();
  other.close();
});

it('a message of a gateway that is killed is asked by the other, once', async () => {
  const { turn } = await ask(one, 'wait');
  await eventually(() => expect(model.requests).toHaveLength(1));
  await operation(one, 'turns.steer', { id: turn, text: 'say the thought', keep: true });
  // Its console is open: it looks for what was left.
  await operation(two, 'turns.list');
  await one.end('SIGKILL');
  gate.resolve();
  const page = openPage(two.address);
  const answered = async () =>
    (await operation<{ id: string; stage?: string }[]>(two, 'turns.list')).filter(({ stage }) => stage === 'answered');
  await eventually(async () => expect(await answered()).toHaveLength(1));
  const asked = model.requests.map(
    ({ body }) => (body as { messages: { content: unknown }[] }).messages.at(-1)?.content,
  );
  expect(asked.filter((content) => JSON.stringify(content).includes('say the thought'))).toHaveLength(1);
  page.close();
});

it('a turn of a session that the other gateway works on waits for it', async () => {
  await ask(one, 'wait');
  await eventually(() => expect(model.requests).toHaveLength(1));
  const { turn } = await ask(two, 'next');
  const page = openPage(two.address);
  await eventually(() => expect(page.turn(turn).map(({ type }) => type)).toContain('waiting'));
  gate.resolve();
  await eventually(() => expect(page.textOf(turn)).toContain('next'));
  page.close();
});

it('the turns of a lost gateway end on the other', async () => {
  const { turn } = await ask(one, 'wait');
  const state = async () =>
    (await operation<{ id: string; state: string }[]>(two, 'turns.list')).find(({ id }) => id === turn)?.state;
  await eventually(async () => expect(await state()).toBe('running'));
  await one.end('SIGKILL');
  await eventually(async () => expect(await state()).toBe('ended'));
});

/** Its turn runs on the gateway that is not connected: the other has room for one turn, and is busy with one that it began alone. */
async function askOnTheOther(text: string): Promise<void> {
  await two.end('SIGTERM');
  shared.write([{ id: 'm1', chatId: 'busy', senderId: 'ann', text: 'wait', order: 1 }]);
  await eventually(async () => expect((await one.status()).runningTurns).toBe(1));
  await two.start();
  shared.write([{ id: 'm2', chatId: 'asking', senderId: 'ann', text, order: 2 }]);
  await eventually(async () => expect((await two.status()).runningTurns).toBe(1));
}
const said = (): string =>
  shared
    .outbox()
    .filter(({ chatId }) => chatId === 'asking')
    .map(({ markdown }) => markdown)
    .join('\n');

it('what a turn asks in a chat is approved there, whichever gateway runs it', async () => {
  await askOnTheOther('run it');
  await questionOn(one);
  await eventually(() => expect(said()).toContain('/deny'));
  shared.write([{ id: 'm3', chatId: 'asking', senderId: 'ann', text: '/deny', order: 3 }]);
  await eventually(() => expect(said()).toContain('Done: '));
});

it('a form in a chat is filled in there, whichever gateway runs its turn', async () => {
  await askOnTheOther('choose');
  await questionOn(one);
  await eventually(() => expect(said()).toContain('Which branch?'));
  shared.write([{ id: 'm3', chatId: 'asking', senderId: 'ann', text: 'next', order: 3 }]);
  await eventually(() => expect(said()).toMatch(/Done: .*next/));
});

it('what is written in a chat joins its turn, whichever gateway runs it', async () => {
  await askOnTheOther('look until told');
  await eventually(() => expect(looks).toBeGreaterThan(1));
  shared.write([{ id: 'm3', chatId: 'asking', senderId: 'ann', text: 'enough', order: 3 }]);
  await eventually(() => expect(said()).toContain('It looked until: enough'));
  await eventually(async () => expect((await two.status()).runningTurns).toBe(0));
  shared.write([{ id: 'm4', chatId: 'asking', senderId: 'ann', text: 'thanks', order: 4 }]);
  await eventually(() => expect(said()).toContain('thanks'));
  const asked = model.requests.map(({ body }) => (body as { messages: { role: string; content: unknown }[] }).messages);
  const told = asked.filter((messages) => JSON.stringify(messages.at(-1)?.content).includes('enough'));
  // Once, and inside the turn: not as a question of its own afterwards.
  expect(told.map((messages) => messages.slice(-2).map(({ role }) => role))).toEqual([['tool', 'user']]);
});

it('/stop in a chat stops its turn, whichever gateway runs it', async () => {
  await askOnTheOther('wait');
  await eventually(async () => expect(await operation<object[]>(one, 'turns.list')).toHaveLength(2));
  shared.write([{ id: 'm3', chatId: 'asking', senderId: 'ann', text: '/stop', order: 3 }]);
  await eventually(() => expect(said()).toContain('Stopped'));
  await eventually(async () => expect((await two.status()).runningTurns).toBe(0));
});
