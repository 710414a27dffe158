import { describe, expect, it } from 'vitest';
import type { SessionLine } from './lines.ts';
import { recoverTurn } from './recover.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const start: SessionLine = { type: 'turn-start', turnId: 'turn-1', timestamp: TIME, entry: {} };
const user: SessionLine = {
  type: 'message',
  message: { id: 'u', role: 'user', timestamp: TIME, content: 'do it', route: '', stage: '' },
};
const call = (id: string, effect: string): SessionLine => ({
  type: 'tool-call',
  turnId: 'turn-1',
  timestamp: TIME,
  call: { id, name: `tool-${id}`, args: { id }, source: 'model' },
  effect,
});
const result = (callId: string, text: string): SessionLine => ({
  type: 'tool-result',
  turnId: 'turn-1',
  callId,
  ok: true,
  text,
});
const recover = (...unfinished: SessionLine[]) =>
  recoverTurn({ unfinished, messageCount: 7, timestamp: TIME, newId: (prefix) => `${prefix}-new` });

describe('a turn that was cut short', () => {
  it('is nothing when there is none', () => {
    expect(recover()).toEqual({ lines: [] });
  });

  it('before any call is only closed', () => {
    const end = { type: 'turn-end', turnId: 'turn-1', timestamp: TIME, outcome: 'interrupted', messageCount: 7 };
    expect(recover(start)).toEqual({ lines: [end], message: undefined });
    expect(recover(start, user)).toEqual({ lines: [end], message: undefined });
  });

  it('while a person was asked about a call says that it never started; once allowed, nobody knows', () => {
    const asked: SessionLine = { type: 'permission-asked', turnId: 'turn-1', timestamp: TIME, callId: 'a' };
    const granted = { scope: 'once', by: 'me', place: 'terminal', at: TIME, rules: [] };
    const permission: SessionLine = { type: 'permission', turnId: 'turn-1', timestamp: TIME, callId: 'a', granted };
    const waiting = recover(start, user, call('a', 'exec'), asked).message?.content;
    expect(waiting).toContain('not started');
    expect(waiting).not.toContain('outcome unknown');
    expect(recover(start, user, call('a', 'exec'), asked, permission).message?.content).toContain('outcome unknown');
  });

  it('with a finished call tells its result to the next turn', () => {
    const { lines, message } = recover(start, user, call('a', 'write'), result('a', 'written'));
    expect(lines.map(({ type }) => type)).toEqual(['message', 'turn-end']);
    expect(message).toMatchObject({
      role: 'system',
      id: 'msg-tool-context-new',
      content: expect.stringMatching(/interrupted[\s\S]*\[tool tool-a \{"id":"a"\}\]\nwritten/),
    });
    expect(lines.at(-1)).toMatchObject({ messageCount: 8, outcome: 'interrupted' });
  });

  it('with an unfinished call gives it a result that says what is unknown', () => {
    const { lines, message } = recover(
      start,
      user,
      call('r', 'read'),
      call('w', 'write'),
      call('x', 'exec'),
      call('s', 'send'),
    );
    const results = lines.flatMap((line) => (line.type === 'tool-result' ? [line] : []));
    expect(results.map(({ callId, ok, error }) => [callId, ok, (error as { reason: string }).reason])).toEqual([
      ['r', false, 'interrupted'],
      ['w', false, 'interrupted'],
      ['x', false, 'interrupted'],
      ['s', false, 'interrupted'],
    ]);
    expect(results[0]?.text).not.toContain('unknown');
    for (const { text } of results.slice(1)) expect(text).toContain('outcome unknown');
    expect(message?.content.match(/outcome unknown/g)).toHaveLength(3);
  });

  it('keeps calls and results in the order of the calls', () => {
    const { message } = recover(start, user, call('a', 'read'), call('b', 'read'), result('b', 'B'), result('a', 'A'));
    expect(message?.content).toMatch(/tool-a[\s\S]*A[\s\S]*tool-b[\s\S]*B/);
  });

  it('after its tool context was stored is not reported twice', () => {
    const told: SessionLine = {
      type: 'message',
      message: { id: 'm', role: 'system', timestamp: TIME, content: 'told', route: '', stage: '' },
    };
    const { lines, message } = recover(start, user, call('a', 'read'), result('a', 'A'), told);
    expect(message).toBeUndefined();
    expect(lines.map(({ type }) => type)).toEqual(['turn-end']);
  });
});
