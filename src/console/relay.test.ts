// Turns of another process, as the console has them.
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { TOKEN, testConsole } from '../../test/support/test-console.ts';
import type { ServiceState } from '../gateway/service/service-state.ts';
import { publishTurns } from '../gateway/turns/publish-turns.ts';
import { createTurnHub, type HubTurn, type TurnHub } from '../gateway/turns/turn-hub.ts';
import { newId } from '../lib/new-id.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { PermissionQuestion } from '../tools/policy.ts';

const { call, runtime, port, send, signIn } = await testConsole();
const permission = {
  call: { id: 'c', name: 'bash', args: {}, source: 'model' },
  verdict: { question: { title: 'Run it?', exact: 'make' }, reasons: ['why'], scopes: ['once'], rememberAs: [] },
} as unknown as PermissionQuestion;
const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

/** Another process, with turns of its own. */
function otherProcess(): TurnHub {
  const hub = createTurnHub({ now: Date.now, newId });
  const running = async () => ({ port, pid: 0 }) as ServiceState;
  closings.push(publishTurns(hub, { running, token: async () => TOKEN }).close);
  return hub;
}

function start(hub: TurnHub, run: (turn: HubTurn) => AsyncGenerator<RunEvent>, signal = new AbortController().signal) {
  const id = newId('turn');
  const ended = hub.start({ id, sessionKey: 'main', provider: 'stub', signal, run });
  return { id, ended };
}

const notice = (text: string): RunEvent => ({ type: 'notice', text });
const stateOf = (id: string) => runtime.hub.turn(id)?.state;
const textsOf = async (id: string): Promise<string[]> => {
  const { events } = await call<{ events: { type: string; text?: string }[] }>(`/api/turns/${id}/events`);
  return events.flatMap(({ text }) => text ?? []);
};

describe('a turn of another process', () => {
  it('is seen while it runs, and to its end', async () => {
    const go = Promise.withResolvers<void>();
    const { id } = start(otherProcess(), async function* () {
      yield notice('one');
      await go.promise;
      yield notice('two');
    });
    await eventually(async () => expect(await textsOf(id)).toEqual(['one']));
    expect(await call('/api/operations/turns.list', {})).toContainEqual(
      expect.objectContaining({ id, state: 'running', isRemote: true }),
    );
    go.resolve();
    await eventually(() => expect(stateOf(id)).toBe('ended'));
    expect(await textsOf(id)).toEqual(['one', 'two']);
  });

  it('asks in the console too, where it can be answered', async () => {
    const { id, ended } = start(otherProcess(), async function* ({ questions, signal }) {
      yield notice('before');
      const given = await questions.permission(permission, signal);
      yield notice(given ? `${given.scope} by ${given.by} in the ${given.place}` : 'no');
    });
    const [question] = await eventually(async () => {
      const open = await call<{ id: string; turnId: string }[]>('/api/operations/turns.questions', {});
      expect(open).toMatchObject([{ turnId: id, permission: { title: 'Run it?' } }]);
      return open;
    });
    expect(stateOf(id)).toBe('asking');
    await call('/api/operations/turns.answer', { questionId: question?.id, answer: 'allow' });
    await ended;
    await eventually(async () => expect((await textsOf(id)).at(-1)).toBe('once by owner in the console'));
    expect(await call('/api/operations/turns.questions', {})).toEqual([]);
  });

  it('is steered and stopped from the console', async () => {
    const { id } = start(otherProcess(), async function* ({ steering, signal }) {
      yield notice('waiting');
      while (!steering.isWaiting) await new Promise((resolve) => setTimeout(resolve, 5));
      for (const { id, text, attachments = [] } of steering.take())
        yield { type: 'steered', message: { id, text, attached: attachments.map(({ name }) => name) } };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield notice('stopped');
    });
    await eventually(() => expect(stateOf(id)).toBe('running'));
    const attachments = [{ kind: 'text', name: 'notes.txt', text: 'like this' }];
    const steered = await call('/api/operations/turns.steer', { id, text: 'not so', attachments });
    expect(steered).toEqual({ outcome: 'joined', message: expect.any(String) });
    const { events } = await call<{ events: RunEvent[] }>(`/api/turns/${id}/events`);
    expect(events).toContainEqual(
      expect.objectContaining({ message: { id: expect.any(String), text: 'not so', attached: ['notes.txt'] } }),
    );
    await call('/api/operations/turns.stop', { id });
    await eventually(async () => expect((await textsOf(id)).at(-1)).toBe('stopped'));
  });

  it('takes a message that the gateway keeps, and gives it back', async () => {
    const go = Promise.withResolvers<void>();
    const { id } = start(otherProcess(), async function* ({ steering }) {
      yield notice('begun');
      await go.promise;
      for (const message of steering.take()) yield { type: 'steered', message };
    });
    await eventually(() => expect(stateOf(id)).toBe('running'));
    const keep = (text: string, messageId: string) =>
      call<{ outcome: string; message: string }>('/api/operations/turns.steer', { id, text, messageId, keep: true });
    const [back, joins] = [await keep('not so', 'not-so-1'), await keep('but so', 'but-so-1')];
    expect([back.outcome, joins.outcome]).toEqual(['waiting', 'waiting']);
    expect(await call('/api/operations/turns.withdraw', { id, message: back.message })).toEqual({
      outcome: 'withdrawn',
    });
    go.resolve();
    await eventually(() => expect(stateOf(id)).toBe('ended'));
    const { events } = await call<{ events: RunEvent[] }>(`/api/turns/${id}/events`);
    expect(events.map(({ type }) => type)).toEqual([
      'notice',
      'steer-waiting',
      'steer-waiting',
      'steer-withdrawn',
      'steered',
    ]);
    expect(events.at(-1)).toMatchObject({ message: { id: joins.message, text: 'but so' } });
    expect(await keep('but so', 'but-so-1')).toEqual({ outcome: 'joined', message: joins.message });
  });

  it('ends here when its process is gone', async () => {
    const cancel = new AbortController();
    const hub = otherProcess();
    const { id } = start(
      hub,
      async function* ({ signal }) {
        yield notice('one');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      cancel.signal,
    );
    await eventually(() => expect(stateOf(id)).toBe('running'));
    await closings.pop()?.();
    await eventually(() => expect(stateOf(id)).toBe('ended'));
    cancel.abort();
  });

  it('comes from no browser', async () => {
    const cookie = await signIn();
    expect((await send('/api/relay/x', { headers: { cookie } })).status).toBe(403);
  });
});
