// What turns of the gateway ask, as a terminal beside it has it.
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { TOKEN, testConsole } from '../../test/support/test-console.ts';
import type { ServiceState } from '../gateway/service/service-state.ts';
import { followQuestions } from '../gateway/turns/follow-questions.ts';
import type { QuestionLine } from '../gateway/turns/question-lines.ts';
import type { HubTurn, RemoteTurn } from '../gateway/turns/turn-hub.ts';
import { newId } from '../lib/new-id.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { PermissionQuestion } from '../tools/policy.ts';

const { call, runtime, port, send, signIn } = await testConsole();
const permission = {
  call: { id: 'c', name: 'bash', args: {}, source: 'model' },
  verdict: { question: { title: 'Run it?', exact: 'make' }, reasons: ['why'], scopes: ['once'], rememberAs: [] },
} as unknown as PermissionQuestion;
let left = new AbortController();
let turns = new AbortController();
afterEach(() => {
  turns.abort();
  left.abort();
  [left, turns] = [new AbortController(), new AbortController()];
});

function follow(): { lines: QuestionLine[]; answer: ReturnType<typeof followQuestions>['answer'] } {
  const lines: QuestionLine[] = [];
  const running = async () => ({ port, pid: 0 }) as ServiceState;
  const { answer } = followQuestions({ running, token: async () => TOKEN }, (line) => lines.push(line), left.signal);
  return { lines, answer };
}

function ask(remote?: RemoteTurn): Promise<{ given: unknown }> {
  const asked = Promise.withResolvers<{ given: unknown }>();
  async function* run({ questions, signal }: HubTurn): AsyncGenerator<RunEvent> {
    asked.resolve({ given: await questions.permission(permission, signal) });
    yield { type: 'notice', text: 'over' };
  }
  const facts = { id: newId('turn'), sessionKey: 'main', provider: 'stub', chat: 'telegram:1' };
  void runtime.hub.start({ ...facts, signal: turns.signal, run, ...(remote && { remote }) });
  return asked.promise;
}

describe('a question of the gateway', () => {
  it('is seen by a terminal, also by one that comes later, and answered there', async () => {
    const before = follow();
    const asked = ask();
    await eventually(() => expect(before.lines).toMatchObject([{ kind: 'asked', chat: 'telegram:1' }]));
    const late = follow();
    await eventually(() => expect(late.lines).toMatchObject([{ kind: 'asked', sessionKey: 'main' }]));
    const [line] = late.lines;
    const questionId = line?.kind === 'asked' ? line.question.id : '';
    expect(await late.answer(questionId, { kind: 'allow', scope: 'always' })).toMatchObject({ kind: 'invalid' });
    expect(await late.answer(questionId, { kind: 'allow', scope: 'once' })).toEqual({ kind: 'accepted' });
    expect(await asked).toMatchObject({ given: { scope: 'once', place: 'terminal', by: 'owner' } });
    const ended = { kind: 'ended', questionId, resolution: { ending: 'answered', place: 'terminal' } };
    await eventually(() => expect([before.lines[1], late.lines[1]]).toMatchObject([ended, ended]));
    expect(await late.answer(questionId, { kind: 'deny' })).toMatchObject({ kind: 'ended' });
    expect(await late.answer('q-none', { kind: 'deny' })).toEqual({ kind: 'unknown' });
  });

  it('of another terminal stays there', async () => {
    const open = new Map([['q-1', { id: 'q-1', turnId: '', askedAt: '', permission }]]);
    const remote: RemoteTurn = {
      questions: () => [...open.values()],
      answer: async () => ({ kind: 'unknown' }),
      steer() {},
      withdraw() {},
      write() {},
    };
    const id = newId('turn');
    open.set('q-1', { id: 'q-1', turnId: id, askedAt: '', permission });
    const signal = turns.signal;
    const run = async function* (): AsyncGenerator<RunEvent> {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    void runtime.hub.start({ id, sessionKey: 'main', provider: 'stub', signal, run, remote });
    expect(runtime.hub.questions()).toHaveLength(1);
    const { lines } = follow();
    void ask();
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines).toMatchObject([{ kind: 'asked', chat: 'telegram:1' }]);
  });

  it('is for no browser, and takes no other body', async () => {
    const cookie = await signIn();
    expect((await send('/api/questions', { headers: { cookie } })).status).toBe(403);
    await expect(call('/api/questions/q-1', { kind: 'allow', scope: 'for ever' })).rejects.toThrow(/accepted/);
  });
});
