// Files that a crash, a bad disk or a person has damaged: what can be read is read, what cannot is kept and reported.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';
import { acknowledgedProblems, structureProblems } from '../support/transcript-rules.ts';

const indexPath = (home: Home): string => join(home.path, 'sessions', 'sessions.json');
const asides = (home: Home): string[] =>
  readdirSync(join(home.path, 'sessions')).filter((name) => name.startsWith('sessions.json.damaged'));

describe.concurrent('the index', () => {
  it.each([
    ['is cut short', (text: string) => text.slice(0, -20)],
    ['is empty', () => ''],
    ['holds NUL bytes', (text: string) => '\0'.repeat(text.length)],
    ['is not an object', () => '[]'],
    ['is null', () => 'null'],
    ['has no sessions', () => '{"version":1}'],
    ['has a list of sessions', () => '{"version":1,"sessions":[]}'],
    ['has an entry that is not one', () => '{"version":1,"sessions":{"main":null}}'],
    ['has an entry without its session', () => '{"version":1,"sessions":{"main":{"sessionKey":"main"}}}'],
    [
      'has a session id that leads elsewhere',
      (text: string) => text.replace(/"sessionId": "[^"]+"/, '"sessionId": "../../x"'),
    ],
    ['has an entry under another key', (text: string) => text.replace('"main": {', '"other": {')],
    ['has no version', (text: string) => text.replace('"version": 1', '"version": "1"')],
  ])('that %s is kept aside and rebuilt: the session continues', async (_name, damage) => {
    const home = testHome();
    const first = await ask(home, 'one', '--memory');
    const entry = home.entry();
    const damaged = damage(readFileSync(indexPath(home), 'utf8'));
    writeFileSync(indexPath(home), damaged);
    const { code, stderr, json } = await lainclaw(['ask', 'two'], { home });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ sessionId: first.sessionId, memoryEnabled: true });
    expect(stderr).toMatch(/^lainclaw: the index of sessions was damaged: rebuilt.*\.damaged-\d+\n$/);
    expect(home.entry()).toEqual({ ...entry, updatedAt: home.entry().updatedAt });
    expect(asides(home)).toHaveLength(1);
    expect(readFileSync(join(home.path, 'sessions', asides(home)[0] ?? ''), 'utf8')).toBe(damaged);
    expect((await lainclaw(['ask', 'three'], { home })).stderr).toBe('');
  });

  it('that is missing is rebuilt with everything it held', async () => {
    const home = testHome();
    await ask(home, 'one', '--memory');
    await ask(home, 'two', '--session', 'work', '--no-memory');
    await ask(home, 'three', '--session', 'work', '--new-session');
    await ask(home, 'four', '--session', '__proto__');
    const before = home.index();
    rmSync(indexPath(home));
    const { stderr, json } = await lainclaw(['sessions', 'list'], { home });
    expect(stderr).toBe('');
    expect(json<unknown[]>()).toHaveLength(3);
    expect(home.index()).toEqual(before);
    expect(asides(home)).toEqual([]);
  });

  it('of a newer version is refused and left as it is', async () => {
    const home = testHome();
    await ask(home, 'one');
    const newer = JSON.stringify({ ...home.index(), version: 2 });
    const transcript = readFileSync(home.transcriptPath());
    writeFileSync(indexPath(home), newer);
    for (const args of [
      ['ask', 'two'],
      ['sessions', 'list'],
      ['sessions', 'show', 'main'],
      ['ask', 'x', '--new-session'],
    ]) {
      const { code, stderr } = await lainclaw(args, { home });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /STORAGE_NEWER_VERSION: .*sessions\.json.*newer Lainclaw \(version 2, .* version 1\): upgrade lainclaw/,
      );
    }
    expect(readFileSync(indexPath(home), 'utf8')).toBe(newer);
    expect(readFileSync(home.transcriptPath())).toEqual(transcript);
    expect(asides(home)).toEqual([]);
  });
});

