import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { newId } from '../../lib/new-id.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { SteeringMessage } from '../../pipeline/steering.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import { createRedaction } from '../../storage/redaction.ts';
import type { Storage } from '../../storage/storage.ts';
import {
  createKeptMessages,
  forgetKeptMessages,
  KEPT_MESSAGES,
  type KeptMessage,
  type KeptMessages,
  type KeptQuestion,
  redactKeptMessages,
} from './kept-messages.ts';
import { createTurnHub, type TurnHub } from './turn-hub.ts';

let home: string;
let storage: Storage;
let hub: TurnHub;
let kept: KeptMessages;
/** What is in the conversation by its id, what was asked, and what was said about problems. */
let said: Set<string>;
let asked: KeptQuestion[];
let warnings: string[];
/** Ends the turn `t`, which then takes up what waits when it is given `take`. */
let end: (how?: 'take') => void;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-kept-'));
  storage = createLocalStorage({ home, now: Date.now });
  hub = createTurnHub({ now: Date.now, newId });
  [said, asked, warnings] = [new Set(), [], []];
  kept = open();
  end = startTurn('t');
});
afterEach(async () => {
  await kept.close();
  await storage.close();
  rmSync(home, { recursive: true, force: true });
});

/** Returns what ends it. */
function startTurn(id: string): typeof end {
  const ending = Promise.withResolvers<'take' | undefined>();
  void hub.start({
    id,
    sessionKey: 'main',
    provider: 'stub',
    signal: new AbortController().signal,
    async *run({ steering }): AsyncGenerator<RunEvent> {
      if ((await ending.promise) !== 'take') return;
      for (const message of steering.take()) yield joins(message);
    },
  });
  return ending.resolve;
}

function joins(message: SteeringMessage): RunEvent {
  said.add(message.origin ?? '');
  return { type: 'steered', message };
}

function open(
  ask = async (question: KeptQuestion): Promise<void> => void asked.push(question),
  { locks, ownerFiles }: Pick<Storage, 'locks' | 'ownerFiles'> = storage,
): KeptMessages {
  return createKeptMessages({
    hub,
    files: ownerFiles,
    locks,
    isInConversation: async (_key, origin) => said.has(origin),
    ask,
    newId,
    warn: (text) => warnings.push(text),
  });
}

const message = (id: string, more: Partial<KeptMessage> = {}): KeptMessage => ({
  id,
  turnId: 't',
  sessionKey: 'main',
  text: `text of ${id}`,
  sender: { name: 'owner' },
  ...more,
});
const onRecord = (): string[] =>
  existsSync(join(home, KEPT_MESSAGES))
    ? JSON.parse(readFileSync(join(home, KEPT_MESSAGES), 'utf8')).messages.map(({ id }: KeptMessage) => id)
    : [];

it('is on record once it is accepted, and until it has joined its turn', async () => {
  expect(await kept.keep(message('a'))).toBe('waiting');
  expect(onRecord()).toEqual(['a']);
  expect(await kept.known('a')).toBe('waiting');
  end('take');
  await eventually(async () => expect(await kept.known('a')).toBe('joined'));
  expect([onRecord(), await kept.known('b')]).toEqual([[], undefined]);
  expect(asked).toEqual([]);
});

it('sent twice is one message', async () => {
  expect(await Promise.all([kept.keep(message('a')), kept.keep(message('a'))])).toEqual(['waiting', 'waiting']);
  expect(onRecord()).toEqual(['a']);
  end();
  await eventually(() => expect(onRecord()).toEqual([]));
  expect(asked).toMatchObject([{ text: 'text of a', origin: 'a' }]);
});

it('those that a turn did not take up are one question of each sender', async () => {
  const anna = { name: 'Anna', person: 'p1' };
  for (const each of [message('a'), message('b', { sender: anna }), message('c', { mode: 'plan' })])
    await kept.keep(each);
  end();
  await eventually(() => expect(onRecord()).toEqual([]));
  expect(asked).toHaveLength(2);
  expect(asked).toContainEqual(
    expect.objectContaining({ text: 'text of a\n\ntext of c', origin: 'a c', mode: 'plan' }),
  );
  expect(asked).toContainEqual(expect.objectContaining({ text: 'text of b', origin: 'b', sender: anna }));
});

it('is not kept for a turn that has ended, or that nobody knows', async () => {
  end();
  await eventually(() => expect(hub.turn('t')?.state).toBe('ended'));
  expect([await kept.keep(message('a')), await kept.keep(message('b', { turnId: 'none' }))]).toEqual([
    'ended',
    'ended',
  ]);
  expect(onRecord()).toEqual([]);
});

