import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, echo, runEnd, SETTINGS, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { IncomingMessage } from '../../channels/channel.ts';
import { inboxOf } from '../../vocabulary/inbox-of.ts';

const incoming = (id: string, order: number, more: Partial<IncomingMessage> = {}): IncomingMessage => ({
  id,
  order,
  chatId: 'anna',
  chatKind: 'direct',
  isAddressed: true,
  sender: { id: 'anna' },
  sentAt: order,
  text: id,
  files: [],
  ...more,
});

describe('a message', () => {
  it('is answered, as a reply to it, in the session of its chat', async () => {
    const chats = await testChats();
    await chats.start();
    const { id } = await chats.write('hello');
    await chats.says(['echo: hello']);
    expect(await chats.platform.seen('anna')).toMatchObject([{ replyTo: id }]);
    expect(chats.asked).toMatchObject([{ sessionKey: 'local:anna', input: 'hello', provider: 'stub' }]);
    await eventually(async () => expect(await chats.mailbox.counts()).toEqual({ inbox: 0, outbox: 0, dead: 0 }));
  });

  it('that is delivered again is not asked again, before the answer or after', async () => {
    const chats = await testChats();
    await chats.start();
    const message = incoming('a', 1);
    await Promise.all([chats.platform.deliver(message), chats.platform.deliver(message)]);
    await chats.says(['echo: a']);
    await chats.platform.deliver(message);
    await chats.write('next');
    await chats.says(['echo: a', 'echo: next']);
    expect(chats.asked).toHaveLength(2);
  });

  it('is joined with those that follow at once, in the order of writing', async () => {
    const chats = await testChats();
    await chats.start({ limits: { debounceMs: 1_500, debounceMaxMs: 60_000 } });
    for (const [id, order] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
    ] as const)
      await chats.platform.deliver(incoming(id, order));
    await chats.says(['echo: a\nb\nc']);
    expect(chats.asked).toHaveLength(1);
  });

  it('waits for the turn of its chat, not for that of another', async () => {
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const answer: Answer = async function* (request) {
      const gate = Promise.withResolvers<void>();
      gates.set(request.input, gate);
      await gate.promise;
      yield* echo(request);
    };
    const chats = await testChats(answer);
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(gates.has('one')).toBe(true));
    await chats.write('two');
    await chats.write('elsewhere', 'boris');
    await eventually(() => expect(gates.has('elsewhere')).toBe(true));
    gates.get('elsewhere')?.resolve();
    await chats.says(['echo: elsewhere'], 'boris');
    expect(gates.has('two')).toBe(false);
    gates.get('one')?.resolve();
    await eventually(() => expect(gates.has('two')).toBe(true));
    gates.get('two')?.resolve();
    await chats.says(['echo: one', 'echo: two']);
  });

  it('of one flood is answered for as long as there is room, and then turned away with a word', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield runEnd(request, `${request.input.split('\n').length} read`);
    });
    await chats.start({ limits: { waitingMessages: 10, joinedMessages: 4 } });
    await chats.write('first');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    for (let number = 0; number < 40; number += 1) await chats.platform.deliver(incoming(`m${number}`, number + 10));
    await chats.write('me too', 'boris');
    gate.resolve();
    await chats.says(['1 read'], 'boris');
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
    await eventually(async () => expect((await chats.mailbox.counts()).outbox).toBe(0));
    const said = await chats.said();
    expect(said.filter((text) => text.includes('not read')).length).toBeGreaterThanOrEqual(1);
    expect(said.filter((text) => text.includes('not read')).length).toBeLessThanOrEqual(2);
    expect(said.filter((text) => / read$/.test(text))).toEqual(['1 read', '4 read', '4 read', '2 read']);
  });

  it('runs beside others, but not more than are allowed at once', async () => {
    let now = 0;
    let most = 0;
    const full = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      now += 1;
      most = Math.max(most, now);
      if (now === 3) full.resolve();
      await full.promise;
      // Long enough that one more would be seen.
      await new Promise((resolve) => setTimeout(resolve, 30));
      now -= 1;
      yield* echo(request);
    });
    await chats.start({ limits: { concurrentTurns: 3 } });
    const names = Array.from({ length: 12 }, (_, index) => `chat${index}`);
    await Promise.all(names.map((name) => chats.write('hi', name)));
    for (const name of names) await chats.says(['echo: hi'], name);
    expect(most).toBe(3);
  });
});

