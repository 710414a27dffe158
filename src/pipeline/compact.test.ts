import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Adapter } from '../adapters/adapter.ts';
import { createStubAdapter } from '../adapters/stub.ts';
import { newId } from '../lib/new-id.ts';
import { createSessions, type Sessions } from '../sessions/sessions.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { type CompactOptions, compact } from './compact.ts';
import { readSessionMemory } from './session-memory.ts';

let home: string;
let storage: Storage;
let sessions: Sessions;
const { signal } = new AbortController();
const now = (): number => Date.UTC(2026, 10, 15);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-compact-'));
  storage = createLocalStorage({ home, now });
  sessions = createSessions({ ...storage, now, newId });
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true });
});

const model: Adapter = {
  ...createStubAdapter(),
  callsTools: true,
  async *stream({ messages }) {
    yield { type: 'text-delta', text: `- summary of ${messages[0]?.text.split('\n\n').length} messages` };
    yield { type: 'finish', reason: 'stop' };
  },
};
const broken: Adapter = {
  ...model,
  async *stream() {
    yield { type: 'failure', failure: { code: 'network', message: 'gone' } };
  },
};

const free: Pick<CompactOptions, 'hasRoom' | 'spent' | 'tainted'> = {
  hasRoom: async () => true,
  spent: async () => {},
  tainted: false,
};

/** One turn of two messages, then compaction; returns the memory file when it was written. */
async function turn(text: string, adapter: Adapter = createStubAdapter(), caps = free): Promise<string | undefined> {
  const state = { provider: 'stub', memoryEnabled: true };
  const begun = await sessions.begin({ sessionKey: 'main', newSession: false, state, signal });
  try {
    await begun.start(text);
    await begun.end({ outcome: 'answered', text: `answer to ${text}`, route: 'stub', stage: 'answered' });
    return await compact({ turn: begun, notes: storage.notes, adapter, ...caps, now, signal });
  } finally {
    await begun.close();
  }
}

async function turns(count: number, adapter?: Adapter): Promise<(string | undefined)[]> {
  const written: (string | undefined)[] = [];
  for (let index = 1; index <= count; index += 1) written.push(await turn(`fact ${index} about otters`, adapter));
  return written;
}

const memory = (): string => readFileSync(join(home, 'memory', 'main.md'), 'utf8');
const compacted = async (): Promise<number | undefined> => (await storage.catalogue.get('main'))?.compactedMessageCount;

describe('compaction', () => {
  it('keeps what a person writes into the file while the model is thinking', async () => {
    await turns(13);
    const edits: Adapter = {
      ...model,
      async *stream(request, streamSignal) {
        writeFileSync(join(home, 'memory', 'main.md'), `${memory()}\nEdited by hand.\n`);
        yield* model.stream(request, streamSignal);
      },
    };
    await turns(12, edits);
    expect(memory()).toContain('Edited by hand.');
    expect(memory()).toContain('- summary of');
  });

  it('does nothing up to 24 messages, then summarises all but the last 12', async () => {
    const written = await turns(13);
    expect(written.slice(0, 12)).toEqual(Array(12).fill(undefined));
    expect(written[12]).toBe(join(home, 'memory', 'main.md'));
    expect(await compacted()).toBe(14);
    expect(memory()).toContain('<!-- messages 1-14 of ');
    expect(memory()).toContain('fact 1 about otters');
    expect(memory()).not.toContain('fact 8 about otters');
  });

  it('of another conversation under the same name is not taken for that of the first', async () => {
    await turns(13, model);
    await sessions.renew('main', signal);
    await turns(13, model);
    expect([...memory().matchAll(/messages 1-14/g)]).toHaveLength(2);
    expect(await compacted()).toBe(14);
  });

  it('marks a summary of content from outside, and ends each one', async () => {
    await turns(13, model);
    await sessions.renew('main', signal);
    for (let index = 1; index <= 13; index += 1) await turn(`page ${index}`, model, { ...free, tainted: true });
    const { written, summaries } = await readSessionMemory(storage.notes, 'main');
    expect(summaries.map(({ tainted }) => tainted)).toEqual([false, true]);
    expect(written).toBe('');
  });

  it('never summarises a message twice and leaves none out', async () => {
    await turns(40);
    const ranges = [...memory().matchAll(/messages (\d+)-(\d+)/g)].map(([, from, to]) => [Number(from), Number(to)]);
    let next = 1;
    for (const [from = 0, to = 0] of ranges) {
      expect(from).toBe(next);
      next = to + 1;
    }
    expect(await compacted()).toBe(next - 1);
  });

  it('keeps the originals in the transcript', async () => {
    await turns(20);
    const shown = await sessions.show('main', 1_000);
    expect(shown?.messages.filter(({ role }) => role === 'user')).toHaveLength(20);
  });

  it('does not write a range again when the process died before it was recorded', async () => {
    await turns(13);
    const before = memory();
    const entry = await storage.catalogue.get('main');
    if (!entry) throw new Error('no entry');
    await storage.catalogue.put({ ...entry, compactedMessageCount: 0 });
    const begun = await sessions.begin({ sessionKey: 'main', newSession: false, state: {}, signal });
    await compact({ turn: begun, notes: storage.notes, adapter: createStubAdapter(), ...free, now, signal });
    await begun.close();
    expect(memory()).toBe(before);
    expect(await compacted()).toBe(14);
  });

  it('asks the model for the summary, and extracts one when the model fails', async () => {
    await turns(13, model);
    expect(memory()).toContain('- summary of 14 messages');
    await turns(7, broken);
    expect(memory()).toContain('<!-- messages 15-');
    expect(memory()).toContain('- fact');
  });

  it('tells what a summary cost, also one that failed', async () => {
    const costs: unknown[] = [];
    const counting = { ...free, spent: async (usage: unknown) => void costs.push(usage) };
    const usage = { inputTokens: 9, outputTokens: 1 };
    const failing: Adapter = {
      ...model,
      async *stream() {
        yield { type: 'failure', failure: { code: 'network', message: 'gone' }, usage };
      },
    };
    await turns(12);
    await turn('fact 13', failing, counting);
    expect(costs).toEqual([usage]);
    expect(memory()).toContain('- fact');
  });

  it('does not ask the model when the caps leave no room for the conversation', async () => {
    const asked: number[] = [];
    const full = { ...free, hasRoom: async (tokens: number) => asked.push(tokens) < 0 };
    await turns(12);
    await turn('fact 13', model, full);
    expect(memory()).not.toContain('summary of');
    expect(memory()).toContain('- fact');
    expect(asked).toEqual([expect.any(Number)]);
    expect(asked[0]).toBeGreaterThan(50);
  });

  it('is never empty, also for messages without words', async () => {
    for (let index = 0; index < 13; index += 1) await turn('🦦');
    expect(memory().trim()).toMatch(/- \S+/);
  });

  it('is rebuilt with the index', async () => {
    await turns(13);
    rmSync(join(home, 'sessions', 'sessions.json'));
    expect(await compacted()).toBe(14);
  });
});
