import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AgentRuns } from '../storage/agent-runs.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { type BackgroundDependencies, createBackground } from './background.ts';

let home: string;
let storage: Storage;
let runs: AgentRuns;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-background-'));
  storage = createLocalStorage({ home, now: Date.now });
  runs = await storage.agentRuns();
  await runs.add({ id: 'run-1', name: 'helper', message: 'look', injectInto: 'local:me', request: '{}' }, 1);
});
afterEach(() => {
  storage.close();
  rmSync(home, { recursive: true, force: true });
});

function background(more: Partial<BackgroundDependencies>) {
  return createBackground({
    runs,
    locks: storage.locks,
    ask: async () => ({ ok: true, text: 'found it', sessionId: 's' }),
    deliver: async () => {},
    limit: 2,
    now: Date.now,
    log: () => {},
    ...more,
  });
}

const endless = (): AbortSignal => new AbortController().signal;

it.each([
  ['before the result is stored for the chat', false, 'was interrupted'],
  ['after it', true, 'found it'],
])('a process that dies %s leaves the chat with one message, not with none', async (_, isStored, told) => {
  const sent = new Map<string, string>();
  const deliver = async (_chat: string, text: string, key: string): Promise<void> => {
    if (!sent.has(key)) sent.set(key, text);
  };
  let isDead = false;
  const mortal: AgentRuns = {
    ...runs,
    end: (...ending) => (isDead ? Promise.reject(new Error('dead')) : runs.end(...ending)),
  };
  await background({
    runs: mortal,
    async deliver(...letter) {
      if (isStored && !isDead) await deliver(...letter);
      isDead = true;
      throw new Error('dead');
    },
  }).work(AbortSignal.timeout(1_000));
  await background({ deliver }).work(endless());
  expect([...sent.values()]).toEqual([expect.stringContaining(told)]);
  expect((await runs.get('run-1'))?.state).not.toBe('running');
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
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1), { timeout: 30_000 });
    ended.resolve();
    await working;
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
  expect((await runs.get('run-1'))?.state).toBe('done');
});