describe('who writes', () => {
  it('without being admitted get one notice, and never a turn', async () => {
    const chats = await testChats();
    await chats.start({ admit: async () => ({ allowed: false, reply: 'Your code is ABCD.' }) });
    const message = incoming('a', 1);
    await chats.platform.deliver(message);
    await chats.platform.deliver(message);
    await chats.says(['Your code is ABCD.']);
    expect(chats.asked).toEqual([]);
  });

  it('without being admitted, and without a word for it, leaves nothing behind', async () => {
    const chats = await testChats();
    await chats.start({ admit: async () => ({ allowed: false }) });
    await chats.platform.deliver(incoming('a', 1));
    expect(
      await chats.mailbox.receive(
        { name: 'gateway', token: 1 },
        {
          chat: { channel: 'local', account: 'default', chatId: 'anna' },
          id: 'a',
          order: 1,
          receivedAt: 1,
          body: '{}',
        },
      ),
    ).toBe('claimed');
  });

  it('in a group is heard only where groups are on, and only when the bot is addressed', async () => {
    const chats = await testChats();
    const settings = { ...SETTINGS };
    await chats.start({ settings: async () => settings });
    const group = { chatKind: 'group' as const, chatId: 'team', sender: { id: 'u1', name: 'Ann' } };
    await chats.platform.deliver(incoming('a', 1, group));
    settings.groups = true;
    await chats.platform.deliver(incoming('b', 2, { ...group, isAddressed: false }));
    await chats.platform.deliver(incoming('c', 3, group));
    await chats.says(['echo: Ann: c'], 'team');
    expect(chats.asked).toMatchObject([{ sessionKey: 'local:team', taintedBy: ['message'] }]);
  });

  it('and is not the owner marks the turn as coming from outside, and cannot use what is the owner’s', async () => {
    const chats = await testChats();
    await chats.start({ admit: async () => ({ allowed: true, isOwner: false }) });
    await chats.write('hi');
    await chats.says(['echo: hi']);
    expect(chats.asked).toMatchObject([{ taintedBy: ['message'] }]);
    await chats.write('/undo');
    await chats.says(['echo: hi', '`/undo` is for the owner.']);
  });

  it('with another account has a session and a lane of their own', async () => {
    const chats = await testChats();
    await chats.start({ channels: [chats.platform.open({ account: 'work' })] });
    await chats.write('hi', 'a b/ü');
    await chats.says(['echo: hi'], 'a b/ü');
    expect(chats.asked).toMatchObject([{ sessionKey: 'local:work:a=20b=2f=c3=bc' }]);
  });
});

