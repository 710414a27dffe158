// Messages that are written while a turn of their chat runs: they join it, or wait for its end.
import { describe, expect, it } from 'vitest';
import { type Answer, runEnd, type TestChats, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { IncomingMessage } from '../../channels/channel.ts';
import type { Steering, SteeringMessage } from '../../pipeline/steering.ts';
import type { FoundTurn } from '../../sessions/find-turn.ts';

let ids = 0;

/** Resolves when the gateway has taken it: what may join the turn has been offered to it by then. */
async function deliver(chats: TestChats, text: string, more: Partial<IncomingMessage> = {}): Promise<string> {
  ids += 1;
  const id = `written-${ids}`;
  await chats.platform.deliver({
    id,
    chatId: 'anna',
    chatKind: 'direct',
    isAddressed: true,
    sender: { id: 'anna' },
    text,
    files: [],
    order: 1_000 + ids,
    sentAt: ids,
    ...more,
  });
  return id;
}

/** A turn that makes two requests to its model: between them it takes up what was written, once the test opens the gate. */
function twoRequests({ joins = 0 } = {}) {
  const gate = Promise.withResolvers<void>();
  const taken: { text: string; origin?: string }[] = [];
  const second = Promise.withResolvers<void>();
  const lastRequest = Promise.withResolvers<void>();
  const answer: Answer = async function* (request, signal, _questions, steering) {
    if (request.input !== 'first') {
      yield runEnd(request, `answer to ${request.input}`);
      return;
    }
    await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    const joining: SteeringMessage[] = [];
    while (joining.length < joins && !signal.aborted) joining.push(...(await eventually(() => nextOf(steering))));
    joining.push(...steering.take());
    for (const { id, text, origin } of joining) {
      taken.push({ text, origin });
      yield { type: 'steered', message: { id, text } };
    }
    lastRequest.resolve();
    await Promise.race([second.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    if (signal.aborted) throw signal.reason;
    yield runEnd(request, ['answer to first', ...joining.map(({ text }) => text)].join(' and '));
  };
  return { answer, taken, open: gate.resolve, end: second.resolve, lastRequest: lastRequest.promise };
}

function nextOf(steering: Steering): SteeringMessage[] {
  expect(steering.isWaiting).toBe(true);
  return steering.take();
}

async function finished(chats: TestChats): Promise<void> {
  await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
}

describe('a message that is written while a turn runs', () => {
  it('joins it: one answer for both, and nothing is asked again', async () => {
    const turn = twoRequests({ joins: 1 });
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    const id = await deliver(chats, 'no, half up');
    turn.open();
    turn.end();
    await chats.says(['answer to first and no, half up']);
    await finished(chats);
    expect(turn.taken).toEqual([{ text: 'no, half up', origin: id }]);
    expect(chats.asked).toHaveLength(1);
  });

  it('is answered by a turn of its own when the turn takes nothing more', async () => {
    const turn = twoRequests();
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    turn.open();
    await turn.lastRequest;
    await deliver(chats, 'too late');
    turn.end();
    await chats.says(['answer to first', 'answer to too late']);
    await finished(chats);
    expect(turn.taken).toEqual([]);
  });

  it.each([
    ['what others write', 'mine?', { sender: { id: 'bert' } }],
    ['a file', 'see', { files: [{ kind: 'file' as const, name: 'a.txt', reference: 'file-1' }] }],
    ['what is forwarded', 'see', { isForwarded: true as const }],
    ['what is to wait', '/queue and then this', {}],
    ['a tool that is called by hand', 'tool:time.now', {}],
    ['a continuation', '/continue', {}],
    ['a command', '/new', {}],
  ])('%s waits for its end, and so does what comes after it', async (_what, text, more) => {
    const turn = twoRequests();
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await deliver(chats, text, more);
    await deliver(chats, 'after it');
    turn.open();
    turn.end();
    await eventually(() => expect(chats.asked.at(-1)?.input).toContain('after it'));
    await finished(chats);
    expect(turn.taken).toEqual([]);
    expect((await chats.said())[0]).toBe('answer to first');
  });

  it('with /queue is asked without the word when the turn has ended', async () => {
    const turn = twoRequests();
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await deliver(chats, '/queue and then this');
    turn.open();
    turn.end();
    await chats.says(['answer to first', 'answer to and then this']);
  });

  it('has its answer below it', async () => {
    const turn = twoRequests({ joins: 1 });
    const chats = await testChats(turn.answer);
    await chats.start({ limits: { progressAfterMs: 0, progressEveryMs: 5 } });
    await chats.write('first');
    await eventually(async () => expect(await chats.said()).toEqual(['⏳ Working on it…']));
    await deliver(chats, 'no, half up');
    turn.open();
    await eventually(async () => expect(await chats.said()).toEqual(['↓', '⏳ Working on it…']));
    turn.end();
    await chats.says(['↓', 'answer to first and no, half up']);
  });

  it('is ended with the turn by /stop, and not asked afterwards', async () => {
    const turn = twoRequests({ joins: 1 });
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await deliver(chats, 'no, half up');
    turn.open();
    await eventually(() => expect(turn.taken).toHaveLength(1));
    await chats.write('/stop');
    await finished(chats);
    await eventually(async () => expect((await chats.said()).join()).toContain('Stopped'));
    await chats.write('next');
    await eventually(async () => expect((await chats.said()).at(-1)).toBe('answer to next'));
    expect(chats.asked.map(({ input }) => input)).toEqual(['first', 'next']);
  });
});

describe('a process that is killed after a message has joined its turn', () => {
  async function killedWithJoined() {
    const turn = twoRequests({ joins: 1 });
    const chats = await testChats(turn.answer);
    await chats.start();
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    const id = await deliver(chats, 'no, half up');
    turn.open();
    await eventually(() => expect(turn.taken).toHaveLength(1));
    chats.kill();
    return { chats, turn, id };
  }

  it('leaves both to the next one, which gives the answer that is on record for both', async () => {
    const { chats, id } = await killedWithJoined();
    const found: FoundTurn = { outcome: 'answered', text: 'half up it is', calls: [], joined: [id] };
    await chats.start({ sessions: { findTurn: async () => found } });
    await chats.says(['half up it is']);
    await finished(chats);
    expect(chats.asked).toHaveLength(1);
  });

  it('leaves a message that the answer does not cover to a turn of its own', async () => {
    const { chats } = await killedWithJoined();
    const found: FoundTurn = { outcome: 'answered', text: 'to even it is', calls: [] };
    await chats.start({ sessions: { findTurn: async () => found } });
    await chats.says(['to even it is', 'answer to no, half up']);
    await finished(chats);
  });

  it('leaves both to be asked again when nothing had been done', async () => {
    const { chats, turn } = await killedWithJoined();
    const found: FoundTurn = { outcome: 'interrupted', calls: [] };
    turn.end();
    await chats.start({ sessions: { findTurn: async () => found } });
    await finished(chats);
    expect(chats.asked[1]?.input).toBe('first');
    const said = (await chats.said()).join();
    expect(said).toContain('answer to first');
    expect(said).toContain('no, half up');
  });
});
