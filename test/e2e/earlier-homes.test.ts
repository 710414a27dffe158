// Homes that earlier versions have left (test/fixtures/homes): each is taken over, and nothing in it is lost.
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { afterFile } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const HOMES = resolve('test/fixtures/homes');
const versions = readdirSync(HOMES).filter((name) => statSync(join(HOMES, name)).isDirectory());

describe.each(versions)('a home of version %s', (version) => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    afterFile(() => home.remove());
    cpSync(join(HOMES, version), home.path, { recursive: true });
  });
  const run = async <T>(...args: string[]): Promise<T> => {
    const { code, stderr, json } = await lainclaw(args, { home });
    expect(code, stderr).toBe(0);
    return json<T>();
  };

  it('lists its sessions, without the runs of task, and shows them', async () => {
    const listed = await run<{ sessionKey: string }[]>('sessions', 'list');
    expect(listed.map(({ sessionKey }) => sessionKey)).toEqual(['local:anna', 'work', 'main']);
    const { messages } = await run<{ messages: { content: string }[] }>('sessions', 'show', 'main');
    expect(messages[0]?.content).toBe('What is the capital of France?');
    const all = await run<{ sessionKey: string; isCurrent: boolean }[]>('sessions', 'list', '--all');
    expect(all.filter(({ sessionKey }) => sessionKey === 'work')).toMatchObject([
      { isCurrent: false },
      { isCurrent: true },
    ]);
    expect(all.filter(({ sessionKey }) => sessionKey.startsWith('task:'))).toMatchObject([{ isCurrent: false }]);
  });

  it('continues a session, which keeps what it had', async () => {
    const before = home.messages();
    const { sessionId } = home.entry();
    expect(await ask(home, 'And of Italy?')).toMatchObject({ sessionId, memoryEnabled: true });
    expect(home.messages().slice(0, before.length)).toEqual(before);
    expect(home.messages().at(-2)?.content).toBe('And of Italy?');
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('exports and replays what was said', async () => {
    const { sessions } = await run<{ sessions: { entries: { type: string }[] }[] }>(
      'sessions',
      'export',
      'work',
      '--all',
    );
    expect(sessions).toHaveLength(2);
    const { code, stdout } = await lainclaw(['sessions', 'replay', 'main'], { home });
    expect(code).toBe(0);
    expect(stdout).toContain('What is the capital of France?');
  });

  it('finds its notes and facts, and takes new ones', async () => {
    const { results } = await run<{ results: { text: string; scope: string }[] }>('memory', 'search', 'descale kettle');
    expect(results[0]?.scope).toBe('owner');
    expect(results[0]?.text).toContain('first Monday of each month');
    await run('memory', 'save', 'The toaster is new.');
    expect(await run('memory', 'core', 'get')).toMatchObject({ user: { name: 'Anna' } });
  });

  it('knows its jobs, and can change them', async () => {
    const jobs = [{ name: 'morning', cron: '0 9 * * *', message: 'Good morning' }];
    expect(await run('schedule', 'list')).toMatchObject({ jobs });
    await run('schedule', 'pause', 'morning');
    expect(await run('schedule', 'list')).toMatchObject({ jobs: [{ name: 'morning', status: 'paused' }] });
  });

  it('knows who was admitted and how the gateway is set', async () => {
    expect(await run('pairing', 'list', '--channel', 'local')).toMatchObject({ allowed: [{ entry: 'anna' }] });
    await run('pairing', 'revoke', 'anna', '--channel', 'local');
    expect(await run('gateway', 'config', 'show')).toMatchObject({ channels: { local: { provider: 'stub' } } });
  });

  it('takes back what the agent changed', async () => {
    const notes = home.file('notes.txt', 'second\n');
    // The workspace of its turns was elsewhere.
    const db = new DatabaseSync(join(home.path, 'undo', 'undo.db'));
    db.prepare('UPDATE turns SET root = ?').run(home.workspace);
    db.close();
    expect(await run<unknown[]>('undo', '--list')).toHaveLength(2);
    await run('undo');
    expect(readFileSync(notes, 'utf8')).toBe('first\n');
  });
});
