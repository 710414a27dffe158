import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../../test/support/test-memory.ts';
import { newId } from '../lib/new-id.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { type MemoryScope, OWNER, readerWithin } from '../vocabulary/memory-scope.ts';
import { type ConversationSource, createPastConversations, type PastConversations } from './past-conversations.ts';

interface Conversation {
  turns: { said: string; scope?: MemoryScope; tainted?: boolean }[];
  /** Changes when what was said is changed. */
  file: number;
  sessionKey?: string;
  replaces?: string;
  isUnlisted?: boolean;
}

/** Transcripts as the index knows them; counts the turns that were read. */
function sourceOf(conversations: Map<string, Conversation>) {
  const read: { turns: number; after?: (turns: number) => void } = { turns: 0 };
  const source: ConversationSource = {
    list: async () => [...conversations.keys()],
    async revision(sessionId) {
      const found = conversations.get(sessionId);
      return found && `${found.file} ${found.turns.length}`;
    },
    isContinued: (earlier, later) => earlier.split(' ')[0] === later.split(' ')[0],
    async identity(sessionId) {
      const { sessionKey = sessionId, replaces, isUnlisted = false } = conversations.get(sessionId) ?? {};
      return { sessionKey, isUnlisted, ...(replaces !== undefined && { replaces }) };
    },
    async *turns(sessionId, after) {
      const { turns = [] } = conversations.get(sessionId) ?? {};
      for (const [index, { said, scope = 'owner', tainted = false }] of turns.entries()) {
        if (index < after) continue;
        read.turns += 1;
        read.after?.(read.turns);
        const messages = [
          { id: `${sessionId}-${index}`, role: 'user' as const, content: said, timestamp: '2026-11-01T08:00:00.000Z' },
        ];
        yield { turnEnds: index + 1, messages, scope, tainted };
      }
    },
  };
  return { source, read };
}

function open(conversations: Map<string, Conversation>, home = temporaryHome()) {
  const storage = createLocalStorage({ home, now: Date.now });
  onTestFinished(() => storage.close());
  const { source, read } = sourceOf(conversations);
  const past = async (): Promise<PastConversations> =>
    createPastConversations({
      index: await storage.historyIndex(),
      source,
      locks: storage.locks,
      now: Date.now,
      timezone: () => 'UTC',
      newId,
    });
  return { home, past, read, source };
}

const conversation = (...said: string[]): Conversation => ({ file: 1, turns: said.map((each) => ({ said: each })) });
const textsOf = async (past: PastConversations, query: string, reader = OWNER): Promise<string[]> =>
  (await past.search(reader, query)).results.map(({ text }) => text);

