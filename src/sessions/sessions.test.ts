import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { type SessionEntry, type Storage, StorageError } from '../storage/storage.ts';
import type { SessionLine, SessionMessage } from './lines.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { Turn } from './turn.ts';

let home: string;
let storage: Storage;
let sessions: Sessions;
let clock: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-sessions-'));
  storage = createLocalStorage({ home, now: Date.now });
  clock = Date.UTC(2026, 0, 1);
  sessions = sessionsOn(storage);
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true, force: true });
});

let ids = 0;
function newId(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}

const sessionsOn = ({
  catalogue,
  locks,
  transcripts,
  notes,
}: Pick<Storage, 'catalogue' | 'locks' | 'transcripts' | 'notes'>): Sessions =>
  createSessions({
    catalogue,
    locks,
    transcripts,
    notes,
    now: () => (clock += 1_000),
    newId,
  });

const begin = (sessionKey: string, state: object = {}, newSession = false, service = sessions) =>
  service.begin({ sessionKey, newSession, state, signal: new AbortController().signal });

async function turn(sessionKey: string, input: string, text: string, state: object = {}): Promise<SessionEntry> {
  const begun = await begin(sessionKey, state);
  await begun.start(input);
  await begun.end({ outcome: 'answered', text, route: 'stub', stage: 'answered' });
  await begun.close();
  return begun.entry;
}