describe.concurrent('the transcript', () => {
  it('torn anywhere in its last turn loses nothing that was there before, and continues', async () => {
    const home = testHome();
    const { sessionId, result } = await ask(home, 'one');
    const whole = readFileSync(home.transcriptPath());
    const kept = [{ sessionKey: 'main', sessionId, input: 'one', result }];
    await ask(home, 'tool:tools.echo {"a":"中😀"}\ntwo');
    const size = readFileSync(home.transcriptPath()).length;
    const end = readFileSync(home.transcriptPath());
    const cuts = [
      whole.length + 1,
      whole.length + 60,
      Math.floor((whole.length + size) / 2),
      size - 120,
      size - 2,
      size - 1,
    ];
    for (const cut of cuts) {
      writeFileSync(home.transcriptPath(), end);
      truncateSync(home.transcriptPath(), cut);
      const after = await ask(home, `after ${cut}`);
      expect(after.sessionId).toBe(sessionId);
      expect(structureProblems(home.lines())).toEqual([]);
      expect(acknowledgedProblems(home.lines(), [...kept, { ...after, input: `after ${cut}` }])).toEqual([]);
    }
  });

  it('that lost only its last newline loses nothing', async () => {
    const home = testHome();
    await ask(home, 'one');
    const before = home.lines();
    truncateSync(home.transcriptPath(), readFileSync(home.transcriptPath()).length - 1);
    await ask(home, 'two');
    expect(home.lines().slice(0, before.length)).toEqual(before);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('that ends in NUL bytes is repaired, and the repair is noted', async () => {
    const home = testHome();
    await ask(home, 'one');
    const before = home.lines();
    appendFileSync(home.transcriptPath(), '\0'.repeat(5_000));
    await ask(home, 'two');
    expect(home.lines().slice(0, before.length)).toEqual(before);
    expect(home.lines()[before.length]).toMatchObject({ type: 'repair', droppedBytes: 5_000 });
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('damaged in the middle is reported, kept byte for byte, and the session continues', async () => {
    const home = testHome();
    for (const word of ['one', 'two', 'three']) await ask(home, word);
    const lines = readFileSync(home.transcriptPath(), 'utf8').split('\n');
    const target = lines.findIndex((line) => line.includes('"content":"two"'));
    lines[target] = `{"type":"message","mess\u0000${'ж'.repeat(10)}`;
    lines.splice(2, 0, '', 'not json', '42', '{"type":1}', '{"no":"type"}');
    writeFileSync(home.transcriptPath(), lines.join('\n'));
    const damaged = readFileSync(home.transcriptPath());
    expect(await ask(home, 'four')).toMatchObject({ success: true });
    expect(readFileSync(home.transcriptPath()).subarray(0, damaged.length)).toEqual(damaged);
    const { code, stderr, json } = await lainclaw(['sessions', 'show', 'main'], { home });
    expect(code).toBe(0);
    const { damagedLines, messages } = json<{ damagedLines: number[]; messages: { content: string }[] }>();
    expect(damagedLines).toEqual([4, 5, 6, 7, target + 6]);
    expect(stderr).toMatch(/5 lines of the transcript cannot be read: 4, 5, 6, 7, /);
    const asked = messages.map(({ content }) => content);
    for (const word of ['one', 'three', 'four']) expect(asked).toContain(word);
  });

  it('whose last turn lost its end line in place is closed and continues', async () => {
    const home = testHome();
    await ask(home, 'one');
    const lines = readFileSync(home.transcriptPath(), 'utf8').trimEnd().split('\n');
    writeFileSync(home.transcriptPath(), `${[...lines.slice(0, -1), 'x'.repeat(40)].join('\n')}\n`);
    const { sessionId } = await ask(home, 'two');
    const { damagedLines } = (await lainclaw(['sessions', 'show', 'main'], { home })).json<{
      damagedLines: number[];
    }>();
    expect(damagedLines).toEqual([lines.length]);
    expect(home.entry().sessionId).toBe(sessionId);
  });

  it('that is gone begins again under the same session', async () => {
    const home = testHome();
    const { sessionId } = await ask(home, 'one');
    rmSync(home.transcriptPath());
    expect(await ask(home, 'two')).toMatchObject({ sessionId });
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('with lines of a later version passes over them and keeps them', async () => {
    const home = testHome();
    await ask(home, 'one');
    const line = '{"type":"from-the-future","message":{"role":"user","content":"no"}}\n';
    appendFileSync(home.transcriptPath(), line);
    await ask(home, 'two');
    expect(readFileSync(home.transcriptPath(), 'utf8')).toContain(line);
    expect(home.messages()).toHaveLength(4);
  });

  it('of a session that only has messages is read', async () => {
    const home = testHome();
    await ask(home, 'one');
    const messages = home.messages().map((message) => JSON.stringify({ type: 'message', message }));
    writeFileSync(home.transcriptPath(), `${messages.join('\n')}\n`);
    const { result } = await ask(home, 'summarise');
    expect(result).toContain('Summary: one');
    expect(existsSync(home.transcriptPath())).toBe(true);
  });
});
