// Ctrl-C and its relatives. A turn is made long by holding a lock it needs: no timing decides anything here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocks } from '../../src/storage/local/locks.ts';
import type { Lock } from '../../src/storage/locks.ts';
import type { Home } from '../support/home.ts';
import { runKills } from '../support/kill-harness.ts';
import { ask, startLainclaw, startTerminal } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const WAITING = 'another turn of this session is running; waiting for it';

async function hold(home: Home, name: string): Promise<Lock> {
  const lock = await createLocks(join(home.path, 'locks')).acquire(name);
  onTestFinished(() => lock.release());
  return lock;
}

describe('a turn that waits for another', () => {
  it('says so once on stderr, then continues by itself', async () => {
    const home = testHome();
    const lock = await createLocks(join(home.path, 'locks')).acquire('session:main');
    const running = startLainclaw(['ask', 'hello'], { home });
    await running.saw(WAITING);
    expect(home.transcripts()).toEqual([]);
    await lock.release();
    const { code, stderr, json } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: `lainclaw: ${WAITING}\n` });
    expect(json()).toMatchObject({ success: true });
  });

  it('does not wait for a turn of another session', async () => {
    const home = testHome();
    await hold(home, 'session:other');
    expect(await ask(home, 'hello')).toMatchObject({ success: true });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s without a trace', async (signal) => {
    const home = testHome();
    await ask(home, 'before');
    const before = readFileSync(home.transcriptPath());
    const lock = await createLocks(join(home.path, 'locks')).acquire('session:main');
    const running = startLainclaw(['ask', 'hello'], { home });
    await running.saw(WAITING);
    running.kill(signal);
    const { code, stderr, json } = await running.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(json()).toMatchObject({ success: false, stage: 'cancelled', result: '', error: { code: 'CANCELLED' } });
    expect(stderr).toMatch(/error CANCELLED: .*\n$/);
    expect(readFileSync(home.transcriptPath())).toEqual(before);
    await lock.release();
    expect(await ask(home, 'after')).toMatchObject({ success: true });
    expect(
      home
        .messages()
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['before', 'after']);
  });

  it('ends on Ctrl-C at a terminal', async () => {
    const home = testHome();
    await hold(home, 'session:main');
    const running = startTerminal(['ask', 'hello'], { home });
    await running.saw(WAITING);
    await running.write('\u0003');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toContain('CANCELLED');
    expect(stdout).not.toMatch(/^ +at /m);
  });
});

describe('a turn that is cut short', () => {
  it('reads its question no longer on Ctrl-C', async () => {
    const home = testHome();
    const running = startLainclaw(['ask', '-'], { home });
    await running.write('the beginning of a question '.repeat(50_000));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(home.transcripts()).toEqual([]);
  });

  it('by SIGKILL lets the next one in, which closes it with what is known', async () => {
    const { home, start } = await modelFor('openai-compatible', [{ text: 'never', fault: { kind: 'hang' } }]);
    await ask(home, 'before');
    // Holds the session's lock while it waits for the model.
    const holder = start('killed');
    await lineOnDisk(home, '"content":"killed"');
    const next = startLainclaw(['ask', 'next'], { home });
    await next.saw(WAITING);
    holder.kill('SIGKILL');
    expect((await holder.ended).signal).toBe('SIGKILL');
    const { code, json } = await next.ended;
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, sessionId: home.entry().sessionId });
    expect(structureProblems(home.lines())).toEqual([]);
    expect(
      home
        .messages()
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['before', 'killed', 'next']);
  });

  it('in the middle of a tool call is interrupted for the next turn', async () => {
    const home = testHome();
    const { sessionId } = await ask(home, 'before');
    const call = { id: 'call-1', name: 'file_write', args: { path: 'a' }, source: 'model' };
    const entry = { updatedAt: '2026-01-01T00:00:00.000Z' };
    const message = {
      id: 'msg-user-x',
      role: 'user',
      timestamp: '2026-01-01T00:00:00.000Z',
      content: 'write',
      route: 'stub',
      stage: 'input',
    };
    const cut = [
      { type: 'turn-start', turnId: 'turn-cut', timestamp: '2026-01-01T00:00:00.000Z', entry },
      { type: 'message', message },
      { type: 'tool-call', turnId: 'turn-cut', timestamp: '2026-01-01T00:00:00.000Z', call, effect: 'write' },
    ];
    const { appendFileSync } = await import('node:fs');
    appendFileSync(home.transcriptPath(), cut.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await ask(home, 'after')).toMatchObject({ success: true, sessionId });
    expect(structureProblems(home.lines())).toEqual([]);
    const [told] = home.messages().filter(({ role }) => role === 'system');
    expect(told?.content).toMatch(/interrupted[\s\S]*file_write[\s\S]*outcome unknown/);
    expect(home.lines()).toContainEqual(
      expect.objectContaining({ type: 'turn-end', turnId: 'turn-cut', outcome: 'interrupted' }),
    );
  });
});

it('SIGINT at any moment ends in a whole turn or in none, and the session continues', async () => {
  const { killed, problems } = await runKills({ home: testHome(), kills: 12, seed: 7, signal: 'SIGINT' });
  expect(problems).toEqual([]);
  expect(killed).toBe(12);
});

/** Resolves once the transcript holds the text. */
async function lineOnDisk(home: Home, text: string): Promise<void> {
  while (!readFileSync(home.transcriptPath(), 'utf8').includes(text)) await sleep(2);
}