it('a turn has room for so many', async () => {
  await Promise.all(Array.from({ length: 24 }, (_, index) => kept.keep(message(`m${index}`))));
  await expect(kept.keep(message('more'))).rejects.toMatchObject({ code: 'TOO_MANY_MESSAGES' });
  end('take');
  await eventually(() => expect(onRecord()).toEqual([]));
});

it('that was taken back is neither asked nor on record', async () => {
  await kept.keep(message('a'));
  await kept.keep(message('b'));
  expect(await kept.withdraw('t', 'a')).toBe('withdrawn');
  // A kill from here on asks it no more.
  expect(onRecord()).toEqual(['b']);
  expect(await kept.withdraw('t', 'none')).toBe('unknown');
  end();
  await eventually(() => expect(asked).toMatchObject([{ text: 'text of b' }]));
});

it('what a stopped gateway left is asked by the next one, without what is in the conversation already', async () => {
  await kept.keep(message('joined-meanwhile'));
  await kept.keep(message('left'));
  kept.stop();
  end();
  await eventually(() => expect(hub.turn('t')?.state).toBe('ended'));
  expect([onRecord(), asked]).toEqual([['joined-meanwhile', 'left'], []]);
  said.add('joined-meanwhile');

  const beside = open();
  await beside.takeUp();
  expect(asked).toEqual([]);
  await kept.close();
  await Promise.all([beside.takeUp(), beside.takeUp()]);
  await eventually(() => expect(onRecord()).toEqual([]));
  expect(asked).toMatchObject([{ text: 'text of left', origin: 'left' }]);
  await beside.close();
});

it('that cannot be asked stays on record', async () => {
  const failing = open(() => Promise.reject(new Error('no model')));
  await failing.keep(message('a'));
  end();
  await eventually(() => expect(warnings.join()).toContain('no model'));
  expect(onRecord()).toEqual(['a']);
  await failing.close();
  await kept.takeUp();
  await eventually(() => expect(asked).toHaveLength(1));
});

it('goes with its conversation, and with a text that is forgotten', async () => {
  for (const each of [message('a'), message('b', { sessionKey: 'other', text: 'the code is 4711' })])
    await kept.keep(each);
  await forgetKeptMessages(storage.ownerFiles, 'main');
  expect(onRecord()).toEqual(['b']);
  const redaction = createRedaction('4711');
  expect(await redactKeptMessages(redaction, 'find', storage.ownerFiles)).toMatchObject([{ count: 1 }]);
  await redactKeptMessages(redaction, 'remove', storage.ownerFiles);
  expect(readFileSync(join(home, KEPT_MESSAGES), 'utf8')).not.toContain('4711');
  await forgetKeptMessages(storage.ownerFiles, 'other');
  expect(existsSync(join(home, KEPT_MESSAGES))).toBe(false);
});

it('what was forgotten while it waited is not asked, and a deleted conversation is not begun again', async () => {
  for (const each of [message('a', { text: 'the code is 4711' }), message('b')]) await kept.keep(each);
  await redactKeptMessages(createRedaction('4711'), 'remove', storage.ownerFiles);
  end();
  await eventually(() => expect(asked).toHaveLength(1));
  expect(asked[0]?.text).not.toContain('4711');
  expect(asked[0]?.origin).toBe('a b');

  const endSecond = startTurn('t2');
  await kept.keep(message('c', { turnId: 't2' }));
  await forgetKeptMessages(storage.ownerFiles, 'main');
  endSecond();
  await eventually(async () => expect(await kept.known('c')).toBe('joined'));
  expect(asked).toHaveLength(1);
});

it('a lock that could not be taken once does not keep later messages out', async () => {
  // What is in the place of the directory of locks.
  writeFileSync(join(home, 'locks'), '');
  await expect(kept.keep(message('a'))).rejects.toThrow('there is a file where a directory is needed');
  expect(await kept.known('a')).toBeUndefined();
  rmSync(join(home, 'locks'));
  expect(await kept.keep(message('a'))).toBe('waiting');
  expect(onRecord()).toEqual(['a']);
});

/** Owner files with one method that fails the next time it is used, after each call of `failNext`. */
function failingOnce(work: 'read' | 'update'): { files: Storage['ownerFiles']; failNext(after?: number): void } {
  let failsAfter: number | undefined;
  const { ownerFiles } = storage;
  const failing = async (text: string | undefined): Promise<string | undefined> => {
    if (failsAfter === undefined || failsAfter-- > 0) return text;
    failsAfter = undefined;
    throw new Error('the disk does not answer');
  };
  return {
    files: {
      ...ownerFiles,
      read: async (name) => {
        const text = await ownerFiles.read(name);
        return work === 'read' && name === KEPT_MESSAGES ? failing(text) : text;
      },
      async update(...change) {
        await ownerFiles.update(...change);
        if (work === 'update') await failing('');
      },
    },
    failNext: (after = 0) => {
      failsAfter = after;
    },
  };
}