describe('an answer', () => {
  it('that is long comes in parts, the first of them a reply', async () => {
    const text = Array.from({ length: 300 }, (_, index) => `This is sentence ${index}.`).join('\n\n');
    const chats = await testChats(async function* (request) {
      yield runEnd(request, text);
    });
    await chats.start();
    await chats.write('tell me');
    await eventually(async () => expect((await chats.said()).join('\n\n')).toBe(text));
    const replies = (await chats.platform.seen('anna')).map(({ replyTo }) => replyTo !== undefined);
    expect(replies.length).toBeGreaterThan(2);
    expect(replies).toEqual(replies.map((_, index) => index === 0));
  });

  it('of a turn that failed says what happened', async () => {
    const chats = await testChats(async function* (request) {
      if (request.input === 'broken') throw new Error('the wire is cut');
      yield runEnd(request, '', { success: false, error: { code: 'X', message: 'the model is asleep' } });
    });
    await chats.start();
    await chats.write('hello');
    await chats.says(['⚠️ I could not answer: the model is asleep']);
    await chats.write('broken');
    await chats.says([expect.anything(), '⚠️ I could not answer: the wire is cut']);
  });

  it('is one line of the log, with why it failed and not with what was written', async () => {
    const chats = await testChats(async function* (request) {
      if (request.input === 'secret plans') yield runEnd(request, 'fine');
      else throw new Error('no model is there');
    });
    await chats.start();
    await chats.write('secret plans');
    await chats.says(['fine']);
    await chats.write('again');
    await eventually(() => expect(chats.logged).toHaveLength(2));
    expect(chats.logged).toEqual([
      expect.stringMatching(/^answered after \d+\.\d s$/),
      expect.stringMatching(/^failed \(no model is there\) after \d+\.\d s$/),
    ]);
  });

  it('says below it what the model no longer sees as it was said, and nothing of other notices', async () => {
    const chats = await testChats(async function* (request) {
      yield { type: 'notice', text: 'the price is unknown' };
      yield { type: 'notice', text: 'messages 1 to 40 were summarised', about: 'history' };
      yield runEnd(request, 'Yes.');
    });
    await chats.start();
    await chats.write('hi');
    await chats.says(['Yes.\n\n_Messages 1 to 40 were summarised._']);
  });

  it('that takes long is announced by one message, which shows the progress and becomes the answer', async () => {
    const gate = Promise.withResolvers<void>();
    const call = { id: 'c1', name: 'bash', args: { command: 'npm test' }, source: 'model' as const };
    const chats = await testChats(async function* (request) {
      yield { type: 'tool-start', call };
      yield { type: 'tool-end', call, result: { ok: true, data: 1, meta: { durationMs: 1 } } };
      yield { type: 'text-delta', text: 'So far ' };
      yield { type: 'text-delta', text: 'so good' };
      await gate.promise;
      yield runEnd(request, 'All is well.');
    });
    await chats.start({ limits: { progressAfterMs: 50, progressEveryMs: 30 } });
    const { id } = await chats.write('test it');
    await chats.says(['✓ bash `npm test`\n\nSo far so good']);
    expect(chats.platform.signs('anna')).toBeGreaterThanOrEqual(1);
    gate.resolve();
    await chats.says(['All is well.']);
    expect(await chats.platform.seen('anna')).toMatchObject([{ replyTo: id }]);
  });

  it('that is quick makes no other message, and shows that work is going on', async () => {
    const chats = await testChats();
    await chats.start();
    await chats.write('quick');
    await chats.says(['echo: quick']);
    const [seen] = await chats.platform.seen('anna');
    expect(chats.platform.edits(seen?.messageId ?? '')).toBe(0);
    expect(chats.platform.signs('anna')).toBeGreaterThanOrEqual(1);
  });
});

describe('what the owner passes on', () => {
  it('is content from outside, and never a command', async () => {
    const chats = await testChats();
    await chats.start();
    await chats.platform.deliver(incoming('/new', 1, { isForwarded: true }));
    await chats.says(['echo: /new']);
    expect(chats.asked).toMatchObject([{ taintedBy: ['message'] }]);
  });
});

describe('files', () => {
  it('are kept in the workspace and come with the turn', async () => {
    const chats = await testChats();
    await chats.start();
    const file = { kind: 'file' as const, name: '../../.bash rc\u0000.txt', content: Buffer.from('some text\n') };
    await chats.write('read this', 'anna', { file });
    await eventually(() => expect(chats.asked).toHaveLength(1));
    const [request] = chats.asked;
    const path = /\[file saved as (\S+)\]$/.exec(request?.input ?? '')?.[1] ?? '';
    expect(path).toMatch(/^inbox\/\d{4}-\d\d-\d\d\/bash_rc_-[0-9a-f]{8}\.txt$/);
    expect(readFileSync(join(chats.workspace, path), 'utf8')).toBe('some text\n');
    expect(request?.attachments).toEqual([{ kind: 'text', name: path, text: 'some text\n' }]);
    // As if it were read from there: nobody knows who wrote it.
    expect(request?.taintedBy).toEqual(['message']);
  });

  it('of a group are in a folder that is its own', async () => {
    const chats = await testChats();
    await chats.start({ settings: async () => ({ ...SETTINGS, groups: true }) });
    const file = { kind: 'file' as const, name: 'plan.txt', content: Buffer.from('ours\n') };
    await chats.platform.write({ chatId: 'team', senderId: 'anna', text: 'read', chatKind: 'group', file });
    await eventually(() => expect(chats.asked).toHaveLength(1));
    const [path = ''] = /inbox\S+\.txt/.exec(chats.asked[0]?.input ?? '') ?? [];
    expect(path).toMatch(`${inboxOf('chat:local:team')}/`);
    expect(readFileSync(join(chats.workspace, path), 'utf8')).toBe('ours\n');
  });

  it('that are too large or cannot be fetched are named, and the turn continues', async () => {
    const chats = await testChats();
    await chats.start({ limits: { fileBytes: 5 } });
    const file = { kind: 'file' as const, name: 'big.bin', content: Buffer.alloc(6) };
    await chats.write('', 'anna', { file });
    await eventually(() => expect(chats.asked).toHaveLength(1));
    expect(chats.asked[0]).toMatchObject({
      attachments: [],
      input: '[big.bin was sent too, but could not be fetched: it has 6 bytes]',
    });
    expect(readdirSync(chats.workspace)).toEqual(['home']);
  });
});

