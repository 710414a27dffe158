import { describe, expect, it, onTestFinished } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { SessionEntry } from '../storage/storage.ts';
import { createDeletions } from './deletions.ts';
import { createSessionChanges } from './session-changes.ts';
import { createSessions } from './sessions.ts';

const signal = new AbortController().signal;

function setUp() {
  const storage = createLocalStorage({ home: testHome().path, now: Date.now });
  onTestFinished(() => storage.close());
  let ids = 0;
  let time = Date.parse('2026-01-01');
  const newId = (prefix: string): string => {
    ids += 1;
    return `${prefix}-${ids}`;
  };
  const now = (): number => {
    time += 1000;
    return time;
  };
  const copies: [string, string, string[]][] = [];
  const forgotten: string[] = [];
  const changes = createSessionChanges({
    ...storage,
    forgetSession: async (sessionId) => void forgotten.push(sessionId),
    forgetKey: async () => {},
    deletions: createDeletions(storage.ownerFiles),
    copyUndo: async (from, to, turnIds) => void copies.push([from, to, [...turnIds]]),
    now,
    newId,
  });
  const sessions = createSessions({ ...storage, now, newId });

  async function turn(sessionKey: string, input: string, { compactTo = 0, ends = true } = {}) {
    const begun = await sessions.begin({ sessionKey, newSession: false, state: { memoryEnabled: true }, signal });
    await begun.start(input);
    if (ends) await begun.end({ outcome: 'answered', text: `re: ${input}`, route: 'r', stage: 's' });
    if (compactTo > 0) await begun.recordCompaction(compactTo);
    await begun.close();
    return begun.id;
  }
  const entryOf = async (key: string): Promise<SessionEntry> => {
    const entry = await sessions.get(key);
    if (!entry) throw new Error(`no session ${key}`);
    return entry;
  };
  async function asked(key: string): Promise<string[]> {
    const shown = await sessions.show(key, 100);
    return (shown?.messages ?? []).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  }
  const note = (range: string, id: string, text: string): string =>
    `\n## 2026-01-01\n<!-- messages ${range} of ${id} -->\n\n${text}\n`;
  return { storage, sessions, changes, turn, entryOf, asked, note, copies, forgotten };
}

describe('a copy of a conversation', () => {
  it('leaves out a turn that has not ended, and the next turn continues from what it holds', async () => {
    const { changes, turn, entryOf, asked, sessions } = setUp();
    await turn('a', 'one');
    await turn('a', 'cut short', { ends: false });
    const { entry, lastTurn } = await changes.fork({ from: await entryOf('a'), as: 'b', signal });
    expect(lastTurn).toBeDefined();
    expect(await asked('b')).toEqual(['one']);
    const next = await sessions.begin({ sessionKey: 'b', newSession: false, state: {}, signal });
    expect(next.entry.sessionId).toBe(entry.sessionId);
    expect([next.messageCount(), next.history.turns.length]).toEqual([2, 1]);
    await next.close();
  });

  it.each([
    ['the second turn', 1, ['one']],
    ['the first one', 0, []],
    ['one that has not ended', 2, ['one', 'two']],
  ])('ends before %s', async (_what, at, left) => {
    const { changes, turn, entryOf, asked, sessions, copies } = setUp();
    const ids = [await turn('a', 'one'), await turn('a', 'two'), await turn('a', 'cut short', { ends: false })];
    const from = await entryOf('a');
    const { entry, lastTurn } = await changes.fork({ from, turn: ids[at], before: true, as: 'a', signal });
    expect([entry.sessionId === from.sessionId, lastTurn]).toEqual([false, ids[at - 1]]);
    expect(copies).toEqual([[from.sessionId, entry.sessionId, ids.slice(0, at)]]);
    expect(await asked('a')).toEqual(left);
    const next = await sessions.begin({ sessionKey: 'a', newSession: false, state: {}, signal });
    expect([next.entry.sessionId, next.messageCount()]).toEqual([entry.sessionId, 2 * left.length]);
    await next.close();
  });

  it('has the summaries of what it holds, and of nothing else', async () => {
    const { changes, turn, entryOf, note, storage, copies } = setUp();
    await turn('a', 'one');
    const second = await turn('a', 'two', { compactTo: 2 });
    await turn('a', 'three', { compactTo: 4 });
    const from = await entryOf('a');
    const head = '# Memory of session a\nwritten by hand\n';
    const notes = head + note('1-2', from.sessionId, 'early') + note('3-4', from.sessionId, 'late');
    await storage.notes.write('a', notes);

    const { entry } = await changes.fork({ from, turn: second, as: 'b', signal });
    expect(entry).toMatchObject({ compactedMessageCount: 2, memoryEnabled: true, title: 'one' });
    expect(await storage.notes.read('b')).toBe(`# Memory of session b\n${note('1-2', entry.sessionId, 'early')}`);
    expect(await storage.notes.read('a')).toBe(notes);
    expect(copies).toEqual([[from.sessionId, entry.sessionId, expect.arrayContaining([second])]]);

    await changes.fork({ from, turn: second, as: 'a', signal });
    expect(await storage.notes.read('a')).toBe(head + note('1-2', from.sessionId, 'early'));
  });

  it('takes the place of the original under its own key, also in an index that is made again', async () => {
    const { changes, turn, entryOf, asked, storage } = setUp();
    const first = await turn('a', 'one');
    await turn('a', 'two');
    const from = await entryOf('a');
    const { entry } = await changes.fork({ from, turn: first, as: 'a', signal });
    expect(await asked('a')).toEqual(['one']);
    expect(await asked(from.sessionId)).toEqual(['one', 'two']);
    const { rebuildIndex } = await import('../storage/local/catalogue/rebuild.ts');
    expect((await rebuildIndex(storage.transcripts)).get('a')).toEqual(entry);
  });

  it('waits for a turn of that key, and can be given up', async () => {
    const { changes, turn, entryOf, storage } = setUp();
    await turn('a', 'one');
    const lock = await storage.locks.acquire('session:a');
    const control = new AbortController();
    const fork = changes.fork({
      from: await entryOf('a'),
      as: 'a',
      signal: control.signal,
      onWait: () => control.abort(),
    });
    await expect(fork).rejects.toThrow();
    await lock.release();
  });
});

it('a title is kept by later turns and left behind by a new conversation', async () => {
  const { changes, turn, entryOf, sessions } = setUp();
  await turn('a', 'one');
  await changes.rename('a', ' The  new\ntitle ', { signal });
  await turn('a', 'two');
  expect((await entryOf('a')).title).toBe('The new title');
  await sessions.renew('a', signal);
  expect((await entryOf('a')).title).toBeUndefined();
  await turn('a', 'three');
  expect((await entryOf('a')).title).toBe('three');
  expect(await changes.rename('nowhere', 'x', { signal })).toBeUndefined();
});
