import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createEventQueue } from '../../lib/event-queue.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { ReadCommand } from './commands.ts';
import { createConversation } from './conversation.ts';

type End = 'answered' | 'failed' | 'cancelled';

function setUp(commands: Record<string, { isImmediate: boolean; run?: () => Promise<string> }> = {}) {
  const log: string[] = [];
  const asked: string[] = [];
  const ends: ((end: End) => void)[] = [];
  const steered: string[] = [];
  let takeUp = (_text: string): void => {};
  let id = 0;
  const conversation = createConversation({
    async ask({ input }, signal) {
      asked.push(input);
      const { promise, resolve } = Promise.withResolvers<End>();
      ends.push(resolve);
      const taken = createEventQueue<RunEvent>();
      takeUp = (text) => taken.push({ type: 'steered', message: JSON.parse(text) });
      void promise.then(() => taken.close());
      signal.addEventListener('abort', () => resolve('cancelled'));
      return (async function* (): AsyncGenerator<RunEvent> {
        yield { type: 'run-start', turnId: `turn of ${input}` } as RunEvent;
        yield* taken;
        const stage = await promise;
        const facts = { stage, result: '', route: '', toolCalls: [], toolResults: [] };
        const error = { code: 'X', message: 'broken' };
        yield { type: 'run-end', result: { success: stage === 'answered', error, ...facts } as never };
      })();
    },
    request: async () => ({}) as never,
    attachments: async (text) => {
      if (text.includes('@bad')) throw new Error('@bad cannot be read');
      return { attachments: [], notices: text.includes('@nobody') ? ['no such file'] : [] };
    },
    readCommand(text): ReadCommand | undefined {
      const found = text.startsWith('/') ? commands[text.slice(1)] : undefined;
      if (!found) return undefined;
      const run = found.run ?? (async () => `reply to ${text}`);
      return { command: { name: text.slice(1), usage: text, about: '', ...found, run }, argument: '' };
    },
    runShell: async (command, signal) => {
      log.push(`shell: ${command}`);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.push('stopped');
    },
    files: async (text) => {
      if (text.includes('@bad')) throw new Error('@bad cannot be read');
      const attachments = text.includes('@file') ? [{ kind: 'text' as const, name: 'file', text: 'its content' }] : [];
      return { attachments, notices: text.includes('@nobody') ? ['no such file'] : [] };
    },
    canSteer: (text) => text !== 'continue',
    steer: (turnId, message) => void steered.push(`${turnId}: ${message.text}`, JSON.stringify(message)),
    add(entry) {
      log.push('text' in entry ? `${entry.kind}: ${entry.text}` : entry.kind);
      return ++id;
    },
    put: (entry) => log.push('text' in entry ? `${entry.kind}: ${entry.text}` : entry.kind),
    remove: () => {},
    nextId: () => ++id,
    giveBack: (text) => log.push(`given back: ${text}`),
    onChange: () => {},
    onEnd: ({ stage }) => log.push(`end: ${stage}`),
    now: () => 0,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await tick();
  };
  const end = async (how: End): Promise<void> => {
    await settle();
    ends.at(-1)?.(how);
    await settle();
  };
  /** The turn takes up what was written to it last. */
  const takeUpLast = async (): Promise<void> => {
    takeUp(steered.at(-1) ?? '');
    await settle();
  };
  const steeredTexts = (): string[] => steered.filter((text) => !text.startsWith('{'));
  return { conversation, log, asked, end, settle, takeUpLast, steeredTexts, steered };
}

describe('a conversation', () => {
  it('sends what was written meanwhile when the turn has ended, in order', async () => {
    const { conversation, asked, end } = setUp();
    for (const text of ['one', 'two', 'three']) conversation.send(text);
    expect(conversation.queued.map(({ text }) => text)).toEqual(['two', 'three']);
    await end('answered');
    expect(asked).toEqual(['one', 'two']);
    await end('answered');
    await end('answered');
    expect(asked).toEqual(['one', 'two', 'three']);
    expect(conversation.isBusy).toBe(false);
  });

  it('gives back what waits when the turn fails or is cancelled', async () => {
    const { conversation, asked, log, end, settle } = setUp();
    for (const text of ['one', 'two', 'three']) conversation.send(text);
    await end('failed');
    expect(asked).toEqual(['one']);
    expect(log).toContain('given back: two\nthree');
    conversation.send('again');
    conversation.send('later');
    await settle();
    expect(conversation.cancel()).toBe(true);
    await settle();
    expect(log).toContain('given back: later');
    expect(conversation.cancel()).toBe(false);
  });

  it('writes to the turn that runs; what the turn takes up is not asked again, the rest is the next question', async () => {
    const { conversation, asked, log, end, settle, takeUpLast, steeredTexts } = setUp();
    conversation.send('one');
    conversation.send('before it has an id');
    await settle();
    expect(steeredTexts()).toEqual(['turn of one: before it has an id']);
    await takeUpLast();
    expect(log).toContain('user: before it has an id');
    conversation.send('too late');
    expect(conversation.queued).toMatchObject([{ text: 'too late', joinsTurn: true }]);
    await end('answered');
    expect(asked).toEqual(['one', 'too late']);
    expect(steeredTexts()).toEqual(['turn of one: before it has an id', 'turn of one: too late']);
  });

  it('sends files with what is written, in its order; a file that cannot be read gives the message back', async () => {
    const { conversation, asked, log, end, settle, steeredTexts, steered } = setUp();
    conversation.send('one');
    await settle();
    for (const text of ['look at @file', 'and @bad', 'not @nobody']) conversation.send(text);
    await settle();
    expect(steeredTexts()).toEqual(['turn of one: look at @file', 'turn of one: not @nobody']);
    expect(JSON.parse(steered[1] ?? '')).toMatchObject({ attachments: [{ name: 'file', text: 'its content' }] });
    expect(log).toEqual(
      expect.arrayContaining(['failure: @bad cannot be read', 'given back: and @bad', 'warning: no such file']),
    );
    await end('answered');
    expect(asked).toEqual(['one', 'look at @file']);
  });

  it('keeps for the end what cannot join the turn, what comes after it, and what is sent for later', async () => {
    const { conversation, settle, steeredTexts } = setUp({ later: { isImmediate: false } });
    conversation.send('one');
    await settle();
    for (const text of ['continue', 'and this']) conversation.send(text);
    expect(conversation.queued.map(({ joinsTurn }) => joinsTurn)).toEqual([false, false]);
    const other = setUp();
    other.conversation.send('one');
    other.conversation.sendLater('afterwards');
    await other.settle();
    expect([...steeredTexts(), ...other.steeredTexts()]).toEqual([]);
  });

  it('runs a command behind ! by itself, and stops it as it would a turn', async () => {
    const { conversation, asked, log, end, settle } = setUp();
    conversation.send('!sleep 9');
    conversation.send('and then');
    await settle();
    expect([log, asked]).toEqual([['shell: sleep 9'], []]);
    expect(conversation.cancel()).toBe(true);
    await settle();
    expect(log).toEqual(['shell: sleep 9', 'stopped', 'given back: and then']);
    conversation.send('a question');
    conversation.send('!ls');
    await end('answered');
    expect(log.at(-1)).toBe('shell: ls');
  });

  it('gives back what names a file that cannot be attached', async () => {
    const { conversation, asked, log, settle } = setUp();
    conversation.send('look at @bad');
    await settle();
    expect(asked).toEqual([]);
    expect(log).toEqual(['failure: @bad cannot be read', 'given back: look at @bad']);
  });

  it('says which names in a message are not files, and sends it', async () => {
    const { conversation, asked, log, settle } = setUp();
    conversation.send('look at @nobody');
    await settle();
    expect(asked).toEqual(['look at @nobody']);
    expect(log).toEqual(['user: look at @nobody', 'warning: no such file']);
  });

  it('answers some commands at once and lets the others wait for the turn', async () => {
    const { conversation, log, end, settle } = setUp({ now: { isImmediate: true }, later: { isImmediate: false } });
    conversation.send('one');
    conversation.send('/later');
    conversation.send('/now');
    await settle();
    expect(log).toEqual(['user: /now', 'user: one', 'reply: reply to /now']);
    await end('answered');
    expect(log.slice(3)).toEqual(['end: answered', 'user: /later', 'reply: reply to /later']);
  });

  it('ends with the turn closed, and tells what was not sent', async () => {
    const { conversation, log, asked, settle } = setUp();
    conversation.send('one');
    conversation.send('two');
    await settle();
    expect(await conversation.end()).toEqual(['two']);
    expect(log).toContain('end: cancelled');
    expect(asked).toEqual(['one']);
  });

  it('keeps what is sent before it may begin, in order, and reports it when it ends before', async () => {
    const ready = Promise.withResolvers<void>();
    const { conversation, asked, end, settle } = setUp();
    conversation.holdUntil(ready.promise);
    conversation.send('one');
    conversation.send('two');
    await settle();
    expect(asked).toEqual([]);
    expect(conversation.queued).toMatchObject([
      { text: 'one', joinsTurn: false },
      { text: 'two', joinsTurn: false },
    ]);
    ready.resolve();
    await end('answered');
    expect(asked).toEqual(['one', 'two']);

    const left = setUp();
    const never = Promise.withResolvers<void>();
    left.conversation.holdUntil(never.promise);
    left.conversation.send('not lost');
    expect(await left.conversation.end()).toEqual(['not lost']);
    never.resolve();
    await left.settle();
    expect(left.asked).toEqual([]);
  });

  it('says what went wrong with a command and continues', async () => {
    const { conversation, log, settle } = setUp({
      broken: { isImmediate: false, run: () => Promise.reject(new Error('no disk')) },
    });
    conversation.send('/broken');
    await settle();
    expect(log).toEqual(['user: /broken', 'failure: /broken failed: no disk']);
    expect(conversation.isBusy).toBe(false);
  });
});