describe('a restart', () => {
  it.each([
    ['someone who was not admitted', { admit: async () => ({ allowed: false as const, reply: 'Your code is ABCD.' }) }],
    ['a flood', { limits: { waitingMessages: 0 } }],
  ])(
    'between storing what is not taken from %s and saying so ends well: it starts, and the word is said',
    async (_, given) => {
      const chats = await testChats();
      const cut = Promise.withResolvers<void>();
      const finish = (): Promise<never> => {
        cut.resolve();
        return new Promise(() => {});
      };
      await chats.start({ ...given, mailbox: { ...chats.mailbox, finish } });
      void chats.platform.deliver(incoming('a', 1));
      await cut.promise;
      chats.kill();
      await chats.start(given);
      await chats.says([expect.stringMatching(/ABCD|not read/)]);
      await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
      expect(chats.asked).toEqual([]);
    },
  );

  it('takes up what was stored and not answered, in order', async () => {
    const chats = await testChats(async function* (request, signal) {
      if (chats.asked.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield* echo(request);
    });
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('two');
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(2));
    chats.kill();
    await chats.start();
    await chats.says(['echo: one', 'echo: two']);
    expect(chats.asked.map(({ input }) => input)).toEqual(['one', 'one', 'two']);
    // Asked again under the same origin: the transcript knows it is the same question.
    expect(chats.asked[1]?.origin).toBe(chats.asked[0]?.origin);
  });

  it('gives the answer that the transcript has, and asks nobody', async () => {
    const chats = await testChats(async function* () {
      await new Promise(() => {});
      yield* [];
    });
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    chats.kill();
    const asked: unknown[] = [];
    const sessions = {
      renew: async () => expect.unreachable(),
      findTurn: async (...args: unknown[]) => {
        asked.push(args.slice(0, 2));
        return { outcome: 'answered' as const, text: 'from the transcript', calls: [] };
      },
    };
    await chats.start({ sessions });
    await chats.says(['from the transcript']);
    expect(asked).toEqual([['local:anna', chats.asked[0]?.origin]]);
    expect(chats.asked).toHaveLength(1);
  });

  it('explains a turn that had done something, and repeats nothing', async () => {
    const chats = await testChats(async function* () {
      await new Promise(() => {});
      yield* [];
    });
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    chats.kill();
    const call = (name: string, args: object) => ({ id: name, name, args, source: 'model' });
    const findTurn = async () => ({
      outcome: 'interrupted' as const,
      calls: [
        { call: call('file_write', { path: 'a' }), effect: 'write', isEnded: true },
        { call: call('bash', { command: 'make' }), effect: 'exec', isEnded: false },
      ],
    });
    await chats.start({ sessions: { findTurn } });
    await eventually(async () => expect(await chats.said()).toHaveLength(1));
    const [told] = await chats.said();
    expect(told).toContain('- file_write `{"path":"a"}` was done');
    expect(told).toContain('- bash `{"command":"make"}` **was running: the outcome is unknown**');
    expect(told).toContain('Nothing of it was repeated');
    expect(chats.asked).toHaveLength(1);
  });

  it('puts the answer in the place of the progress that was shown before', async () => {
    const chats = await testChats(async function* (request) {
      yield { type: 'text-delta', text: 'thinking' };
      if (chats.asked.length === 1) await new Promise(() => {});
      yield* echo(request);
    });
    await chats.start({ limits: { progressAfterMs: 10 } });
    await chats.write('one');
    await chats.says(['thinking']);
    await eventually(async () => {
      expect(await chats.mailbox.choices({ channel: 'local', account: 'default', chatId: 'anna' })).toContain('out-1');
    });
    chats.kill();
    await chats.start();
    await chats.says(['echo: one']);
  });

  it('ends the progress of a turn that was stopped right before the kill', async () => {
    const chats = await testChats(async function* () {
      await new Promise(() => {});
      yield { type: 'text-delta', text: '' };
    });
    const chat = { channel: 'local', account: 'default', chatId: 'anna' };
    await chats.start({ limits: { progressAfterMs: 10 } });
    await chats.write('one');
    await chats.says(['⏳ Working on it…']);
    await eventually(async () => expect(await chats.mailbox.choices(chat)).toContain('isOpen'));
    // As `/stop` does, before it ends the turn.
    chats.kill();
    const [unfinished] = await chats.mailbox.unfinished();
    await chats.mailbox.forgetChat(chat, Date.now());
    expect(unfinished?.turnId).toBeDefined();
    await chats.start();
    await chats.says(['⏹ Stopped.']);
    await eventually(async () => expect(await chats.mailbox.choices(chat)).toBe('{}'));
  });

  it('leaves the answer of a turn alone when the kill came right after it', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield* echo(request);
    });
    const chat = { channel: 'local', account: 'default', chatId: 'anna' };
    await chats.start({ limits: { progressAfterMs: 10 } });
    await chats.write('one');
    await eventually(async () => expect(await chats.mailbox.choices(chat)).toContain('isOpen'));
    const open = (await chats.mailbox.choices(chat)) ?? '';
    gate.resolve();
    await chats.says(['echo: one']);
    await eventually(async () => expect(await chats.mailbox.choices(chat)).toBe('{}'));
    chats.kill();
    await chats.mailbox.changeChoices(chat, () => open);
    await chats.start();
    await eventually(async () => expect(await chats.mailbox.choices(chat)).toBe('{}'));
    await chats.says(['echo: one']);
  });

  it('sends what waits in the outbox', async () => {
    const chats = await testChats();
    chats.platform.failWith(() => ({ kind: 'unreachable' }));
    await chats.start();
    await chats.write('one');
    await eventually(async () => expect((await chats.mailbox.counts()).outbox).toBe(1));
    chats.kill();
    chats.platform.failWith(undefined);
    await chats.start();
    await chats.says(['echo: one']);
    expect(chats.asked).toHaveLength(1);
  });
});

