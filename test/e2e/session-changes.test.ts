// `lainclaw sessions rename|fork|rewind`: conversations as a whole.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const said = (home: ReturnType<typeof testHome>, key: string) =>
  home.messages(key).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
const turnIds = (home: ReturnType<typeof testHome>, key?: string) =>
  home.lines(key).flatMap((line) => (line.type === 'turn-end' ? [line.turnId] : []));

describe('the title of a session', () => {
  it('is made of the first question, and renamed for good', async () => {
    const home = testHome();
    await ask(home, 'Which tea is green? Tell me.');
    await ask(home, 'And which is black?');
    expect(home.entry()).toMatchObject({ title: 'Which tea is green?', workspace: home.workspace });
    const renamed = await lainclaw(['sessions', 'rename', 'main', 'Tea', 'colours', '--text'], { home });
    expect(renamed.stdout).toBe('main is now "Tea colours"\n');
    const listed = await lainclaw(['sessions', 'list', '--text'], { home });
    expect(listed.stdout).toContain('Tea colours · Which tea is green? Tell me.');
    await ask(home, 'more');
    // Both indexes are gone: the transcript knows it too.
    for (const name of ['sessions.json', 'sessions.db', 'sessions.db-wal', 'sessions.db-shm'])
      rmSync(join(home.path, 'sessions', name), { force: true });
    const again = await lainclaw(['sessions', 'list', '--json'], { home });
    expect(again.json<unknown[]>()).toMatchObject([{ sessionKey: 'main', title: 'Tea colours' }]);
  });

  it.each([
    [['rename', 'mian', 'x'], 'did you mean main?'],
    [['rename', 'main', ' '], 'the title is empty'],
  ])('%j is refused', async (args, message) => {
    const home = testHome();
    await ask(home, 'hi');
    const { code, stderr } = await lainclaw(['sessions', ...args], { home });
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('sessions fork', () => {
  it('copies the history up to a turn, and both go their own way', async () => {
    const home = testHome();
    for (const input of ['one', 'two', 'three']) await ask(home, input);
    const [, second = ''] = turnIds(home);
    const before = home.lines();
    const forked = await lainclaw(['sessions', 'fork', 'main', '--turn', second, '--as', 'other', '--json'], { home });
    expect(forked.json()).toMatchObject({ success: true, session: { sessionKey: 'other' }, lastTurn: second });
    await ask(home, 'four', '--session', 'other');
    await ask(home, 'five');
    expect(said(home, 'other')).toEqual(['one', 'two', 'four']);
    expect(said(home, 'main')).toEqual(['one', 'two', 'three', 'five']);
    expect(home.lines().slice(0, before.length)).toEqual(before);
    expect(turnIds(home, 'other').slice(0, 2)).toEqual(turnIds(home).slice(0, 2));
    const counts = home.lines('other').flatMap((line) => (line.type === 'turn-end' ? [line.messageCount] : []));
    expect(counts).toEqual([2, 4, 6]);
  });

  it('takes a free key by itself', async () => {
    const home = testHome();
    await ask(home, 'one');
    for (const key of ['main-2', 'main-3'])
      expect((await lainclaw(['sessions', 'fork', 'main', '--text'], { home })).stdout).toContain(`--session ${key}\n`);
  });

  it.each([
    [['mian'], 'SESSION_NOT_FOUND', 'did you mean main?'],
    [['main', '--turn', 'turn-nowhere'], 'TURN_NOT_FOUND', 'there is no turn "turn-nowhere"'],
    [['main', '--turn', 'turn'], 'TURN_NOT_FOUND', '2 turns begin with "turn"'],
    [['main', '--as', 'main'], 'SESSION_EXISTS', 'there is a session "main" already'],
    [['main', '--as', 'a/b'], 'INVALID_SESSION_KEY', 'cannot name a session'],
  ])('%j is refused and changes nothing', async (args, code, message) => {
    const home = testHome();
    await ask(home, 'one');
    await ask(home, 'two');
    const { stderr } = await lainclaw(['sessions', 'fork', ...args], { home });
    expect(stderr).toContain(code);
    expect(stderr).toContain(message);
    expect(home.transcripts()).toHaveLength(1);
  });
});

describe('sessions rewind', () => {
  const write = (content: string) => `tool:file_write ${JSON.stringify({ path: 'a.txt', content })}`;
  const file = (home: ReturnType<typeof testHome>) => join(home.workspace, 'a.txt');

  async function threeTurns() {
    const home = testHome();
    for (const content of ['one', 'two', 'three']) await ask(home, write(content), '--approve', 'auto');
    const [first = ''] = turnIds(home);
    const rewind = (...flags: string[]) => lainclaw(['sessions', 'rewind', 'main', ...flags, '--json'], { home });
    return { home, first, rewind };
  }

  it('restores the files, and can be done again further back', async () => {
    const { home, rewind } = await threeTurns();
    const [first = '', second = ''] = turnIds(home);
    const before = home.entry().sessionId;
    expect((await rewind('--turn', second, '--files')).json()).toMatchObject({
      keptAside: before,
      restored: ['a.txt'],
    });
    expect([said(home, 'main').length, readFileSync(file(home), 'utf8')]).toEqual([2, 'two']);
    await rewind('--turn', first, '--files');
    expect([said(home, 'main').length, readFileSync(file(home), 'utf8')]).toEqual([1, 'one']);
  });

  it('leaves the files without --files', async () => {
    const { home, first, rewind } = await threeTurns();
    expect((await rewind('--turn', first)).json()).toMatchObject({ success: true, restored: [] });
    expect([said(home, 'main').length, readFileSync(file(home), 'utf8')]).toEqual([1, 'three']);
  });

  it('changes nothing where a file was changed since, or where there is no such turn', async () => {
    const { home, first, rewind } = await threeTurns();
    writeFileSync(file(home), 'by hand');
    const refused = await rewind('--turn', first, '--files');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('a.txt (it was changed since)')]);
    expect((await rewind('--turn', 'turn-nowhere', '--files')).stderr).toContain('TURN_NOT_FOUND');
    expect([said(home, 'main').length, readFileSync(file(home), 'utf8')]).toEqual([3, 'by hand']);
    expect(home.transcripts()).toHaveLength(1);
    expect((await rewind()).code).toBe(2);
  });
});
