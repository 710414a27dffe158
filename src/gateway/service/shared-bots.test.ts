// Which of several gateways runs a bot. Each gateway has a door of its own to one storage; what a bot does is recorded here.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createMemoryGateway, type MemoryGateway } from '../../../test/support/memory-gateway.ts';
import { testHome } from '../../../test/support/test-home.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import type { Fence, Lock } from '../../storage/locks.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import { createSharedBots, type SharedBotsDependencies } from './shared-bots.ts';

const FIRST = { channel: 'local', account: 'first' };
const SECOND = { channel: 'local', account: 'second' };
const never = new AbortController().signal;

let home: string;
let opened: { close(): Promise<unknown> }[];
beforeEach(() => {
  home = testHome().path;
  opened = [];
});
afterEach(async () => {
  for (const each of opened.reverse()) await each.close();
});

interface Node {
  gateway: ChannelGateway;
  /** The gateways of bots that this process opened, in order. */
  runs: { account: string; claimant: Fence; gateway: MemoryGateway; drained: AbortSignal[] }[];
  queued: string[];
  states(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

async function node(more: Partial<SharedBotsDependencies> = {}): Promise<Node> {
  const storage = createLocalStorage({ home, now: Date.now });
  const runs: Node['runs'] = [];
  const queued: string[] = [];
  const gateway = createSharedBots({
    bots: [FIRST, SECOND],
    locks: storage.locks,
    mailbox: await storage.mailbox(),
    async open(bot, claimant) {
      const drained: AbortSignal[] = [];
      const draining = async (signal: AbortSignal): Promise<void> => void drained.push(signal);
      const made = createMemoryGateway({ bots: [bot], now: Date.now, draining });
      runs.push({ account: bot.account, claimant, gateway: made, drained });
      return made;
    },
    async queue(_chat, markdown) {
      queued.push(markdown);
      return { keys: ['queued'] };
    },
    now: Date.now,
    log() {},
    limits: { retryMs: 10 },
    ...more,
  });
  const made: Node = {
    gateway,
    runs,
    queued,
    states: async () =>
      Object.fromEntries((await gateway.status()).channels.map(({ account, state }) => [account, state])),
    async close() {
      await gateway.drain(AbortSignal.abort());
      await storage.close();
    },
  };
  opened.push(made);
  return made;
}

it('a bot runs in one gateway, and the others stand by and are ready', async () => {
  const [one, two] = [await node(), await node()];
  await one.gateway.start(never);
  await two.gateway.start(never);
  expect(await one.states()).toEqual({ first: 'connected', second: 'connected' });
  expect(await two.states()).toEqual({ first: 'standby', second: 'standby' });
  expect(two.runs).toEqual([]);
});

it('of gateways that start at the same moment, each bot has one', async () => {
  const nodes = [await node(), await node(), await node()];
  await Promise.all(nodes.map(({ gateway }) => gateway.start(never)));
  const running = (await Promise.all(nodes.map(({ states }) => states()))).flatMap((states) =>
    Object.entries(states).filter(([, state]) => state === 'connected'),
  );
  expect(running.map(([account]) => account).toSorted()).toEqual(['first', 'second']);
});

it('a gateway that ends lets its turns end, then another takes its bots over under a later claim', async () => {
  const [one, two] = [await node(), await node()];
  await one.gateway.start(never);
  await two.gateway.start(never);
  const patience = AbortSignal.timeout(60_000);
  await one.gateway.drain(patience);
  expect(one.runs.map(({ drained }) => drained)).toEqual([[patience], [patience]]);
  await eventually(async () => expect(await two.states()).toEqual({ first: 'connected', second: 'connected' }));
  expect(await one.states()).toEqual({ first: 'closed', second: 'closed' });
  for (const { account, claimant } of one.runs) {
    const next = two.runs.find((run) => run.account === account)?.claimant;
    expect(next?.name).toBe(claimant.name);
    expect(next?.token).toBeGreaterThan(claimant.token);
  }
});

it('a gateway that is closed with its storage, as a kill does, is followed by another', async () => {
  const [one, two] = [await node(), await node()];
  await one.gateway.start(never);
  await two.gateway.start(never);
  await one.close();
  await eventually(async () => expect(await two.states()).toEqual({ first: 'connected', second: 'connected' }));
});

it('one channel can be stopped here, and runs elsewhere then', async () => {
  const [one, two] = [await node({ bots: [FIRST] }), await node({ bots: [FIRST] })];
  await one.gateway.start(never);
  await two.gateway.start(never);
  expect(await one.gateway.stopChannel('other', never)).toBe(false);
  expect(await one.gateway.stopChannel('local', never)).toBe(true);
  expect(await one.gateway.stopChannel('local', never)).toBe(false);
  await eventually(async () => expect(await two.states()).toEqual({ first: 'connected' }));
});

it('a lost lock ends the bot here at once, without patience for its turns; it runs again with the next acquisition', async () => {
  const losing = [new AbortController(), new AbortController()];
  let token = 0;
  const acquire = async (name: string): Promise<Lock> => {
    const lost = losing[token]?.signal ?? never;
    token += 1;
    return { name, token, lost, release: async () => {} };
  };
  const locks = { acquire, tryAcquire: acquire, holds: async () => true, isHeldSince: () => false };
  const one = await node({ bots: [FIRST], locks });
  await one.gateway.start(never);
  losing[0]?.abort();
  await eventually(() => expect(one.runs).toHaveLength(2));
  await eventually(async () => expect(await one.states()).toEqual({ first: 'connected' }));
  expect(one.runs.map(({ claimant, drained }) => [claimant.token, drained.map(({ aborted }) => aborted)])).toEqual([
    [1, [true]],
    [2, []],
  ]);
});

it('what is sent goes to the bot where it runs here, and is queued for the gateway that runs it otherwise', async () => {
  const [one, two] = [await node(), await node()];
  await one.gateway.start(never);
  await two.gateway.start(never);
  const chat = { ...FIRST, chatId: 'anna' };
  await one.gateway.send(chat, 'here');
  await two.gateway.send(chat, 'there');
  expect(one.runs.find(({ account }) => account === 'first')?.gateway.sent).toEqual([{ chat, markdown: 'here' }]);
  expect(two.queued).toEqual(['there']);
});

it('a bot that cannot be started ends the first start with its reason, and is left to others', async () => {
  const refused = (): Promise<never> => Promise.reject(new Error('the token is wrong'));
  const one = await node({ open: refused });
  await expect(one.gateway.start(never)).rejects.toThrow('the token is wrong');
  const two = await node();
  await two.gateway.start(never);
  expect(await two.states()).toEqual({ first: 'connected', second: 'connected' });
});

it('a bot that cannot be started later is tried again', async () => {
  let attempts = 0;
  const one = await node({ bots: [FIRST] });
  const two = await node({
    bots: [FIRST],
    async open(bot) {
      attempts += 1;
      if (attempts < 3) throw new Error('the platform refuses');
      return createMemoryGateway({ bots: [bot], now: Date.now });
    },
  });
  await one.gateway.start(never);
  await two.gateway.start(never);
  await one.gateway.drain(never);
  await eventually(async () => expect(await two.states()).toEqual({ first: 'connected' }));
  expect(attempts).toBe(3);
});