describe('the end', () => {
  it('lets running turns end and their answers go out, and begins nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield* echo(request);
    });
    const gateway = await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    const drained = gateway.drain(new AbortController().signal);
    await chats.platform.deliver(incoming('late', 99));
    gate.resolve();
    await drained;
    expect(await chats.said()).toEqual(['echo: one']);
    expect((await gateway.status()).channels).toMatchObject([{ state: 'closed' }]);
    await chats.start();
    await chats.says(['echo: one', 'echo: late']);
  });

  it('cancels what does not end in time and leaves it for the next process', async () => {
    const chats = await testChats(async function* (request, signal) {
      if (chats.asked.length === 1) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield runEnd(request, '', { success: false, stage: 'cancelled', error: { code: 'CANCELLED', message: 'x' } });
      } else yield* echo(request);
    });
    const gateway = await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await gateway.drain(AbortSignal.abort());
    expect(await chats.said()).toEqual([]);
    await chats.start();
    await chats.says(['echo: one']);
  });
});

it('a channel that cannot be connected is the reason why it does not start', async () => {
  const chats = await testChats();
  const channel = chats.platform.open({ account: 'work' });
  const broken = { ...channel, connect: async () => Promise.reject(new Error('the token is refused')) };
  await expect(chats.start({ channels: [chats.platform.open(), broken] })).rejects.toThrow(
    'local:work: the token is refused',
  );
});

it('a platform that cannot be reached at the start holds up no other', async () => {
  const chats = await testChats();
  const away = { ...chats.platform.open({ account: 'work' }), connect: () => new Promise<void>(() => {}) };
  await chats.start({ channels: [away, chats.platform.open()], limits: { connectMs: 50 } });
  await chats.write('hello');
  await chats.says(['echo: hello']);
  expect(chats.logged).toContain('local:work: not connected yet; it keeps trying');
});

it('a text can be sent to a chat, and a channel that is not there is named', async () => {
  const chats = await testChats();
  const gateway = await chats.start();
  const chat = { channel: 'local', account: 'default', chatId: 'boris' };
  expect(await gateway.send(chat, 'a reminder')).toMatchObject({ keys: [expect.any(String)] });
  await chats.says(['a reminder'], 'boris');
  await gateway.send(chat, 'once', 'message-1');
  await gateway.send(chat, 'once', 'message-1');
  await gateway.send(chat, 'then');
  await chats.says(['a reminder', 'once', 'then'], 'boris');
  await expect(gateway.send({ ...chat, channel: 'feishu' }, 'x')).rejects.toThrow(
    'feishu is not running; running: local',
  );
});
