// Deaths and crowds: the guarantees that hold between processes. The benchmarks run the same harnesses with 500 deaths
// and 50 processes.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCrowd } from '../support/crowd.ts';
import { type Home, parseLines } from '../support/home.ts';
import { homeProblems, runKills } from '../support/kill-harness.ts';
import { runKilledAt } from '../support/killed-command.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

it('the first turn of a session, killed before any of its writes, is part of the session that the next turn continues', {
  timeout: 300_000,
}, async () => {
  // In a home whose index is filled: an empty one is made again from the transcripts.
  const before = testHome();
  await ask(before, 'something else', '--session', 'other');
  const others = questionsIn(before).length;
  let kept = 0;
  for (let killAt = 1; ; killAt += 1) {
    const home = testHome();
    cpSync(before.path, home.path, { recursive: true });
    const { signal, stderr } = await runKilledAt(['ask', 'the first question'], killAt, { home });
    if (signal === null) break;
    const left = questionsIn(home).slice(others);
    await ask(home, 'the second question');
    const asked = home.messages().flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(asked, stderr).toEqual([...left, 'the second question']);
    expect(
      home.lines().filter(({ type }) => type === 'turn-end'),
      stderr,
    ).toHaveLength(left.length + 1);
    kept += left.length;
  }
  expect(kept).toBeGreaterThan(5);
});

it('a setting whose command is killed before any of its writes is as before or done, and the audit log is whole', {
  timeout: 300_000,
}, async () => {
  let kills = 0;
  for (;;) {
    const home = testHome();
    const { signal, stdout, stderr } = await runKilledAt(['config', 'set', 'language', 'zh'], kills + 1, { home });
    if (signal === null) break;
    kills += 1;
    const verified = await lainclaw(['audit', 'verify'], { home });
    expect(verified.code, `${stderr}${verified.stdout}`).toBe(0);
    const { stdout: language } = await lainclaw(['config', 'get', 'language'], { home });
    expect(language, stderr).toMatch(stdout === '' ? /zh|en/ : /zh/);
  }
  expect(kills).toBeGreaterThan(10);
});

/** What people asked, over all transcripts. */
function questionsIn({ path }: Home): string[] {
  const sessions = join(path, 'sessions');
  const names = existsSync(sessions) ? readdirSync(sessions).filter((name) => name.endsWith('.jsonl')) : [];
  const texts = names.map((name) => readFileSync(join(sessions, name), 'utf8')).filter((text) => text !== '');
  return texts.flatMap((text) =>
    parseLines(text).flatMap((line) =>
      line.type === 'message' && line.message.role === 'user' ? [line.message.content] : [],
    ),
  );
}

describe('killed at random moments', () => {
  it('a session loses nothing that was acknowledged, and nothing is corrupt', async () => {
    const { killed, acknowledged, problems } = await runKills({ home: testHome(), kills: 30, seed: 20_261 });
    expect(problems).toEqual([]);
    expect(killed).toBe(30);
    expect(acknowledged.length).toBeGreaterThan(3);
  });

  it('nor do several sessions with turns at the same time', async () => {
    const { killed, problems } = await runKills({
      home: testHome(),
      kills: 12,
      seed: 4,
      sessionKeys: ['a', 'b'],
      parallel: 3,
    });
    expect(problems).toEqual([]);
    expect(killed).toBeGreaterThanOrEqual(12);
  });

  it('the harness would notice a loss, a repetition, a changed answer, a swap and a torn line', async () => {
    const home = testHome();
    const { acknowledged, problems } = await runKills({ home, kills: 2, seed: 5 });
    expect(problems).toEqual([]);
    const path = home.transcriptPath();
    const whole = readFileSync(path, 'utf8');
    const lines = whole.trimEnd().split('\n');
    const starts = lines.flatMap((line, index) => (line.startsWith('{"type":"turn-start"') ? [index] : []));
    const [first = 0, second = 0, third = 0] = starts;
    const turn = lines.slice(first, second);
    const noticed = (changed: string[]): string[] => {
      writeFileSync(path, `${changed.join('\n')}\n`);
      return homeProblems(home, acknowledged, { settled: true });
    };
    const asked = acknowledged[0]?.input ?? '';
    expect(noticed(lines.toSpliced(first, turn.length))).toContainEqual(
      expect.stringContaining(`"${asked}" is in the transcript 0 times`),
    );
    expect(noticed(lines.toSpliced(second, 0, ...turn))).toContainEqual(
      expect.stringContaining(`"${asked}" is in the transcript 2 times`),
    );
    expect(noticed(lines.map((line) => line.replace(`You said: ${asked}`, 'You said: something else')))).toContainEqual(
      expect.stringContaining('another answer'),
    );
    const swapped = [...lines.slice(0, first), ...lines.slice(second, third), ...turn, ...lines.slice(third)];
    expect(noticed(swapped)).toContainEqual(expect.stringContaining('stands before one that was acknowledged earlier'));
    expect(noticed(lines.with(second, '{"torn'))).toContainEqual(expect.stringContaining('JSON'));
    expect(noticed(lines.toSpliced(second - 1, 1))).toContainEqual(expect.stringContaining('starts inside'));
    expect(noticed(lines)).toEqual([]);
  });
});

describe('a crowd of processes', () => {
  it('on one session: every turn is there, whole, one after the other', async () => {
    const home = testHome();
    const { acknowledged, problems, waited } = await runCrowd({ home, processes: 10, sameKey: true });
    expect(problems).toEqual([]);
    expect(acknowledged).toHaveLength(10);
    expect(home.messages('crowd')).toHaveLength(20);
    expect(waited).toBeGreaterThan(0);
  });

  it('each on its own session: the index has them all', async () => {
    const { indexed, problems } = await runCrowd({ home: testHome(), processes: 10, sameKey: false });
    expect(problems).toEqual([]);
    expect(indexed).toHaveLength(10);
  });

  it('each reading a file for the first time: no store of results is in the way', async () => {
    const home = testHome();
    home.file('a.txt', 'shared');
    const input = (member: number): string => `tool:fs.read_file {"path":"a.txt","maxLines":${member + 1}}`;
    const { acknowledged, problems } = await runCrowd({ home, processes: 10, sameKey: false, input });
    expect(problems).toEqual([]);
    expect(acknowledged.map(({ result }) => result)).toEqual(Array.from({ length: 10 }, () => 'fs.read_file: shared'));
  });
});
