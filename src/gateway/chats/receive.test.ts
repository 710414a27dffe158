// What arrives at one of several gateways on a database, while the database fails now and then: no chat stays closed to the other gateways.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createMemoryPlatform } from '../../../test/support/memory-channel.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import type { Channel, IncomingMessage } from '../../channels/channel.ts';
import { newId } from '../../lib/new-id.ts';
import type { Cluster } from '../../storage/cluster.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import { type Storage, StorageError } from '../../storage/storage.ts';
import { DEFAULT_LIMITS } from './chat.ts';
import { createSharedInbox } from './inbox.ts';
import { createReception, type ReceiveDependencies, type Reception } from './receive.ts';

const BOT = { channel: 'local', account: 'default' };
const CHAT = { ...BOT, chatId: 'anna' };

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let storage: Storage;
let cluster: Cluster;
let mailbox: Mailbox;
let channel: Channel;
let ending: AbortController;
/** How often the database still fails to finish a message. */
let failures: number;
beforeEach(async () => {
  subject = await postgresSubject();
  storage = subject.open();
  if (!storage.cluster) throw new Error('the storage is not shared');
  cluster = storage.cluster;
  mailbox = await storage.mailbox();
  channel = createMemoryPlatform().open();
  ending = new AbortController();
  failures = 2;
});
afterEach(async () => {
  ending.abort();
  await storage.close();
  await subject.remove();
});

async function reception(more: Partial<ReceiveDependencies> = {}): Promise<Reception> {
  const claim = await storage.locks.acquire('gateway:one');
  const failing: Mailbox = {
    ...mailbox,
    async finish(...asked) {
      failures -= 1;
      if (failures >= 0) throw new StorageError('STORAGE_UNREACHABLE', 'the database is away');
      return mailbox.finish(...asked);
    },
  };
  return createReception({
    inbox: createSharedInbox(failing, () => claim),
    admit: async () => ({ allowed: true, isOwner: true }),
    settings: async () => {
      throw new Error('nobody asks for settings');
    },
    waiting: { add: async () => {}, countIn: async () => 0 },
    delivery: { wake() {} },
    limits: DEFAULT_LIMITS,
    formAnswer: () => undefined,
    runCommand: async () => 'done',
    ending: ending.signal,
    newId,
    now: Date.now,
    log() {},
    ...more,
  });
}

const message = (id: string, text: string): IncomingMessage => ({
  id,
  order: Number(id),
  chatId: CHAT.chatId,
  chatKind: 'direct',
  sender: { id: 'anna' },
  text,
  files: [],
  isAddressed: true,
  sentAt: 0,
});

/** Another gateway sees the chat, with the message that waits in it. */
async function isOpenToOthers(receive: (message: IncomingMessage) => Promise<void>): Promise<void> {
  await receive(message('2', 'next'));
  await eventually(async () => expect(await cluster.unclaimedChats([BOT])).toMatchObject([{ chat: CHAT }]));
  expect((await mailbox.unfinished(CHAT)).map(({ id }) => id)).toEqual(['2']);
  expect(failures).toBeLessThan(0);
}

it('a command whose end could not be stored is finished later', async () => {
  const receive = (await reception()).receiveFrom(channel);
  await receive(message('1', '/stop'));
  await isOpenToOthers(receive);
  expect(await mailbox.due(Date.now(), 9)).toMatchObject([{ chat: CHAT }]);
});

it('so is a message that is turned away', async () => {
  let isFull = true;
  const countIn = async (): Promise<number> => (isFull ? DEFAULT_LIMITS.waitingMessages : 0);
  const receive = (await reception({ waiting: { add: async () => {}, countIn } })).receiveFrom(channel);
  await receive(message('1', 'one too many'));
  isFull = false;
  await isOpenToOthers(receive);
});

it('so is one that answered a form, which gets it once', async () => {
  let answers = 0;
  const formAnswer: ReceiveDependencies['formAnswer'] = ({ message: { id } }) =>
    id === '1'
      ? () => {
          answers += 1;
        }
      : undefined;
  const receive = (await reception({ formAnswer })).receiveFrom(channel);
  await receive(message('1', 'Bern'));
  await isOpenToOthers(receive);
  expect(answers).toBe(1);
});

it('a message for a form that cannot be reached waits like any other', async () => {
  const formAnswer = () => () => Promise.reject(new Error('another gateway could not be asked'));
  const receive = (await reception({ formAnswer })).receiveFrom(channel);
  await receive(message('1', 'Bern'));
  expect(await cluster.unclaimedChats([BOT])).toMatchObject([{ chat: CHAT }]);
  expect((await mailbox.unfinished(CHAT)).map(({ id }) => id)).toEqual(['1']);
});

const stored = async (): Promise<string[]> => (await mailbox.unfinished()).map(({ id }) => id);

it('a message that takes long to be stored is not overtaken by a later one of its chat, and holds up no other chat', async () => {
  const gate = Promise.withResolvers<void>();
  const admit: ReceiveDependencies['admit'] = async ({ id }) => {
    if (id === '1') await gate.promise;
    return { allowed: true, isOwner: true };
  };
  const storing: string[] = [];
  const add: ReceiveDependencies['waiting']['add'] = async ({ message: { id } }) => void storing.push(id);
  const receive = (await reception({ admit, waiting: { add, countIn: async () => 0 } })).receiveFrom(channel);
  const both = [receive(message('1', 'first')), receive(message('2', 'second'))];
  await receive({ ...message('3', 'elsewhere'), chatId: 'boris' });
  // What cannot wait does not.
  await receive(message('4', '/stop'));
  expect(await stored()).not.toContain('2');
  gate.resolve();
  await Promise.all(both);
  expect(storing).toEqual(['3', '1', '2']);
});

it('one that could not be stored holds up the next only until that is known', async () => {
  const admit: ReceiveDependencies['admit'] = async ({ id }) => {
    if (id === '1') throw new StorageError('STORAGE_UNREACHABLE', 'the database is away');
    return { allowed: true, isOwner: true };
  };
  const receive = (await reception({ admit })).receiveFrom(channel);
  const first = expect(receive(message('1', 'first'))).rejects.toThrow('the database is away');
  await receive(message('2', 'second'));
  await first;
  expect(await stored()).toEqual(['2']);
});
