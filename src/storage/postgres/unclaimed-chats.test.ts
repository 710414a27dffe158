// Which chats wait for a gateway, as every gateway on the database sees it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import type { Cluster } from '../cluster.ts';
import type { Lock } from '../locks.ts';
import type { InboxMessage, Mailbox } from '../mailbox.ts';
import type { Storage } from '../storage.ts';

const BOT = { channel: 'local', account: 'default' };

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let storage: Storage;
let cluster: Cluster;
let mailbox: Mailbox;
let mine: Lock;
beforeEach(async () => {
  subject = await postgresSubject();
  storage = subject.open();
  if (!storage.cluster) throw new Error('the storage is not shared');
  cluster = storage.cluster;
  mailbox = await storage.mailbox();
  mine = await storage.locks.acquire('gateway-1');
});
afterEach(async () => {
  await storage.close();
  await subject.remove();
});

const incoming = (id: string, chatId: string, person: string, isOwner = false): InboxMessage => ({
  chat: { ...BOT, chatId },
  id,
  order: Number(id.slice(1)),
  receivedAt: 1,
  body: '{}',
  from: { id: person, chatKind: 'direct', isOwner },
});
const names = async (bots = [BOT]): Promise<string[]> =>
  (await cluster.unclaimedChats(bots)).map(({ chat }) => chat.chatId);

it('a chat waits until a gateway claims it, and again when its claim is void', async () => {
  await mailbox.receive(undefined, incoming('m1', 'a', 'ann'));
  await mailbox.receive(undefined, incoming('m2', 'b', 'owner', true));
  await mailbox.receive(undefined, incoming('m3', 'a', 'ben'));
  const [first, second] = await cluster.unclaimedChats([BOT]);
  expect(first).toMatchObject({ person: 'ann', isOwner: false, isBegun: false, lastStart: 0, botPlaces: 0 });
  expect(second).toMatchObject({ chat: { chatId: 'b' }, person: 'owner', isOwner: true });
  await mailbox.claim(mine, { chat: { ...BOT, chatId: 'a' } });
  await mailbox.begin(mine, [incoming('m1', 'a', 'ann')], 'turn-1');
  // What arrives meanwhile waits for the end of the turn.
  await mailbox.receive(undefined, incoming('m4', 'a', 'ann'));
  expect(await cluster.unclaimedChats([BOT])).toMatchObject([{ chat: { chatId: 'b' }, botPlaces: 1 }]);
  await mine.release();
  expect(await cluster.unclaimedChats([BOT])).toMatchObject([
    { chat: { chatId: 'a' }, isBegun: true },
    { person: 'owner' },
  ]);
});

it('tells when a person’s last turn began, and how many run', async () => {
  await mailbox.receive(undefined, incoming('m1', 'a', 'ann'));
  await mailbox.receive(undefined, incoming('m2', 'b', 'ann'));
  await mailbox.claim(mine, { chat: { ...BOT, chatId: 'a' } });
  await cluster.countStart(BOT, 'ann');
  const [waiting] = await cluster.unclaimedChats([BOT]);
  expect(waiting).toMatchObject({ chat: { chatId: 'b' }, personPlaces: 1 });
  expect(waiting?.lastStart).toBeGreaterThan(waiting?.waitsSince ?? 0);
});

it('only chats of the named bots are seen', async () => {
  await mailbox.receive(undefined, {
    ...incoming('m0', 'x', 'eve'),
    chat: { channel: 'local', account: 'other', chatId: 'x' },
  });
  await mailbox.receive(undefined, incoming('m1', 'a', 'ann'));
  expect(await names()).toEqual(['a']);
  expect(await names([])).toEqual([]);
});

it('a message that was stored for nobody is signalled to every gateway', async () => {
  const other = subject.open();
  let calls = 0;
  other.cluster?.on('inbox', () => {
    calls += 1;
  });
  await eventually(() => expect(calls).toBeGreaterThan(0));
  const before = calls;
  await mailbox.receive(undefined, incoming('m1', 'a', 'ann'));
  await eventually(() => expect(calls).toBeGreaterThan(before));
  await other.close();
});
