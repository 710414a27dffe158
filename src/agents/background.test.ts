import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import type { AgentRuns } from '../storage/agent-runs.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Locks } from '../storage/locks.ts';
import type { Storage } from '../storage/storage.ts';
import type { DeliveryOutcome, OutboundMessage } from '../vocabulary/delivery.ts';
import { type BackgroundDependencies, createBackground } from './background.ts';

const OWN = { kind: 'chat', chat: 'local:me' } as const;
let home: string;
let storage: Storage;
let runs: AgentRuns;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-background-'));
  storage = createLocalStorage({ home, now: Date.now });
  runs = await storage.agentRuns();
  await runs.add(
    { id: 'run-1', name: 'helper', message: 'look', injectInto: 'local:me', request: '{}', asker: OWN },
    1,
  );
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true, force: true });
});

function background(more: Partial<BackgroundDependencies>) {
  return createBackground({
    runs,
    locks: storage.locks,
    ask: async () => ({ ok: true, text: 'found it', sessionId: 's' }),
    deliver: async () => 'sent',
    limit: 2,
    now: Date.now,
    log: () => {},
    ...more,
  });
}

function collectMessages() {
  const messages: OutboundMessage[] = [];
  const deliver = async (message: OutboundMessage): Promise<DeliveryOutcome> => {
    messages.push(message);
    return 'sent';
  };
  return { messages, deliver };
}

const endless = (): AbortSignal => new AbortController().signal;

it.each([
  ['before the result is stored for the chat', false, 'was interrupted'],
  ['after it', true, 'found it'],
])('a process that dies %s leaves the chat with one message, not with none', async (_, isStored, told) => {
  const sent = new Map<string, string>();
  const deliver = async ({ text, key }: OutboundMessage): Promise<DeliveryOutcome> => {
    if (!sent.has(key)) sent.set(key, text);
    return 'sent';
  };
  let isDead = false;
  const buried = new AbortController();
  const mortal: AgentRuns = {
    ...runs,
    end: (...ending) => (isDead ? Promise.reject(new Error('dead')) : runs.end(...ending)),
  };
  const dying = background({
    runs: mortal,
    async deliver(message) {
      if (isStored && !isDead) await deliver(message);
      isDead = true;
      // Time for what it would still do.
      setTimeout(() => buried.abort(), 500);
      throw new Error('dead');
    },
  });
  // Nobody hears what a dead process would have said.
  await dying.work(buried.signal).catch(() => {});
  await background({ deliver }).work(endless());
  expect([...sent.values()]).toEqual([expect.stringContaining(told)]);
  expect((await runs.get('run-1'))?.state).not.toBe('running');
});

it('a process that reaches no chat leaves what is answered into one, and ends', async () => {
  await runs.add({ id: 'run-2', name: 'helper', message: 'look', request: '{}', asker: { kind: 'nobody' } }, 2);
  await background({ deliver: undefined }).work(endless());
  expect([(await runs.get('run-1'))?.state, (await runs.get('run-2'))?.state]).toEqual(['queued', 'done']);
  const { messages, deliver } = collectMessages();
  await background({ deliver }).work(endless());
  expect(messages).toEqual([{ key: 'agent-run-1', chat: 'local:me', text: '**helper**\n\nfound it', asker: OWN }]);
});

it('what such a process finds cut short takes no place of others, and its chat gets a message once a process reaches it', async () => {
  // As a process leaves it that was killed: running, and nobody holds its lock.
  await runs.claim(1, 1, 'all');
  await runs.add({ id: 'run-2', name: 'helper', message: 'look', request: '{}', asker: { kind: 'nobody' } }, 2);
  await background({ deliver: undefined, limit: 1 }).work(endless());
  expect(await runs.get('run-1')).toMatchObject({ state: 'interrupted', isUndelivered: true });
  expect((await runs.get('run-2'))?.state).toBe('done');
  const { messages, deliver } = collectMessages();
  await background({ deliver }).work(endless());
  await background({ deliver }).work(endless());
  expect(messages).toMatchObject([{ key: 'agent-run-1', chat: 'local:me', asker: OWN }]);
  expect(messages[0]?.text).toContain('was interrupted');
});

