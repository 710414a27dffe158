import { describe, expect, it } from 'vitest';
import { type AskForm, createElicitations, type FormAnswer, type OpenCall } from './elicitation.ts';

const never = new AbortController().signal;
const schema = { type: 'object', properties: { size: { type: 'string', default: 'm' }, age: { type: 'integer' } } };
const asked = { message: 'How large?', schema };
const yes: FormAnswer = { action: 'accept', content: { age: 3 } };

function world() {
  const state = { checked: [] as unknown[], problem: undefined as string | undefined, logged: '', held: 0 };
  const elicitations = createElicitations({
    server: 's',
    fits: async (_, value) => {
      state.checked.push(value);
      return state.problem;
    },
    log: (text) => {
      state.logged += text;
    },
  });
  const unasked: string[] = [];
  const callOf = (elicit: AskForm | undefined, signal = never): OpenCall => ({
    elicit,
    signal,
    limit: {
      hold() {
        state.held += 1;
        return () => {
          state.held -= 1;
        };
      },
    },
    onUnasked: (message) => void unasked.push(message),
  });
  return { state, elicitations, unasked, callOf };
}

describe('what a server asks during a call', () => {
  it('goes to the one who answers for that call, whose time does not count', async () => {
    const { state, elicitations, callOf } = world();
    const call = callOf(async (request) => {
      expect([request, state.held]).toEqual([{ server: 's', ...asked }, 1]);
      return yes;
    });
    expect(await elicitations.during(call, () => elicitations.answer(asked, never))).toEqual(yes);
    expect([state.held, state.checked]).toEqual([0, [{ size: 'm', age: 3 }]]);
  });

  it('is declined where nobody can be asked, which the call learns', async () => {
    const { elicitations, callOf, unasked } = world();
    const answer = await elicitations.during(callOf(undefined), () => elicitations.answer(asked, never));
    expect([answer, unasked]).toEqual([{ action: 'decline' }, ['How large?']]);
  });

  it('is declined between calls', async () => {
    const { elicitations, callOf } = world();
    const ask = async () => yes;
    await elicitations.during(callOf(ask), async () => {});
    await expect(elicitations.during(callOf(ask), () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
    expect(await elicitations.answer(asked, never)).toEqual({ action: 'decline' });
  });

  it('is declined when calls of different people are open, for nobody knows whose it is', async () => {
    const { elicitations, callOf } = world();
    const [one, other] = [async () => yes, async () => yes];
    const during = (first: AskForm, second: AskForm | undefined) =>
      elicitations.during(callOf(first), () =>
        elicitations.during(callOf(second), () => elicitations.answer(asked, never)),
      );
    expect(await during(one, other)).toEqual({ action: 'decline' });
    expect(await during(one, undefined)).toEqual({ action: 'decline' });
    expect(await during(one, one)).toEqual(yes);
  });

  it('is declined when the answer does not fit, and the log says why', async () => {
    const { state, elicitations, callOf } = world();
    state.problem = '"age" must be integer';
    const answer = await elicitations.during(
      callOf(async () => yes),
      () => elicitations.answer(asked, never),
    );
    expect([answer, state.logged]).toEqual([{ action: 'decline' }, expect.stringContaining('"age" must be integer')]);
  });

  it.each(['the call', 'the question'])('is cancelled when %s ends first', async (which) => {
    const { state, elicitations, callOf } = world();
    const gone = new AbortController();
    const waiting: AskForm = (_, signal) =>
      new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        gone.abort();
      });
    const [ofCall, ofQuestion] = which === 'the call' ? [gone.signal, never] : [never, gone.signal];
    const call = callOf(waiting, ofCall);
    const answer = await elicitations.during(call, () => elicitations.answer(asked, ofQuestion));
    expect([answer, state.held]).toEqual([{ action: 'cancel' }, 0]);
  });
});