const linesOf = (sessionId: string): SessionLine[] =>
  readFileSync(join(home, 'sessions', `${sessionId}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionLine);

const messagesBefore = ({ history }: Turn): SessionMessage[] => history.turns.flatMap(({ messages }) => messages);

describe('a turn', () => {
  it('is given the conversation before it', async () => {
    await turn('main', 'one', 'ONE');
    await turn('main', 'two', 'TWO');
    const third = await begin('main');
    expect(messagesBefore(third).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: one',
      'assistant: ONE',
      'user: two',
      'assistant: TWO',
    ]);
    await third.close();
  });

  it('that was cut short leaves its taint: the next one knows what came from outside', async () => {
    const asked = await begin('others');
    await asked.start('from somebody else', { taintedBy: ['message'] });
    await asked.close();
    const after = await begin('others');
    expect(after.taintedBy).toEqual(['message']);
    await after.close();

    const read = await begin('reading');
    await read.start('read it');
    await read.callStarts({ id: 'c1', name: 'skill_load', args: {}, source: 'model' }, 'read');
    await read.callEnded({
      callId: 'c1',
      ok: true,
      text: 'do as I say',
      meta: { tainted: true, taintedBy: ['skill:x'] },
    });
    await read.close();
    for (const input of ['and now?', 'and now?']) {
      const next = await begin('reading');
      expect(next.taintedBy).toEqual(['skill:x']);
      await next.start(input);
      await next.close();
    }
  });

  it('keeps the state that it is not asked to change', async () => {
    await turn('main', 'one', 'ONE', { provider: 'stub', memoryEnabled: true });
    expect(await turn('main', 'two', 'TWO', { provider: 'stub' })).toMatchObject({ memoryEnabled: true });
    expect(await turn('main', 'three', 'THREE', { memoryEnabled: false })).toMatchObject({
      provider: 'stub',
      memoryEnabled: false,
    });
    expect(await storage.catalogue.get('main')).toMatchObject({ provider: 'stub', memoryEnabled: false });
  });

  it('whose provider changed does not keep the profile of the one before', async () => {
    await turn('main', 'one', 'ONE', { provider: 'openai', profileId: 'work' });
    const entry = await turn('main', 'two', 'TWO', { provider: 'stub' });
    expect(entry).toMatchObject({ provider: 'stub' });
    expect(entry.profileId).toBeUndefined();
  });

  it('journals each call, and tells the next turn its result', async () => {
    const begun = await begin('main');
    await begun.start('go');
    await begun.callStarts({ id: 'c1', name: 'a', args: { x: 1 }, source: 'model' }, 'read');
    await begun.callEnded({ callId: 'c1', ok: true, text: 'A', meta: { durationMs: 1 } });
    expect(await begun.end({ outcome: 'answered', text: 'done', route: 'stub', stage: 'answered' })).toEqual({
      sessionContextUpdated: true,
    });
    await begun.close();
    const next = await begin('main');
    expect(messagesBefore(next).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'go'],
      ['system', '[tool a {"x":1}]\nA'],
      ['assistant', 'done'],
    ]);
    await next.close();
  });

  it('keeps apart the results of calls to which a model gave the same id', async () => {
    const begun = await begin('main');
    await begun.start('go');
    for (const text of ['first', 'second']) {
      await begun.callStarts({ id: 'call_0', name: text, args: {}, source: 'model' }, 'read');
      await begun.callEnded({ callId: 'call_0', ok: true, text });
    }
    await begun.end({ outcome: 'answered', text: 'done', route: 'stub', stage: 'answered' });
    await begun.close();
    const context = linesOf(begun.entry.sessionId).flatMap((line) =>
      line.type === 'message' && line.message.role === 'system' ? [line.message.content] : [],
    );
    expect(context).toEqual(['[tool first {}]\nfirst\n\n[tool second {}]\nsecond']);
  });

  it('whose calls end at the same time journals each of them whole', async () => {
    const begun = await begin('main');
    await begun.start('go');
    const calls = ['a', 'b', 'c', 'd'];
    for (const id of calls) await begun.callStarts({ id, name: id, args: {}, source: 'model' }, 'read');
    await Promise.all(calls.map((callId) => begun.callEnded({ callId, ok: true, text: callId.repeat(200) })));
    await begun.end({ outcome: 'answered', text: 'done', route: 'stub', stage: 'answered' });
    await begun.close();
    const results = linesOf(begun.entry.sessionId).flatMap((line) =>
      line.type === 'tool-result' ? [line.callId] : [],
    );
    expect(results.toSorted()).toEqual(calls);
  });

  it('without an answer stores none', async () => {
    const begun = await begin('main');
    await begun.start('go');
    const failure = { code: 'CANCELLED', message: 'the turn was cancelled' };
    await begun.end({ outcome: 'cancelled', route: 'stub', stage: 'cancelled', error: failure });
    await begun.close();
    const lines = linesOf(begun.entry.sessionId);
    expect(lines.map(({ type }) => type)).toEqual(['session', 'turn-start', 'message', 'turn-end']);
    expect(lines.at(-1)).toMatchObject({ outcome: 'cancelled', messageCount: 1, error: failure });
  });

  it('admits the next one only when it is closed', async () => {
    const first = await begin('main');
    let waited = false;
    const second = sessions.begin({
      sessionKey: 'main',
      newSession: false,
      state: {},
      signal: new AbortController().signal,
      onWait: () => (waited = true),
    });
    await begin('other').then((other) => other.close());
    expect(waited).toBe(true);
    await first.close();
    await (await second).close();
  });

  it('whose lock is lost journals nothing more, and does not take the session from the next one', async () => {
    const first = await begin('main');
    await first.start('go');
    const before = linesOf(first.entry.sessionId).length;
    rmSync(join(home, 'locks'), { recursive: true });
    const elsewhere = createLocalStorage({ home, now: Date.now });
    const second = await begin('main', {}, false, sessionsOn(elsewhere));
    const recovered = linesOf(first.entry.sessionId).length;
    expect(recovered).toBeGreaterThan(before);
    const lost = { code: 'STORAGE_LOCK_LOST' };
    const call = { id: 'c', name: 'bash', args: {}, source: 'model' } as const;
    await expect(first.callStarts(call, 'exec')).rejects.toMatchObject(lost);
    await expect(first.end({ outcome: 'answered', text: 'x', route: 'stub', stage: 'answered' })).rejects.toMatchObject(
      lost,
    );
    expect(first.lock.lost.aborted).toBe(true);
    await first.close();
    expect(linesOf(first.entry.sessionId)).toHaveLength(recovered);
    expect(await storage.locks.tryAcquire('session:main')).toBeUndefined();
    await second.close();
    await elsewhere.close();
  });

  it('is not acknowledged when the index cannot be written, and the session is free again', async () => {
    const full = new StorageError('STORAGE_FULL', 'no room');
    const failing = sessionsOn({ ...storage, catalogue: { ...storage.catalogue, put: () => Promise.reject(full) } });
    const begun = await begin('main', {}, false, failing);
    await begun.start('go');
    await expect(begun.end({ outcome: 'answered', text: 'x', route: 'stub', stage: 'answered' })).rejects.toBe(full);
    await begun.close();
    await (await begin('main')).close();
  });

  it('that cannot be opened lets go of the session', async () => {
    const failing = sessionsOn({
      ...storage,
      transcripts: { ...storage.transcripts, open: () => Promise.reject(new Error('no')) },
    });
    await expect(begin('main', {}, false, failing)).rejects.toThrow('no');
    await (await begin('main')).close();
  });
});

describe('an interrupted turn', () => {
  it('is closed by the next one, which reports it', async () => {
    const cut = await begin('main');
    await cut.start('go');
    await cut.callStarts({ id: 'c', name: 'file_write', args: {}, source: 'model' }, 'write');
    await cut.close();
    const next = await begin('main');
    expect(messagesBefore(next).map(({ role }) => role)).toEqual(['user', 'system']);
    expect(messagesBefore(next)[1]?.content).toContain('outcome unknown');
    await next.start('again');
    await next.end({ outcome: 'answered', text: 'ok', route: 'stub', stage: 'answered' });
    await next.close();
    const ends = linesOf(next.entry.sessionId).flatMap((line) =>
      line.type === 'turn-end' ? [[line.outcome, line.messageCount]] : [],
    );
    expect(ends).toEqual([
      ['interrupted', 2],
      ['answered', 4],
    ]);
  });
});

describe('listing and showing', () => {
  it('lists the most recently used first', async () => {
    for (const key of ['a', 'b', 'a', 'c']) await turn(key, 'x', 'X');
    expect((await sessions.list()).map(({ sessionKey }) => sessionKey)).toEqual(['c', 'a', 'b']);
  });

  it('shows the last messages of a long session', async () => {
    for (let number = 0; number < 15; number += 1) await turn('main', `q${number}`, `a${number}`);
    const shown = async (last: number) => (await sessions.show('main', last))?.messages.map(({ content }) => content);
    expect(await shown(1)).toEqual(['a14']);
    expect(await shown(3)).toEqual(['a13', 'q14', 'a14']);
    expect(await shown(1_000)).toHaveLength(30);
    expect(await sessions.show('nope', 1)).toBeUndefined();
  });

  it('show the model of an answer and what a person allowed, in its place among the messages', async () => {
    const granted = {
      scope: 'once',
      by: 'Anna',
      place: 'chat',
      at: '',
      rules: [],
      preview: { summary: '', text: 'x', paths: [] },
    };
    for (const input of ['one', 'two']) {
      const begun = await begin('main');
      await begun.start(input);
      const call = { id: 'same', name: `tool-${input}`, args: {}, source: 'model' };
      await begun.callStarts(call, 'exec');
      await begun.callPermitted(call, granted);
      await begun.end({ outcome: 'answered', text: 'done', model: 'small', route: 'r', stage: 'answered' });
      await begun.close();
    }
    const { messages = [], permissions = [] } = (await sessions.show('main', 100)) ?? {};
    expect(messages.filter(({ role }) => role === 'assistant').map(({ model }) => model)).toEqual(['small', 'small']);
    expect(messages.filter(({ role }) => role === 'user').map(({ model }) => model)).toEqual([undefined, undefined]);
    const { preview: _preview, ...facts } = granted;
    const [first, , , second] = messages;
    expect(permissions).toMatchObject([
      { ...facts, tool: 'tool-one', afterMessageId: first?.id },
      { ...facts, tool: 'tool-two', afterMessageId: second?.id },
    ]);
    expect((await sessions.show('main', 3))?.permissions).toHaveLength(1);
  });
});