describe('the index of past conversations', () => {
  it('finds what was said once it has caught up, and what is said later', async () => {
    const all = new Map([['s1', conversation('The otter is called Bruno.')]]);
    const { past, read } = open(all);
    const index = await past();
    expect(await index.catchUp()).toEqual({ done: 1, total: 1 });
    expect(await textsOf(index, 'otter')).toEqual(['The otter is called Bruno.']);
    all.get('s1')?.turns.push({ said: 'The heron is called Hella.' });
    await index.catchUp();
    expect((await textsOf(index, 'heron'))[0]).toBe('The heron is called Hella.');
    await index.catchUp();
    expect(read.turns).toBe(2);
  });

  it('continues where it stopped, in another process too', async () => {
    const all = new Map([['s1', conversation(...Array.from({ length: 200 }, (_, index) => `otter number ${index}`))]]);
    const stop = new AbortController();
    const { past, home, read } = open(all);
    read.after = (turns) => {
      if (turns > 100) stop.abort();
    };
    await expect((await past()).catchUp({ signal: stop.signal, gently: true })).rejects.toThrow();
    expect(read.turns).toBeLessThan(200);
    const again = open(all, home);
    expect(await (await again.past()).catchUp()).toEqual({ done: 1, total: 1 });
    expect(again.read.turns).toBeLessThan(200);
    const index = await again.past();
    for (const number of [0, 31, 100, 199])
      expect((await textsOf(index, `${number}`))[0]).toBe(`otter number ${number}`);
  });

  it.each(['missing', 'damaged'])('is made again when its file is %s', async (state) => {
    const all = new Map([['s1', conversation('The otter is called Bruno.')]]);
    const { past, home } = open(all);
    await (await past()).catchUp();
    const again = open(all, home);
    const file = join(home, 'sessions', 'history.db');
    for (const each of [file, `${file}-wal`, `${file}-shm`]) rmSync(each, { force: true });
    if (state === 'damaged') writeFileSync(file, 'this is not a database, however long it is '.repeat(200));
    const index = await again.past();
    await index.catchUp();
    expect(await textsOf(index, 'otter')).toEqual(['The otter is called Bruno.']);
  });

  it('shows a reader only what belongs to them', async () => {
    const stranger = 'person:telegram:5';
    const all = new Map<string, Conversation>([
      ['s1', conversation('The vault code is heron.')],
      ['s2', { file: 1, turns: [{ said: 'The vault is large.', scope: stranger, tainted: true }] }],
    ]);
    const index = await open(all).past();
    await index.catchUp();
    expect(await textsOf(index, 'vault', readerWithin(stranger))).toEqual(['The vault is large.']);
    expect((await textsOf(index, 'vault')).toSorted()).toEqual(['The vault code is heron.', 'The vault is large.']);
    const { results } = await index.search(OWNER, 'large vault');
    expect(results[0]).toMatchObject({ scope: stranger, source: 'session:s2#outside' });
  });

  it('forgets what was deleted, replaced or changed', async () => {
    const all = new Map<string, Conversation>([
      ['s1', conversation('otter one', 'otter two')],
      ['s2', conversation('otter three')],
    ]);
    const index = await open(all).past();
    await index.catchUp();
    all.delete('s2');
    await index.catchUp();
    expect((await textsOf(index, 'otter')).toSorted()).toEqual(['otter one', 'otter two']);
    all.set('s3', { ...conversation('otter one'), sessionKey: 's1', replaces: 's1' });
    await index.catchUp();
    expect(await textsOf(index, 'otter')).toEqual(['otter one']);
    all.set('s3', { ...conversation('heron'), sessionKey: 's1', replaces: 's1', file: 2 });
    await index.catchUp();
    expect(await textsOf(index, 'otter')).toEqual([]);
    expect(await textsOf(index, 'heron')).toEqual(['heron']);
  });

  it('keeps nothing of a conversation that was changed and forgotten while it was read', async () => {
    const all = new Map([['s1', conversation('The vault code is heron.')]]);
    const { past, source } = open(all);
    const index = await past();
    const { turns } = source;
    source.turns = async function* (sessionId, after) {
      yield* turns(sessionId, after);
      if (all.get('s1')?.file !== 1) return;
      all.set('s1', { ...conversation('The vault code is secret.'), file: 2 });
      await index.forget('s1');
    };
    await index.catchUp();
    expect(await textsOf(index, 'heron')).toEqual([]);
    await index.catchUp();
    expect(await textsOf(index, 'vault')).toEqual(['The vault code is secret.']);
  });

  it('reads no conversation that nobody continues', async () => {
    const all = new Map<string, Conversation>([['s1', { ...conversation('otter'), isUnlisted: true }]]);
    const { past, read } = open(all);
    const index = await past();
    await index.catchUp();
    await index.catchUp();
    expect(read.turns).toBe(0);
  });

  it('leaves the work to another process that does it', async () => {
    const all = new Map([['s1', conversation('otter')]]);
    const { past, home } = open(all);
    const storage = createLocalStorage({ home, now: Date.now });
    const lock = await storage.locks.tryAcquire('history-index');
    const index = await past();
    expect(await index.catchUp({ whenBusy: 'leave' })).toEqual({ done: 0, total: 1 });
    await lock?.release();
    expect(await index.catchUp({ whenBusy: 'leave' })).toEqual({ done: 1, total: 1 });
    await storage.close();
  });
});