it('is taken up again where it could not be read right after the lock of its gateway was taken', async () => {
  await kept.keep(message('a'));
  await kept.close();
  end();
  const { files, failNext } = failingOnce('read');
  const next = open(undefined, { ...storage, ownerFiles: files });
  failNext(1);
  await expect(next.takeUp()).rejects.toThrow('does not answer');
  await next.takeUp();
  await eventually(() => expect(asked).toMatchObject([{ text: 'text of a' }]));
  await next.close();
});

it('that was written although its sender learned of an error is asked, too', async () => {
  const { files, failNext } = failingOnce('update');
  const own = open(undefined, { ...storage, ownerFiles: files });
  failNext();
  await expect(own.keep(message('a'))).rejects.toThrow('does not answer');
  expect(onRecord()).toEqual(['a']);
  // Its sender tries again, and learns that it is on record.
  expect(await own.known('a')).toBe('waiting');
  end();
  await eventually(() => expect(asked).toMatchObject([{ text: 'text of a' }]));
  await eventually(() => expect(onRecord()).toEqual([]));
  await own.close();
});

it('sent to two gateways at the same time is asked by one of them', async () => {
  const beside = open();
  await Promise.all([kept.keep(message('a')), beside.keep(message('a'))]);
  expect(onRecord()).toEqual(['a']);
  end();
  await eventually(() => expect(onRecord()).toEqual([]));
  expect(asked).toMatchObject([{ origin: 'a' }]);
  for (const each of [kept, beside]) await eventually(async () => expect(await each.known('a')).not.toBe('waiting'));
  await beside.close();
  expect(asked).toHaveLength(1);
});

it('that another gateway has on record is the same message', async () => {
  await kept.keep(message('a'));
  const beside = open();
  expect(await beside.known('a')).toBe('waiting');
  expect(await beside.known('b')).toBeUndefined();
  await beside.close();
});

it('is asked by one gateway when another one took it up, because this one had lost its lock', async () => {
  await kept.keep(message('a'));
  const [lock = ''] = readdirSync(join(home, 'locks')).filter((name) => name.startsWith('kept-messages'));
  rmSync(join(home, 'locks', lock));
  const elsewhere = createLocalStorage({ home, now: Date.now });
  const answered = Promise.withResolvers<void>();
  const askedThere: KeptQuestion[] = [];
  const other = open((question) => {
    askedThere.push(question);
    return answered.promise;
  }, elsewhere);
  await other.takeUp();
  end();
  await eventually(() => expect(askedThere).toMatchObject([{ text: 'text of a' }]));
  await eventually(async () => expect(await kept.known('b')).toBeUndefined());
  expect(asked).toEqual([]);
  answered.resolve();
  await eventually(() => expect(onRecord()).toEqual([]));
  expect(asked).toEqual([]);
  await other.close();
  await elsewhere.close();
});

it('is asked by the gateway that had it when a lost lock is in nobody else’s hands', async () => {
  await kept.keep(message('a'));
  const [lock = ''] = readdirSync(join(home, 'locks')).filter((name) => name.startsWith('kept-messages'));
  rmSync(join(home, 'locks', lock));
  end();
  await eventually(() => expect(asked).toMatchObject([{ text: 'text of a' }]));
  await eventually(() => expect(onRecord()).toEqual([]));
});

it.each([
  '{"messages": 3',
  '{"messages":[null]}',
  '{"messages":[{"id":"b","turnId":"t","sessionKey":"main","keeper":"k","sender":{"name":"owner"}}]}',
  '{"messages":[{"id":"b","turnId":"t","sessionKey":"main","keeper":"k","text":"whose?"}]}',
])('a damaged file is left as it is, and named: %s', async (damaged) => {
  writeFileSync(join(home, KEPT_MESSAGES), damaged, { mode: 0o600 });
  await expect(kept.keep(message('a'))).rejects.toMatchObject({ code: 'KEPT_MESSAGES_DAMAGED' });
  await expect(kept.known('a')).rejects.toMatchObject({ code: 'KEPT_MESSAGES_DAMAGED' });
  await expect(kept.takeUp()).rejects.toMatchObject({ code: 'KEPT_MESSAGES_DAMAGED' });
  expect(readFileSync(join(home, KEPT_MESSAGES), 'utf8')).toBe(damaged);
  rmSync(join(home, KEPT_MESSAGES));
  expect(await kept.known('a')).toBeUndefined();
});