it('the news of an interruption is short, however long the question was', async () => {
  await runs.add(
    { id: 'run-2', name: 'helper', message: 'x'.repeat(50_000), injectInto: 'local:me', request: '{}', asker: OWN },
    2,
  );
  await runs.claim(2, 1, 'all');
  await runs.claim(2, 1, 'all');
  const { messages, deliver } = collectMessages();
  await background({ deliver }).work(endless());
  expect(messages.map(({ key }) => key)).toEqual(expect.arrayContaining(['agent-run-1', 'agent-run-2']));
  for (const { text } of messages) expect(text.length).toBeLessThan(1_000);
});

it.each<[string, () => Promise<DeliveryOutcome>]>([
  ['fails', () => Promise.reject(new Error('the disk is full'))],
  ['is not possible now', async () => 'later'],
])(
  'a result whose delivery %s is kept and delivered later; one that is refused is not tried again',
  async (_, fail) => {
    await background({ deliver: fail }).work(endless());
    expect(await runs.get('run-1')).toMatchObject({ state: 'done', result: 'found it', isUndelivered: true });
    const { messages, deliver } = collectMessages();
    await background({ deliver }).work(endless());
    expect(messages).toMatchObject([{ key: 'agent-run-1', text: '**helper**\n\nfound it' }]);
    expect((await runs.get('run-1'))?.isUndelivered).toBeUndefined();

    await runs.add(
      { id: 'run-2', name: 'helper', message: 'look', injectInto: 'local:x', request: '{}', asker: OWN },
      2,
    );
    const said: string[] = [];
    const refuse = async (): Promise<DeliveryOutcome> => ({ refused: 'local:x is closed' });
    await background({ deliver: refuse, log: (line) => said.push(line) }).work(endless());
    await background({ deliver }).work(endless());
    expect(said).toEqual(['the result of run-2 (helper) did not reach local:x: local:x is closed']);
    expect(messages).toHaveLength(1);
  },
);

it('a run that was reported as interrupted between its claim and its lock is not run', async () => {
  const asked: string[] = [];
  const locks: Locks = {
    ...storage.locks,
    async acquire(name, options) {
      // As another process does that finds the run without its lock, while this one is frozen.
      if (name === 'agent-run:run-1') await runs.end('run-1', { state: 'interrupted', error: 'its process ended' }, 2);
      return storage.locks.acquire(name, options);
    },
  };
  await runs.add({ id: 'run-2', name: 'helper', message: 'look', request: '{}', asker: OWN }, 2);
  await background({
    locks,
    async ask({ id }) {
      asked.push(id);
      return { ok: true, text: 'found it', sessionId: 's' };
    },
  }).work(endless());
  expect(asked).toEqual(['run-2']);
  expect((await runs.get('run-1'))?.state).toBe('interrupted');
  await (await storage.locks.acquire('agent-run:run-1')).release();
});

it('asked to work while it does, it takes up what was queued meanwhile', async () => {
  const first = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { work } = background({
    async ask({ id }) {
      begun.push(id);
      if (id === 'run-1') await first.promise;
      return { ok: true, text: 'found it', sessionId: 's' };
    },
  });
  const working = work(endless());
  await eventually(() => expect(begun).toEqual(['run-1']));
  await runs.add({ id: 'run-2', name: 'helper', message: 'look', request: '{}', asker: OWN }, 2);
  void work(endless());
  await eventually(async () => expect((await runs.get('run-2'))?.state).toBe('done'));
  first.resolve();
  await working;
  expect((await runs.get('run-1'))?.state).toBe('done');
});

it('storage that fails while it is asked whether to cancel ends neither the run nor the process', async () => {
  let looks = 0;
  const failing: AgentRuns = {
    ...runs,
    isCancelRequested() {
      looks += 1;
      return Promise.reject(new Error('the disk is full'));
    },
  };
  const ended = Promise.withResolvers<void>();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const working = background({
      runs: failing,
      ask: async () => {
        await ended.promise;
        return { ok: true, text: 'found it', sessionId: 's' };
      },
    }).work(endless());
    await eventually(() => expect(looks).toBeGreaterThan(1));
    ended.resolve();
    await working;
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
  expect((await runs.get('run-1'))?.state).toBe('done');
});
