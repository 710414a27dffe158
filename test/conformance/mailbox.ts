// What every implementation of the contract in mailbox.ts must do. Two doors to one store
// are like two processes.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lock, Locks } from '../../src/storage/locks.ts';
import type { InboxMessage, Mailbox, OutboxDraft } from '../../src/storage/mailbox.ts';
import type { ChatKey } from '../../src/vocabulary/chat-name.ts';

export interface MailboxSubject {
  /** Opens a door to the store; each is independent of the others. */
  open(): Promise<{ mailbox: Mailbox; locks: Locks; close(): Promise<void> }>;
  /** JavaScript that opens the same storage in another process: an expression, in which `await` is allowed. */
  openElsewhere: string;
  remove(): void | Promise<void>;
}

export function describeMailbox(name: string, create: () => MailboxSubject | Promise<MailboxSubject>): void {
  describe(`${name} as a mailbox`, () => {
    let subject: MailboxSubject;
    let mailbox: Mailbox;
    let other: Mailbox;
    let mine: Lock;
    let close: () => Promise<unknown>;
    beforeEach(async () => {
      subject = await create();
      const doors = [await subject.open(), await subject.open()] as const;
      [mailbox, other] = [doors[0].mailbox, doors[1].mailbox];
      mine = await doors[0].locks.acquire('gateway-1');
      close = () => Promise.all(doors.map((door) => door.close()));
    });
    afterEach(async () => {
      await close();
      await subject.remove();
    });

    const chat = (chatId: string, more: Partial<ChatKey> = {}): ChatKey => ({
      channel: 'local',
      account: 'default',
      chatId,
      ...more,
    });
    const incoming = (id: string, more: Partial<InboxMessage> = {}): InboxMessage => ({
      chat: chat('a'),
      id,
      order: 0,
      receivedAt: 1,
      body: `{"id":${JSON.stringify(id)}}`,
      ...more,
    });
    const draft = (key: string, chatId = 'a', more: Partial<OutboxDraft> = {}): OutboxDraft => ({
      key,
      chat: chat(chatId),
      body: `body of ${key}`,
      ...more,
    });
    const ids = async (of = other): Promise<string[]> => (await of.unfinished()).map(({ id }) => id);
    const due = async (now: number, limit = 100): Promise<string[]> =>
      (await other.due(now, limit)).map(({ key }) => key);

    it('keeps the topics of a chat apart from each other and from the chat', async () => {
      const places = [chat('a'), chat('a', { threadId: '1' }), chat('a', { threadId: '2' })];
      for (const [index, place] of places.entries()) {
        await mailbox.receive(mine, incoming(`m${index}`, { chat: place }));
        await mailbox.enqueue([{ ...draft(`k${index}`), chat: place }], 1);
        await mailbox.changeChoices(place, () => `{"n":${index}}`);
      }
      expect((await other.unfinished()).map((message) => message.chat)).toEqual(places);
      expect((await other.due(1, 10)).map((message) => message.chat)).toEqual(places);
      for (const [index, place] of places.entries()) {
        expect((await other.unfinished(place)).map(({ id }) => id)).toEqual([`m${index}`]);
        expect(await other.choices(place)).toBe(`{"n":${index}}`);
      }
    });

    it('forgets the texts of one chat: nothing of it is handled or sent, and its ids stay known', async () => {
      const topic = chat('a', { threadId: '1' });
      for (const place of [chat('a'), topic, chat('b')]) {
        const name = `${place.chatId}${place.threadId ?? ''}`;
        await mailbox.receive(mine, incoming(`in-${name}`, { chat: place }));
        await mailbox.enqueue(
          [
            { ...draft(`waits-${name}`), chat: place },
            { ...draft(`dead-${name}`), chat: place },
          ],
          1,
        );
        await mailbox.die(`dead-${name}`, 'refused', 2);
      }
      expect(await other.chats()).toHaveLength(3);
      await mailbox.forgetChat(chat('a'), 3);
      expect(await other.chats()).toEqual([topic, chat('b')]);
      expect(await ids()).toEqual(['in-a1', 'in-b']);
      expect(await due(9)).toEqual(['waits-a1', 'waits-b']);
      expect(await other.counts()).toEqual({ inbox: 2, outbox: 2, dead: 2 });
      expect(await mailbox.receive(mine, incoming('in-a'))).toBe('known');
      expect(await mailbox.revive('dead-a', 4)).toBe(0);
    });

    describe('the inbox', () => {
      it('is empty at first', async () => {
        expect(await mailbox.unfinished()).toEqual([]);
        expect(await mailbox.counts()).toEqual({ inbox: 0, outbox: 0, dead: 0 });
      });

      it('keeps a message as it is, for every door', async () => {
        const message = incoming('m1', { order: 1.5e15, body: '{"text":"héllo 你好 🌍\\n"}' });
        expect(await mailbox.receive(mine, message)).toBe('claimed');
        expect(await other.unfinished()).toEqual([message]);
      });

      it('takes an id once, also after it was handled, also through another door', async () => {
        expect(await mailbox.receive(mine, incoming('m1'))).toBe('claimed');
        expect(await other.receive(mine, incoming('m1', { body: 'another' }))).toBe('known');
        await mailbox.finish(mine, [incoming('m1')], [], 5);
        expect(await mailbox.receive(mine, incoming('m1'))).toBe('known');
        expect(await ids()).toEqual([]);
      });

      it('knows ids by channel and account', async () => {
        const bots = [{}, { channel: 'telegram' }, { account: 'work' }];
        for (const bot of bots)
          expect(await mailbox.receive(mine, incoming('m1', { chat: chat('a', bot) }))).toBe('claimed');
        await mailbox.finish(mine, [incoming('m1', { chat: chat('a', { account: 'work' }) })], [], 5);
        expect((await other.unfinished()).map((message) => message.chat.channel).sort()).toEqual(['local', 'telegram']);
      });

      it('takes many at once, and each of them once', async () => {
        const twice = Array.from({ length: 400 }, (_, index) => incoming(`m${index % 200}`, { order: index % 200 }));
        const answers = await Promise.all(
          twice.map((message, index) => (index % 3 ? mailbox : other).receive(mine, message)),
        );
        expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(200);
        expect(await ids()).toEqual(Array.from({ length: 200 }, (_, index) => `m${index}`));
      });

      it('is in order within each chat, whatever the order of arrival', async () => {
        const messages = fc.array(fc.record({ chatId: fc.constantFrom('a', 'b', 'c'), order: fc.nat(20) }), {
          maxLength: 30,
        });
        let number = 0;
        await fc.assert(
          fc.asyncProperty(messages, async (written) => {
            number += 1;
            const account = `account-${number}`;
            const all = written.map(({ chatId, order }, index) =>
              incoming(`m${index}`, { chat: chat(chatId, { account }), order }),
            );
            for (const message of all) await mailbox.receive(mine, message);
            for (const chatId of ['a', 'b', 'c']) {
              const found = await other.unfinished(chat(chatId, { account }));
              const own = all.filter((message) => message.chat.chatId === chatId);
              expect(found).toEqual(own.toSorted((x, y) => x.order - y.order));
            }
          }),
          { numRuns: 20 },
        );
      });

      it('says which turn had begun with a message', async () => {
        await mailbox.receive(mine, incoming('m1'));
        await mailbox.receive(mine, incoming('m2', { order: 1 }));
        await mailbox.receive(mine, incoming('m3', { order: 2 }));
        await mailbox.begin(mine, [incoming('m1'), incoming('m2')], 'turn-1');
        expect((await other.unfinished()).map(({ turnId }) => turnId)).toEqual(['turn-1', 'turn-1', undefined]);
      });
    });

    describe('the outbox', () => {
      it('has the replies of a turn exactly when its messages are handled', async () => {
        await mailbox.receive(mine, incoming('m1'));
        await mailbox.finish(mine, [incoming('m1')], [draft('k1'), draft('k2')], 10);
        expect(await ids()).toEqual([]);
        expect(await other.due(10, 10)).toEqual([{ ...draft('k1'), attempts: 0, dueAt: 10 }]);
        expect(await mailbox.counts()).toEqual({ inbox: 0, outbox: 2, dead: 0 });
      });

      it('changes nothing for a key that is known', async () => {
        await mailbox.enqueue([draft('k1')], 1);
        await other.enqueue([draft('k1', 'b'), draft('k1')], 2);
        expect(await mailbox.due(5, 10)).toMatchObject([draft('k1')]);
        await mailbox.sent('k1', 'platform-1', 6);
        await mailbox.enqueue([draft('k1')], 7);
        await mailbox.finish(mine, [], [draft('k1')], 7);
        expect(await due(10)).toEqual([]);
      });

      it('offers the first of each chat whose time has come, oldest first', async () => {
        await mailbox.enqueue([draft('a1'), draft('b1', 'b'), draft('a2'), draft('c1', 'c')], 10);
        expect(await due(10)).toEqual(['a1', 'b1', 'c1']);
        expect(await due(10, 2)).toEqual(['a1', 'b1']);
        await mailbox.sent('a1', 'x', 11);
        expect(await due(11)).toEqual(['b1', 'a2', 'c1']);
      });

      it('holds a chat back behind its first message, and no other chat', async () => {
        await mailbox.enqueue([draft('a1'), draft('a2'), draft('b1', 'b')], 10);
        await mailbox.retryAt('a1', 100, 'unreachable', 11);
        expect(await due(50)).toEqual(['b1']);
        expect(await other.nextDueAt()).toBe(10);
        await mailbox.sent('b1', 'x', 51);
        expect(await other.nextDueAt()).toBe(100);
        expect(await other.due(100, 10)).toMatchObject([{ key: 'a1', attempts: 1, lastError: 'unreachable' }]);
        await mailbox.sent('a1', 'x', 101);
        await mailbox.sent('a2', 'x', 102);
        expect(await other.nextDueAt()).toBeUndefined();
      });

      it('says whether a message waits for a chat, also one that is held back', async () => {
        expect(await other.hasWaiting(chat('a'))).toBe(false);
        await mailbox.enqueue([draft('a1'), draft('a2')], 10);
        await mailbox.retryAt('a1', 100, 'unreachable', 11);
        expect(await other.hasWaiting(chat('a'))).toBe(true);
        expect(await other.hasWaiting(chat('a', { threadId: 't' }))).toBe(false);
        expect(await other.hasWaiting(chat('a', { account: 'work' }))).toBe(false);
        await mailbox.sent('a1', 'x', 12);
        expect(await other.hasWaiting(chat('a'))).toBe(true);
        await mailbox.die('a2', 'gone', 13);
        expect(await other.hasWaiting(chat('a'))).toBe(false);
      });

      it('holds a bot back, and no other bot', async () => {
        await mailbox.enqueue([draft('a1'), draft('b1', 'b')], 10);
        await mailbox.enqueue([draft('c1', 'a', { chat: chat('a', { account: 'work' }) })], 10);
        await mailbox.holdBack({ channel: 'local', account: 'default' }, 100, 11);
        await mailbox.holdBack({ channel: 'local', account: 'default' }, 50, 12);
        expect(await due(99)).toEqual(['c1']);
        const work = { channel: 'local', account: 'work' };
        expect(await other.due(100, 9, work)).toMatchObject([{ key: 'c1' }]);
        expect(await other.nextDueAt(work)).toBe(10);
        expect(await other.nextDueAt({ channel: 'local', account: 'default' })).toBe(100);
        expect(await other.nextDueAt({ channel: 'feishu', account: 'default' })).toBeUndefined();
        expect(await due(100)).toEqual(['a1', 'b1', 'c1']);
      });

      it('a wait does not outlast a clock that was set back', async () => {
        await mailbox.enqueue([draft('a1'), draft('a2'), draft('b1', 'b')], 1_000);
        await mailbox.retryAt('b1', 1_300, 'unreachable', 1_000);
        expect(await due(1_100)).toEqual(['a1']);
        expect(await due(500)).toEqual(['a1', 'b1']);
        // A wait that begins afterwards holds, also for what had a longer one before.
        await mailbox.retryAt('a1', 600, 'limited', 500);
        await mailbox.holdBack({ channel: 'local', account: 'default' }, 600, 500);
        expect(await due(599)).toEqual([]);
        expect(await due(600)).toEqual(['a1', 'b1']);
      });

      it('what ended before the clock was set back is forgotten in its time all the same', async () => {
        await mailbox.receive(mine, incoming('m1'));
        await mailbox.finish(mine, [incoming('m1')], [draft('k1'), draft('k2', 'b')], 1_000_000);
        await mailbox.sent('k1', 'x', 1_000_000);
        await mailbox.die('k2', 'gone', 1_000_000);
        const ages = { handledMs: 10, deadMs: 20 };
        await mailbox.prune(ages, 100, 50);
        expect(await mailbox.receive(mine, incoming('m1'))).toBe('known');
        expect((await other.counts()).dead).toBe(1);
        await mailbox.prune(ages, 100, 71);
        expect(await mailbox.receive(mine, incoming('m1'))).toBe('claimed');
        expect((await other.counts()).dead).toBe(0);
      });

      it('gives a message up without holding up the next, keeps it, and sends it again behind what waits', async () => {
        await mailbox.enqueue([draft('a1'), draft('a2'), draft('b1', 'b')], 10);
        await mailbox.die('a1', 'the chat is gone', 20);
        await mailbox.die('b1', 'the chat is gone', 21);
        expect(await due(20)).toEqual(['a2']);
        expect(await other.deadLetters(10)).toMatchObject([
          { key: 'b1', diedAt: 21 },
          { key: 'a1', diedAt: 20, lastError: 'the chat is gone', body: 'body of a1' },
        ]);
        expect(await other.counts()).toEqual({ inbox: 0, outbox: 1, dead: 2 });
        expect(await mailbox.revive('a1', 30)).toBe(1);
        expect(await mailbox.revive('a1', 30)).toBe(0);
        expect(await mailbox.revive('nothing', 30)).toBe(0);
        expect(await due(30)).toEqual(['a2']);
        await mailbox.sent('a2', 'x', 31);
        expect(await due(31)).toEqual(['a1']);
        expect(await mailbox.revive(undefined, 40)).toBe(1);
        expect(await due(40)).toEqual(['a1', 'b1']);
        expect(await other.deadLetters(10)).toEqual([]);
      });

      it('does not bring back what was sent', async () => {
        await mailbox.enqueue([draft('a1')], 10);
        await mailbox.sent('a1', 'x', 11);
        await mailbox.retryAt('a1', 12, 'late', 12);
        await mailbox.die('a1', 'late', 12);
        expect(await due(100)).toEqual([]);
        expect(await other.deadLetters(10)).toEqual([]);
      });

      it('forgets what ended long ago, and only that', async () => {
        for (const id of ['m1', 'm2', 'm3']) await mailbox.receive(mine, incoming(id));
        await mailbox.finish(mine, [incoming('m1')], [draft('k1'), draft('k2'), draft('k3')], 10);
        await mailbox.finish(mine, [incoming('m2')], [], 20);
        await mailbox.sent('k1', 'x', 10);
        await mailbox.die('k2', 'gone', 10);
        expect(await mailbox.prune({ handledMs: 10, deadMs: 20 }, 100, 25)).toBe(1);
        expect(await ids()).toEqual(['m3']);
        expect(await mailbox.receive(mine, incoming('m1'))).toBe('claimed');
        expect(await mailbox.receive(mine, incoming('m2'))).toBe('known');
        expect(await due(100)).toEqual(['k3']);
        expect(await other.deadLetters(10)).toMatchObject([{ key: 'k2' }]);
        await mailbox.prune({ handledMs: 10, deadMs: 14 }, 100, 25);
        expect(await other.deadLetters(10)).toEqual([]);
        expect(await other.counts()).toEqual({ inbox: 2, outbox: 1, dead: 0 });
        expect(await mailbox.revive('k2', 30)).toBe(0);
      });

      it('forgets a few at a time', async () => {
        const keys = ['k1', 'k2', 'k3', 'k4', 'k5'];
        await mailbox.enqueue(
          keys.map((key) => draft(key, key)),
          1,
        );
        for (const key of keys) await mailbox.die(key, 'gone', 10);
        const forgotten = [];
        for (let times = 0; times < 4; times += 1)
          forgotten.push(await mailbox.prune({ handledMs: 0, deadMs: 0 }, 2, 20));
        expect(forgotten).toEqual([2, 2, 1, 0]);
      });
    });

    it('knows who was admitted to a chat, also after their messages are forgotten', async () => {
      const anna = { id: 'anna', chatKind: 'direct' } as const;
      await mailbox.receive(mine, { ...incoming('m1'), from: { ...anna, chatKind: 'group' } });
      await mailbox.receive(mine, { ...incoming('m2'), from: anna });
      await mailbox.receive(mine, { ...incoming('m3'), from: { id: 'bob', chatKind: 'direct' } });
      await mailbox.receive(mine, incoming('m4'));
      const own = incoming('m1').chat;
      await mailbox.finish(mine, [incoming('m1'), incoming('m2'), incoming('m3')], [], 1);
      await mailbox.prune({ handledMs: 0, deadMs: 0 }, 100, 100);
      expect((await other.people(own)).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        anna,
        { id: 'bob', chatKind: 'direct' },
      ]);
      expect(await other.people({ ...own, account: 'else' })).toEqual([]);
    });

    it('remembers what was chosen for a chat', async () => {
      expect(await mailbox.choices(chat('a'))).toBeUndefined();
      await mailbox.changeChoices(chat('a'), () => '{"model":"x"}');
      await other.changeChoices(chat('a'), () => '{"model":"y"}');
      await mailbox.changeChoices(chat('a', { account: 'work' }), () => '{}');
      expect(await mailbox.choices(chat('a'))).toBe('{"model":"y"}');
      expect(await mailbox.choices(chat('b'))).toBeUndefined();
      const all = await mailbox.allChoices();
      expect(all.toSorted((a, b) => (a.choices < b.choices ? -1 : 1))).toEqual([
        { chat: chat('a'), choices: '{"model":"y"}' },
        { chat: chat('a', { account: 'work' }), choices: '{}' },
      ]);
    });

    it('loses no choice that is made at the same time as another, also by another process', async () => {
      const doors = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? mailbox : other));
      const add = (n: number) => (current: string | undefined) => JSON.stringify([...JSON.parse(current ?? '[]'), n]);
      await Promise.all(doors.map((door, index) => door.changeChoices(chat('a'), add(index))));
      const kept = JSON.parse((await mailbox.choices(chat('a'))) ?? '[]') as number[];
      expect(kept.toSorted((a, b) => a - b)).toEqual(doors.map((_, index) => index));
    });
  });
}
