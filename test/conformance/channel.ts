// What every channel must do, on whichever platform. A suite is given the channel and the other side: a
// platform on which somebody writes, that can fail, forget to answer and hang up.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Channel, ChannelError, type ChannelErrorCode, type OutgoingMessage } from '../../src/channels/channel.ts';
import { CHANNEL_NAMES } from '../../src/channels/channel-table.ts';
import { eventually } from '../support/eventually.ts';
import { describePictures, PIXEL } from './channel-pictures.ts';
import { describeSplit } from './channel-split.ts';
import { type ChannelSubject, createReceiver, type PlatformFault, type WrittenMessage } from './channel-subject.ts';

const never = new AbortController().signal;
/** Long enough for a platform that would deliver again to have done so. */
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));

export function describeChannel(name: string, create: () => Promise<ChannelSubject>): void {
  describe(`the channel ${name}`, () => {
    let subject: ChannelSubject;
    let receiver: ReturnType<typeof createReceiver>;
    const opened: Channel[] = [];
    let keys = 0;

    beforeEach(async () => {
      subject = await create();
      receiver = createReceiver();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((channel) => channel.close()));
      await subject.close();
    });

    const open = (): Channel => {
      const channel = subject.open();
      opened.push(channel);
      return channel;
    };
    const connected = async (): Promise<Channel> => {
      const channel = open();
      await channel.connect(receiver.receive, never);
      return channel;
    };
    const write = (text: string, more: Partial<WrittenMessage> = {}): Promise<{ id: string }> =>
      subject.platform.write({ chatId: subject.chats.direct, senderId: subject.senderId, text, ...more });
    const texts = (): string[] => receiver.received.map(({ text }) => text);
    const draft = (markdown: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => {
      keys += 1;
      return { key: `key-${keys}`, chatId: subject.chats.direct, markdown, ...more };
    };

    test('says who it is', () => {
      const channel = open();
      expect(CHANNEL_NAMES).toContain(channel.name);
      expect(channel.account).not.toBe('');
      expect(channel.status().state).not.toBe('connected');
    });

    describe('what is written to the bot', () => {
      test('arrives with who wrote it, where and when', async () => {
        const channel = await connected();
        expect(channel.status()).toMatchObject({ state: 'connected' });
        const { id } = await write('héllo 你好 🌍\nsecond line');
        await eventually(() => expect(receiver.received).toHaveLength(1));
        const [message] = receiver.received;
        expect(message).toMatchObject({
          id,
          chatId: subject.chats.direct,
          chatKind: 'direct',
          isAddressed: true,
          sender: { id: subject.senderId },
          text: 'héllo 你好 🌍\nsecond line',
          files: [],
        });
        expect(Number.isFinite(message?.order)).toBe(true);
        expect(Number.isFinite(message?.sentAt)).toBe(true);
        expect(channel.status().lastEventAt).toBeTypeOf('number');
      });

      test('can be put into the order of writing', async () => {
        await connected();
        for (const text of ['one', 'two', 'three']) await write(text);
        await write('elsewhere', { chatId: subject.chats.otherDirect });
        await eventually(() => expect(texts()).toHaveLength(4));
        const own = receiver.received.filter(({ chatId }) => chatId === subject.chats.direct);
        expect(own.toSorted((a, b) => a.order - b.order).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
        expect(new Set(own.map(({ order }) => order)).size).toBe(3);
        expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
      });

      test('while nobody was connected arrives afterwards', async () => {
        await write('early');
        await connected();
        await eventually(() => expect(texts()).toEqual(['early']));
      });

      test('arrives again, with the same id, until it was stored', async () => {
        receiver.refuse(2);
        await connected();
        const { id } = await write('keep me');
        await eventually(async () => {
          if (texts().length === 0) await subject.platform.redeliver?.();
          expect(texts()).toContain('keep me');
        });
        expect(receiver.deliveries.length).toBeGreaterThanOrEqual(3);
        expect(new Set(receiver.deliveries.map((message) => message.id))).toEqual(new Set([id]));
        expect(new Set(receiver.deliveries.map(({ order }) => order)).size).toBe(1);
      });

      test('and was being stored when the process ended arrives at the next one', async () => {
        const release = receiver.hold();
        const channel = await connected();
        const { id } = await write('unfinished');
        await eventually(() => expect(receiver.deliveries).toHaveLength(1));
        const before = receiver;
        receiver = createReceiver();
        const closing = channel.close();
        // The old process never gets to store it.
        before.refuse(1);
        release();
        await closing;
        await connected();
        await eventually(async () => {
          if (texts().length === 0) await subject.platform.redeliver?.();
          expect(receiver.received.map((message) => message.id)).toContain(id);
        });
      });

      test('in a group is marked by whether the bot was addressed', async () => {
        await connected();
        const group = { chatId: subject.chats.group, chatKind: 'group' as const };
        await write('among ourselves', { ...group, mentionsBot: false });
        await write('what is the time?', { ...group, mentionsBot: true });
        await eventually(() => expect(texts()).toContain('what is the time?'));
        const addressed = receiver.received.filter(({ isAddressed }) => isAddressed);
        expect(addressed.map(({ text }) => text)).toEqual(['what is the time?']);
        expect(receiver.received.every(({ chatKind }) => chatKind === 'group')).toBe(true);
      });

      test('names the message it answers', async () => {
        await connected();
        const { id } = await write('question');
        await write('answer', { replyTo: id });
        await eventually(() => expect(texts()).toHaveLength(2));
        expect(receiver.received.find(({ text }) => text === 'answer')?.replyTo).toBe(id);
      });

      test.each(['image', 'file'] as const)('brings an attached %s', async (kind) => {
        const channel = await connected();
        const name = kind === 'image' ? 'picture.png' : 'notes.txt';
        const content = kind === 'image' ? PIXEL : Buffer.from('line one\nline two\n');
        await write('look at this', { file: { kind, name, content } });
        await eventually(() => expect(receiver.received.flatMap(({ files }) => files)).toHaveLength(1));
        const [file] = receiver.received.flatMap(({ files }) => files);
        if (!file) throw new Error('there is no file');
        expect(file.kind).toBe(kind);
        // What is stored with the message must be enough.
        const stored = JSON.parse(JSON.stringify(file)) as typeof file;
        expect(Buffer.from(await channel.download(stored, 1_000_000, never))).toEqual(Buffer.from(content));
        await expect(channel.download(stored, content.length - 1, never)).rejects.toThrow(ChannelError);
      });
    });

    describe('what is sent', () => {
      test('is in its chat when it is confirmed', async () => {
        const channel = await connected();
        const sent = await channel.send(draft('plain words'), never);
        expect(sent.chatId).toBe(subject.chats.direct);
        const seen = await subject.platform.seen(subject.chats.direct);
        expect(seen).toMatchObject([{ messageId: sent.messageId, text: expect.stringContaining('plain words') }]);
        expect(await subject.platform.seen(subject.chats.otherDirect)).toEqual([]);
      });

      test('keeps its words in whatever markup', async () => {
        const channel = await connected();
        const markdown = [
          '# Title & <more>',
          'Some *slanted*, **bold**, `code < 1`, ~~gone~~ and [a link](https://example.com/?a=1&b=2).',
          '- first_item\n- second item!\n  1. nested (1.5)',
          '> quoted',
          '```ts\nconst a = b < c && "d" || `e`; // *not bold*\n```',
          '| a | b |\n|---|---|\n| cell1 | cell2 |',
        ].join('\n\n');
        for (const part of channel.split(markdown)) await channel.send(draft(part), never);
        const text = (await subject.platform.seen(subject.chats.direct)).map((each) => each.text).join('\n');
        for (const words of [
          'Title & <more>',
          'slanted',
          'bold',
          'code < 1',
          'a link',
          'first_item',
          'second item!',
          'nested (1.5)',
          'quoted',
          'const a = b < c && "d" || `e`; // *not bold*',
          'cell1',
          'cell2',
        ])
          expect(text).toContain(words);
      });

      test.each([
        '*',
        '_a',
        '**b',
        '`c',
        '```\nd',
        '[e](',
        '<f>',
        '&amp;',
        '\\*g',
        '| h',
        '# ',
        '1. 2) -',
        '~~',
        '@all',
        '<at user_id="all"></at>',
      ])('is taken whatever it looks like: %j', async (odd) => {
        const channel = await connected();
        await channel.send(draft(`word ${odd} word`), never);
        const [seen] = await subject.platform.seen(subject.chats.direct);
        expect(seen?.text.match(/word/g)).toHaveLength(2);
      });

      test('answers the message it is a reply to', async () => {
        const channel = await connected();
        const { id } = await write('question');
        await eventually(() => expect(texts()).toEqual(['question']));
        await channel.send(draft('answer', { replyTo: id }), never);
        expect(await subject.platform.seen(subject.chats.direct)).toMatchObject([{ replyTo: id }]);
      });

      test('twice with one key is there once, where the platform knows keys', async (context) => {
        const channel = await connected();
        if (!channel.isIdempotent) return context.skip('the platform knows no keys');
        const message = draft('only once');
        const first = await channel.send(message, never);
        expect(await channel.send(message, never)).toEqual(first);
        const restarted = await connected();
        expect(await restarted.send(message, never)).toEqual(first);
        expect(await subject.platform.seen(subject.chats.direct)).toHaveLength(1);
      });

      test('to several chats at once goes to each', async () => {
        const channel = await connected();
        const { direct, otherDirect, group } = subject.chats;
        await Promise.all(
          [direct, otherDirect, group].map((chatId) => channel.send(draft(`to ${chatId}`, { chatId }), never)),
        );
        for (const chatId of [direct, otherDirect, group])
          expect(await subject.platform.seen(chatId)).toMatchObject([
            { text: expect.stringContaining(`to ${chatId}`) },
          ]);
      });

      test('can be replaced, also by the same', async () => {
        const channel = await connected();
        const sent = await channel.send(draft('working'), never);
        const other = await channel.send(draft('another'), never);
        await channel.edit(sent, { markdown: 'done' }, never);
        await channel.edit(sent, { markdown: 'done' }, never);
        const seen = await subject.platform.seen(subject.chats.direct);
        expect(seen.map(({ messageId }) => messageId)).toEqual([sent.messageId, other.messageId]);
        expect(seen[0]?.text).toContain('done');
        expect(seen[0]?.text).not.toContain('working');
        expect(seen[1]?.text).toContain('another');
      });

      test('has buttons that can be pressed, and loses them when it is replaced without', async (context) => {
        const channel = await connected();
        if (!channel.hasButtons) return context.skip('the platform shows no buttons');
        const buttons = [
          { label: 'Yes', value: 'approve:question-1:session', tone: 'primary' as const },
          { label: 'No', value: 'x'.repeat(60), tone: 'danger' as const },
        ];
        const sent = await channel.send(draft('May I?', { buttons }), never);
        const [seen] = await subject.platform.seen(subject.chats.direct);
        expect(seen?.buttons).toMatchObject(buttons.map(({ label, value }) => ({ label, value })));
        const { direct: chatId } = subject.chats;
        for (const { value } of buttons)
          await subject.platform.press?.({ chatId, messageId: sent.messageId, value, senderId: subject.senderId });
        await eventually(() => expect(receiver.received).toHaveLength(2));
        expect(receiver.received.map(({ pressed }) => pressed)).toEqual(
          buttons.map(({ value }) => ({ value, messageId: sent.messageId })),
        );
        for (const pressed of receiver.received)
          expect(pressed).toMatchObject({ chatId, sender: { id: subject.senderId }, isAddressed: true });
        expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
        await channel.edit(sent, { markdown: 'Thank you.' }, never);
        expect((await subject.platform.seen(chatId))[0]?.buttons).toEqual([]);
      });

      test('with a sign of working never fails', async () => {
        const channel = await connected();
        await channel.showWorking({ chatId: subject.chats.direct }, never);
        await channel.showWorking({ chatId: 'no such chat' }, never);
        await channel.showWorking({ chatId: subject.chats.direct }, AbortSignal.abort());
      });
    });

    describe('a message that could not be sent', () => {
      const failures: { fault: PlatformFault; codes: ChannelErrorCode[] }[] = [
        { fault: { kind: 'rate-limited', retryAfterMs: 3_000 }, codes: ['rate-limited'] },
        { fault: { kind: 'unreachable' }, codes: ['unreachable', 'unknown-outcome'] },
        { fault: { kind: 'rejected' }, codes: ['rejected'] },
        { fault: { kind: 'answer-lost' }, codes: ['unknown-outcome'] },
      ];
      test.for(failures)('because of $fault says so, and the next one is sent', async ({ fault, codes }, context) => {
        if (!subject.platform.failNextSend) return context.skip('nothing is in between');
        const channel = await connected();
        subject.platform.failNextSend(fault);
        const message = draft('first');
        const error = await channel.send(message, never).then(
          () => expect.unreachable('it was sent'),
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(ChannelError);
        const { code, retryAfterMs, message: told } = error as ChannelError;
        expect(codes).toContain(code);
        if (fault.kind === 'rate-limited') expect(retryAfterMs).toBeGreaterThanOrEqual(fault.retryAfterMs);
        for (const secret of subject.secrets) expect(told).not.toContain(secret);
        // The fault may have ended a connection that messages are sent on.
        await eventually(() => expect(channel.status()).toMatchObject({ state: 'connected' }));
        await channel.send(draft('second'), never);
        if (channel.isIdempotent) await channel.send(message, never);
        const seen = (await subject.platform.seen(subject.chats.direct)).map(({ text }) => text);
        expect(seen.filter((text) => text.includes('second'))).toHaveLength(1);
        if (channel.isIdempotent) expect(seen.filter((text) => text.includes('first'))).toHaveLength(1);
      });

      test('because the caller gave up rejects', async () => {
        const channel = await connected();
        await expect(channel.send(draft('never'), AbortSignal.abort())).rejects.toThrow();
      });
    });

    describe('its connection', () => {
      test('with refused credentials is not made, and reveals no secret', async (context) => {
        const channel = subject.openUnauthorised?.();
        if (!channel) return context.skip('there are no credentials');
        opened.push(channel);
        const error = await channel.connect(receiver.receive, never).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'ChannelError', code: 'auth' });
        for (const secret of subject.secrets) expect((error as Error).message).not.toContain(secret);
        expect(channel.status().state).not.toBe('connected');
      });

      test('that is lost is noticed and made again, and nothing is missed', async (context) => {
        const { platform } = subject;
        if (!platform.disconnect || !platform.restore) return context.skip('there is no connection to lose');
        const channel = await connected();
        await write('before');
        await eventually(() => expect(texts()).toContain('before'));
        await platform.disconnect();
        await eventually(() => expect(channel.status().state).not.toBe('connected'));
        await write('meanwhile');
        await platform.restore();
        await eventually(() => expect(channel.status()).toMatchObject({ state: 'connected' }));
        expect(channel.status().reconnects).toBeGreaterThanOrEqual(1);
        await eventually(async () => {
          await platform.redeliver?.();
          expect(texts()).toContain('meanwhile');
        });
        await write('after');
        await eventually(() => expect(texts()).toContain('after'));
      });

      test('is not made when the caller has given up', async () => {
        await expect(open().connect(receiver.receive, AbortSignal.abort())).rejects.toThrow();
      });

      test('ends with close: nothing comes, nothing goes', async () => {
        const channel = await connected();
        await channel.close();
        await channel.close();
        expect(channel.status().state).toBe('closed');
        await write('too late');
        await soon();
        expect(receiver.deliveries).toEqual([]);
        await expect(channel.send(draft('too late'), never)).rejects.toThrow();
      });

      test('can be closed before it was made', async () => {
        const channel = open();
        await channel.close();
        expect(channel.status().state).toBe('closed');
      });
    });

    describePictures(() => subject, connected);
    describeSplit(open, (markdown) => subject.fits(markdown));
  });
}
