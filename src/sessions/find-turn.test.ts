import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../lib/new-id.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { TurnOutcome } from './lines.ts';
import { createSessions, type Sessions } from './sessions.ts';

let home: string;
let storage: Storage;
let sessions: Sessions;
const never = new AbortController().signal;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-find-'));
  storage = createLocalStorage({ home, now: Date.now });
  sessions = createSessions({ ...storage, now: Date.now, newId });
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true, force: true });
});

const begin = (origin?: string) =>
  sessions.begin({ sessionKey: 'chat', newSession: false, state: {}, origin, signal: never });
const find = (origin: string) => sessions.findTurn('chat', origin, never);
const call = (id: string, name: string) => ({ id, name, args: {}, source: 'model' });

async function ended(origin: string, outcome: TurnOutcome, text?: string): Promise<void> {
  const turn = await begin(origin);
  await turn.start(`question of ${origin}`);
  const error = outcome === 'failed' ? { code: 'X', message: 'asleep' } : undefined;
  await turn.end({ outcome, text, route: 'stub', stage: outcome, error });
  await turn.close();
}

/** A process that ended in the middle: the journal is there, nobody has closed it. */
async function cut(origin: string, calls: { id: string; effect: string; isEnded: boolean }[] = []): Promise<void> {
  const turn = await begin(origin);
  await turn.start(`question of ${origin}`);
  for (const { id, effect, isEnded } of calls) {
    await turn.callStarts(call(id, 'bash'), effect);
    if (isEnded) await turn.callEnded({ callId: id, ok: true, text: 'done' });
  }
  await turn.close();
}

describe('the newest turn, cut short', () => {
  it('is found until another one has ended, and not while it runs', async () => {
    expect(await sessions.findCutShort('chat')).toBeUndefined();
    await cut('o1', [{ id: 'a', effect: 'exec', isEnded: true }]);
    expect(await sessions.findCutShort('chat')).toMatchObject({ calls: [{ effect: 'exec', isEnded: true }] });
    const running = await begin('o2');
    await running.start('and now?');
    expect(await sessions.findCutShort('chat')).toBeUndefined();
    await running.end({ outcome: 'cancelled', route: 'stub', stage: 'cancelled' });
    await running.close();
    expect(await sessions.findCutShort('chat')).toBeUndefined();
  });

  it('tells a call that never started, unless another one has the same id', async () => {
    const turn = await begin('o1');
    await turn.start('make it');
    const [waiting, first, second] = [call('a', 'bash'), call('b', 'bash'), call('b', 'bash')];
    for (const each of [waiting, first]) await turn.callStarts(each, 'exec');
    await turn.callEnded({ callId: 'b', ok: true, text: 'done' });
    await turn.callStarts(second, 'exec');
    for (const each of [waiting, second]) await turn.permissionAsked(each);
    await turn.close();
    const found = await sessions.findCutShort('chat');
    expect(found?.calls.map(({ isEnded, neverStarted }) => [isEnded, neverStarted])).toEqual([
      [false, true],
      [true, undefined],
      [false, undefined],
    ]);
  });
});

