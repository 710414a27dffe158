// Who handles which message, where several gateways share a mailbox: what every mailbox must do. Two doors to one store stand
// for two processes; where a process must die, there is a real one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lock, Locks } from '../../src/storage/locks.ts';
import type { InboxMessage, Mailbox, OutboxDraft, UnfinishedMessage } from '../../src/storage/mailbox.ts';
import type { ChatKey } from '../../src/vocabulary/chat-name.ts';
import { eventually } from '../support/eventually.ts';
import type { MailboxSubject } from './mailbox.ts';

const BOT = { channel: 'local', account: 'default' };
const BOTS = { bots: [BOT] };
const chat = (chatId: string): ChatKey => ({ ...BOT, chatId });
const incoming = (id: string, chatId = 'a', order = 0): InboxMessage => ({
  chat: chat(chatId),
  id,
  order,
  receivedAt: 1,
  body: '{}',
});
const draft = (key: string): OutboxDraft => ({ key, chat: chat('a'), body: '{}' });
const idsOf = (messages: readonly UnfinishedMessage[]): string[] => messages.map(({ id }) => id);

export function describeMailboxClaims(name: string, create: () => MailboxSubject | Promise<MailboxSubject>): void {
  describe(`claims in the mailbox of ${name}`, () => {
    let subject: MailboxSubject;
    let doors: { mailbox: Mailbox; locks: Locks; close(): Promise<void> }[];
    let mailbox: Mailbox;
    let other: Mailbox;
    let mine: Lock;
    let theirs: Lock;
    beforeEach(async () => {
      subject = await create();
      const [first, second] = [await subject.open(), await subject.open()];
      doors = [first, second];
      mailbox = first.mailbox;
      other = second.mailbox;
      mine = await first.locks.acquire('gateway-1');
      theirs = await second.locks.acquire('gateway-2');
    });
    afterEach(async () => {
      await Promise.all(doors.map((door) => door.close()));
      await subject.remove();
    });

    it('what is received is claimed by the one who receives it', async () => {
      expect(await mailbox.receive(mine, incoming('m1'))).toBe('claimed');
      expect(await mailbox.receive(mine, incoming('m2'))).toBe('claimed');
      expect(await mailbox.claim(mine, BOTS)).toEqual([]);
      expect(await mailbox.begin(mine, [incoming('m1'), incoming('m2')], 'turn-1')).toBe(true);
      expect(await mailbox.finish(mine, [incoming('m1'), incoming('m2')], [draft('k')], 1)).toBe(true);
      expect(await other.counts()).toEqual({ inbox: 0, outbox: 1, dead: 0 });
    });

    it('a chat has one claimant: what another receives there waits for the first', async () => {
      await mailbox.receive(mine, incoming('m1'));
      expect(await other.receive(theirs, incoming('m2', 'a', 1))).toBe('queued');
      expect(await other.receive(theirs, incoming('m3', 'b'))).toBe('claimed');
      expect(await other.claim(theirs, BOTS)).toEqual([]);
      expect(idsOf(await mailbox.claim(mine, BOTS))).toEqual(['m2']);
      expect(await mailbox.claim(mine, BOTS)).toEqual([]);
    });

    it('what somebody else has claimed can be neither begun nor finished, in part or as a whole', async () => {
      await mailbox.receive(mine, incoming('m1'));
      await other.receive(theirs, incoming('m2', 'b'));
      const both = [incoming('m2', 'b'), incoming('m1')];
      expect(await other.begin(theirs, both, 'turn-1')).toBe(false);
      expect(await other.finish(theirs, both, [draft('k')], 1)).toBe(false);
      expect(await mailbox.unfinished()).toEqual([incoming('m1'), incoming('m2', 'b')]);
      expect((await mailbox.counts()).outbox).toBe(0);
    });

    it('tells what of a chat nobody has claimed, in order', async () => {
      await mailbox.receive(mine, incoming('m1', 'a', 1));
      expect(await mailbox.unclaimed(chat('a'))).toEqual([]);
      // With a claim on the chat, what others receive there is claimed by nobody.
      await other.receive(theirs, incoming('m3', 'a', 3));
      await other.receive(theirs, incoming('m2', 'a', 2));
      await other.receive(theirs, incoming('m4', 'b'));
      expect(await other.unclaimed(chat('a'))).toEqual([incoming('m2', 'a', 2), incoming('m3', 'a', 3)]);
      await mailbox.finish(mine, [incoming('m1'), incoming('m2')], [], 1);
      expect(idsOf(await mailbox.unclaimed(chat('a')))).toEqual(['m3']);
      await other.release(theirs, [incoming('m4', 'b')]);
      expect(idsOf(await mailbox.unclaimed(chat('b')))).toEqual(['m4']);
    });

    it('what is finished cannot be begun again', async () => {
      await mailbox.receive(mine, incoming('m1'));
      await mailbox.receive(mine, incoming('m2', 'a', 1));
      await mailbox.finish(mine, [incoming('m1')], [], 1);
      expect(await mailbox.begin(mine, [incoming('m1')], 'turn-1')).toBe(false);
      expect(await mailbox.begin(mine, [incoming('m2'), incoming('m1')], 'turn-2')).toBe(false);
      expect(await mailbox.unfinished()).toEqual([incoming('m2', 'a', 1)]);
    });

    it('what nobody has claimed cannot be begun, but finished: it may be refused at once', async () => {
      await mailbox.receive(mine, incoming('m1'));
      await other.receive(theirs, incoming('m2', 'a', 1));
      expect(await other.begin(theirs, [incoming('m2')], 'turn-1')).toBe(false);
      expect(await other.finish(theirs, [incoming('m2')], [draft('k')], 1)).toBe(true);
      expect(idsOf(await mailbox.unfinished())).toEqual(['m1']);
    });

    it('a claimant that is gone leaves its messages, in order and with the turns that had begun', async () => {
      await mailbox.receive(mine, incoming('m2', 'a', 2));
      await mailbox.receive(mine, incoming('m1', 'a', 1));
      await mailbox.begin(mine, [incoming('m1')], 'turn-1');
      expect(await other.claim(theirs, { chat: chat('a') })).toEqual([]);
      await mine.release();
      expect(await other.claim(theirs, { chat: chat('b') })).toEqual([]);
      const taken = await other.claim(theirs, { chat: chat('a') });
      expect(taken).toEqual([{ ...incoming('m1', 'a', 1), turnId: 'turn-1' }, incoming('m2', 'a', 2)]);
      // The first one was only slow.
      expect(await mailbox.begin(mine, [incoming('m2')], 'turn-2')).toBe(false);
      expect(await mailbox.finish(mine, [incoming('m1')], [draft('late')], 1)).toBe(false);
      expect(await other.finish(theirs, [incoming('m1')], [draft('k')], 1)).toBe(true);
      expect(await mailbox.finish(mine, [incoming('m1')], [draft('late')], 1)).toBe(false);
      expect((await other.due(1, 9)).map(({ key }) => key)).toEqual(['k']);
    });

    it('the next holder of the same lock takes over what the one before it left', async () => {
      await mailbox.receive(mine, incoming('m1'));
      await mine.release();
      const next = await doors[1]?.locks.acquire('gateway-1');
      if (!next) return expect.unreachable();
      expect(await other.receive(next, incoming('m2', 'a', 1))).toBe('queued');
      expect(idsOf(await other.claim(next, BOTS))).toEqual(['m1', 'm2']);
      expect(await mailbox.finish(mine, [incoming('m1')], [], 1)).toBe(false);
    });

    it('a message that is received for nobody waits until a gateway claims its chat', async () => {
      expect(await mailbox.receive(undefined, incoming('m1'))).toBe('queued');
      expect(await other.receive(undefined, incoming('m1'))).toBe('known');
      expect(await mailbox.begin(mine, [incoming('m1')], 'turn-1')).toBe(false);
      expect(idsOf(await other.claim(theirs, { chat: chat('a') }))).toEqual(['m1']);
      expect(await mailbox.claim(mine, { chat: chat('a') })).toEqual([]);
    });

    it('what is released can be claimed by another; what has begun stays', async () => {
      for (const id of ['m1', 'm2', 'm3']) await mailbox.receive(mine, incoming(id, 'a', Number(id[1])));
      await mailbox.begin(mine, [incoming('m1')], 'turn-1');
      await mailbox.release(mine, [incoming('m1'), incoming('m2')]);
      await mailbox.release(theirs, [incoming('m3')]);
      expect(await other.claim(theirs, { chat: chat('a') })).toEqual([]);
      await mailbox.finish(mine, [incoming('m1'), incoming('m3')], [], 1);
      expect(idsOf(await other.claim(theirs, { chat: chat('a') }))).toEqual(['m2']);
    });

    it('a message that is handled apart is its receiver’s, whichever gateway has the chat', async () => {
      await mailbox.receive(mine, incoming('m1'));
      expect(await other.receive(theirs, { ...incoming('stop', 'a', 1), isApart: true })).toBe('claimed');
      expect(await other.finish(theirs, [incoming('stop')], [], 1)).toBe(true);
      expect(await mailbox.begin(mine, [incoming('m1')], 'turn-1')).toBe(true);
    });

    it('tells the platform’s id of what was sent', async () => {
      await mailbox.enqueue([draft('k')], 1);
      expect(await other.sentMessage('k')).toBeUndefined();
      await mailbox.sent('k', 'platform-7', 2);
      expect(await other.sentMessage('k')).toBe('platform-7');
    });

    it('claims reach the named bots alone', async () => {
      await mailbox.receive(mine, incoming('m1'));
      await mine.release();
      expect(await other.claim(theirs, { bots: [{ channel: 'local', account: 'work' }] })).toEqual([]);
      expect(await other.claim(theirs, { bots: [] })).toEqual([]);
      expect(idsOf(await other.claim(theirs, { bots: [{ channel: 'x', account: 'y' }, BOT] }))).toEqual(['m1']);
    });

    it('of several that claim at the same moment, one gets the chat', async () => {
      for (let index = 0; index < 6; index += 1)
        await mailbox.receive(mine, incoming(`m${index}`, `chat-${index % 3}`));
      await mine.release();
      const third = await doors[0]?.locks.acquire('gateway-3');
      if (!third) return expect.unreachable();
      const claimed = await Promise.all([other.claim(theirs, BOTS), mailbox.claim(third, BOTS)]);
      expect(claimed.flatMap(idsOf).toSorted()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
      const chats = claimed.map((messages) => new Set(messages.map((message) => message.chat.chatId)));
      expect(chats[0]?.intersection(chats[1] ?? new Set()).size).toBe(0);
    });

    it('a process that dies loses its claims, not its messages', async () => {
      const script = `
        const storage = ${subject.openElsewhere};
        const mailbox = await storage.mailbox();
        const lock = await storage.locks.acquire('gateway-9');
        await mailbox.receive(lock, ${JSON.stringify(incoming('m1'))});
        await mailbox.begin(lock, [${JSON.stringify(incoming('m1'))}], 'turn-9');
        process.stdout.write('held');
        setInterval(() => lock.token, 1000);`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      expect(await mailbox.receive(mine, incoming('m2', 'a', 1))).toBe('queued');
      expect(await mailbox.claim(mine, BOTS)).toEqual([]);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // Where locks are leases, a death is noticed when the lease ends.
      const taken = await eventually(async () => {
        const claimed = await mailbox.claim(mine, BOTS);
        expect(claimed).not.toEqual([]);
        return claimed;
      });
      expect(taken).toEqual([{ ...incoming('m1'), turnId: 'turn-9' }, incoming('m2', 'a', 1)]);
    });

    it('whatever gateways do and die of, each message is handled by one of them, in the order of its chat', async () => {
      const action = fc.oneof(
        { weight: 5, arbitrary: fc.record({ kind: fc.constant('receive' as const), by: fc.nat(2), chat: fc.nat(2) }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('claim' as const), by: fc.nat(2), chat: fc.nat(2) }) },
        { weight: 4, arbitrary: fc.record({ kind: fc.constant('finish' as const), by: fc.nat(2), chat: fc.nat(2) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('die' as const), by: fc.nat(2), chat: fc.nat(2) }) },
      );
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
          run += 1;
          const world = await createWorld(`account-${run}`);
          for (const each of actions) await world.act(each);
          await world.end();
        }),
        { numRuns: 25 },
      );

      /** Three gateways, and what each of them believes to have. */
      async function createWorld(account: string) {
        const acquire = async (by: number): Promise<Lock> => {
          const lock = await doors[by % 2]?.locks.acquire(`${account}-gateway-${by}`);
          if (!lock) throw new Error('there is no door');
          return lock;
        };
        const at = (by: number): Mailbox => doors[by % 2]?.mailbox ?? mailbox;
        const locks = [await acquire(0), await acquire(1), await acquire(2)];
        const hands = new Map<string, { by: number; order: number; chatId: string }>();
        const handled: { order: number; chatId: string }[] = [];
        let received = 0;
        const take = (by: number, id: string, chatId: string, order: number): void => {
          expect(hands.has(id)).toBe(false);
          for (const has of hands.values()) if (has.chatId === chatId) expect(has.by).toBe(by);
          hands.set(id, { by, order, chatId });
        };
        async function act({ kind, by, chat: number }: { kind: string; by: number; chat: number }): Promise<void> {
          const chatId = `chat-${number}`;
          const key = { ...BOT, account, chatId };
          const lock = locks[by] as Lock;
          if (kind === 'receive') {
            received += 1;
            const message = { ...incoming(`m${received}`, chatId, received), chat: key };
            if ((await at(by).receive(lock, message)) === 'claimed') take(by, message.id, chatId, received);
          } else if (kind === 'claim') {
            for (const { id, order } of await at(by).claim(lock, { chat: key })) take(by, id, chatId, order);
          } else if (kind === 'finish') {
            const own = [...hands].filter(([, has]) => has.by === by && has.chatId === chatId);
            const [id, has] = own.toSorted((a, b) => a[1].order - b[1].order)[0] ?? [];
            if (!id || !has) return;
            for (const else_ of locks.filter((_, index) => index !== by))
              expect(await at(by).finish(else_, [{ chat: key, id }], [], 1)).toBe(false);
            expect(await at(by).finish(lock, [{ chat: key, id }], [], 1)).toBe(true);
            hands.delete(id);
            handled.push(has);
          } else {
            await lock.release();
            locks[by] = await acquire(by);
            for (const [id, has] of hands) if (has.by === by) hands.delete(id);
          }
        }
        async function end(): Promise<void> {
          for (const lock of locks) await lock.release();
          const last = await acquire(0);
          for (const { id, order, chat: key } of await at(0).claim(last, { bots: [{ channel: 'local', account }] })) {
            expect(await at(0).finish(last, [{ chat: key, id }], [], 1)).toBe(true);
            handled.push({ order, chatId: key.chatId });
          }
          await last.release();
          expect(handled).toHaveLength(received);
          for (const orders of Map.groupBy(handled, ({ chatId }) => chatId).values())
            expect(orders).toEqual(orders.toSorted((a, b) => a.order - b.order));
        }
        return { act, end };
      }
    });
  });
}