describe('a turn by its origin', () => {
  it('is not found where there is none', async () => {
    expect(await find('o1')).toBeUndefined();
    await ended('o1', 'answered', 'hi');
    expect(await find('o2')).toBeUndefined();
  });

  it('is found with the pictures that its tools made for the person', async () => {
    const turn = await begin('o1');
    await turn.start('show me');
    const made = { mediaType: 'image/png', path: '/made.png', isForPerson: true };
    const pictures = [made, { mediaType: 'image/png', path: '/read.png' }, 'nonsense'];
    for (const [id, ok] of Object.entries({ a: true, b: false })) {
      await turn.callStarts(call(id, 'mcp__browser__screenshot'), 'exec');
      await turn.callEnded({ callId: id, ok, text: '', pictures });
    }
    await turn.end({ outcome: 'answered', text: 'here', route: 'stub', stage: 'answered' });
    await turn.close();
    expect(await find('o1')).toMatchObject({ text: 'here', pictures: [made] });
  });

  it('is found with the messages that joined it, by what their sender calls them', async () => {
    const turn = await begin('o1');
    await turn.start('round the totals');
    await turn.steered('no, half up', { attached: [], pictures: [], origin: 'in-2' });
    await turn.steered('and quickly');
    await turn.end({ outcome: 'answered', text: 'half up', route: 'stub', stage: 'answered' });
    await turn.close();
    expect(await find('o1')).toEqual({ outcome: 'answered', text: 'half up', calls: [], joined: ['in-2'] });
  });

  it('is found with its answer, behind others', async () => {
    await ended('o1', 'answered', 'first');
    await ended('o2', 'tool-limit', 'second');
    await ended('o3', 'failed');
    expect(await find('o1')).toEqual({ outcome: 'answered', text: 'first', calls: [] });
    expect(await find('o2')).toEqual({ outcome: 'tool-limit', text: 'second', calls: [] });
    expect(await find('o3')).toEqual({ outcome: 'failed', error: { code: 'X', message: 'asleep' }, calls: [] });
  });

  it('that was cut short tells its calls, before and after it was closed', async () => {
    const calls = [
      { id: 'c1', effect: 'read', isEnded: true },
      { id: 'c2', effect: 'write', isEnded: true },
      { id: 'c3', effect: 'exec', isEnded: false },
    ];
    await cut('o1', calls);
    const found = {
      outcome: 'interrupted',
      calls: calls.map(({ id, ...rest }) => ({ call: call(id, 'bash'), ...rest })),
    };
    expect(await find('o1')).toEqual(found);
    await ended('o2', 'answered', 'next');
    expect(await find('o1')).toEqual(found);
  });

  it('that was asked again is the newest', async () => {
    await cut('o1');
    await ended('o1', 'answered', 'at last');
    expect(await find('o1')).toMatchObject({ outcome: 'answered', text: 'at last' });
  });
});

it('what was written is in the conversation where it joined a turn, or was the question of one', async () => {
  const origins = ['in-1', 'in-2', 'in-3', 'in-4', 'in'];
  const onRecord = () => Promise.all(origins.map((origin) => sessions.isOnRecord('chat', origin)));
  expect(await sessions.isInConversation('chat', 'in-1', never)).toBe(false);
  expect(await onRecord()).toEqual([false, false, false, false, false]);
  const turn = await begin('in-1 in-2');
  await turn.start('round the totals of in-4');
  await turn.steered('no, half up', { attached: [], pictures: [], origin: 'in-3' });
  // While the turn runs.
  expect(await onRecord()).toEqual([true, true, true, false, false]);
  await turn.close();
  const found = await Promise.all(origins.map((origin) => sessions.isInConversation('chat', origin, never)));
  expect(found).toEqual([true, true, true, false, false]);
});

describe('a turn that is asked again', () => {
  it('finds the question only once, however often it was cut short', async () => {
    await ended('o0', 'answered', 'before');
    await cut('o1');
    await cut('o1', [{ id: 'c1', effect: 'read', isEnded: true }]);
    await ended('o1', 'cancelled');
    const turn = await begin('o1');
    const told = turn.history.turns
      .flatMap(({ messages }) => messages)
      .map(({ role, content }) => `${role}: ${content}`);
    await turn.close();
    expect(told.filter((line) => line.includes('question of o1'))).toEqual([]);
    expect(told[0]).toBe('user: question of o0');
    expect(told.at(-1)).toContain('The previous turn was interrupted.');
  });

  it('under another origin keeps what was said before', async () => {
    await cut('o1');
    const turn = await begin('o2');
    await turn.close();
    expect(turn.history.turns.flatMap(({ messages }) => messages.map(({ content }) => content))).toEqual([
      'question of o1',
    ]);
  });
});

it('a session that is renewed has the key and the state of the one before, and nothing of its conversation', async () => {
  await ended('o1', 'answered', 'hi');
  const before = await storage.catalogue.get('chat');
  const renewed = await sessions.renew('chat', never);
  expect(renewed.sessionId).not.toBe(before?.sessionId);
  expect(await storage.catalogue.get('chat')).toEqual(renewed);
  const turn = await begin();
  await turn.close();
  expect(turn.entry.sessionId).toBe(renewed.sessionId);
  expect(turn.history.turns).toEqual([]);
  expect((await sessions.renew('fresh', never)).sessionKey).toBe('fresh');
});
