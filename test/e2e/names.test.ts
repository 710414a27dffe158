// Jobs, sub-agents and skills with the names that people bring along: any script, spaces, signs. Each is found by its name again,
// also in another case or Unicode form, and no two share a conversation or a folder.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobSummary } from '../../src/schedule/summary.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

const NAMES = ['Morning report!', '每日 报告', 'Отчёт за день', 'a/../b', '"quoted" & $HOME', '字'.repeat(100)];

const schedule = (home: Home, ...args: string[]): Promise<Finished> => lainclaw(['schedule', ...args], { home });
const add = (home: Home, name: string): Promise<Finished> =>
  schedule(home, 'add', '--every', '1d', '--message', `I am ${name}`, '--', name);
const sessionKeys = async (home: Home): Promise<string[]> =>
  (await lainclaw(['sessions', 'list'], { home })).json<{ sessionKey: string }[]>().map(({ sessionKey }) => sessionKey);

describe.concurrent('a job', () => {
  it('may have any printable name: it runs in a conversation of its own, and is found by that name', async () => {
    const home = testHome();
    for (const name of NAMES) expect((await add(home, name)).code).toBe(0);
    const { jobs } = (await schedule(home, 'list')).json<{ jobs: JobSummary[] }>();
    expect(jobs.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      expect((await schedule(home, 'run', name)).json()).toMatchObject({ name, status: 'ok' });
      expect((await schedule(home, 'history', name)).json()).toMatchObject([{ status: 'ok' }]);
    }
    expect(new Set(await sessionKeys(home)).size).toBe(NAMES.length);
    for (const name of NAMES) expect((await schedule(home, 'remove', name)).json()).toEqual({ removed: name });
  });

  it('keeps the conversation of a plain name, which an earlier version has begun', async () => {
    const home = testHome();
    await add(home, 'morning_1');
    await schedule(home, 'run', 'morning_1');
    expect(await sessionKeys(home)).toEqual(['schedule:morning_1']);
  });

  it('has one name in every case and Unicode form', async () => {
    const home = testHome();
    await add(home, 'Cafe\u0301 report');
    for (const same of ['Café report', 'CAFÉ  REPORT', 'Ｃafé report']) {
      const { code, stderr } = await add(home, same);
      expect([code, stderr]).toEqual([1, expect.stringContaining('there is a job "Café report" already')]);
    }
    expect((await schedule(home, 'pause', 'café REPORT')).json()).toMatchObject({ name: 'Café report' });
    expect((await schedule(home, 'remove', 'cafe\u0301 report')).json()).toEqual({ removed: 'Café report' });
  });

  it.each([
    ['', 'empty'],
    ['two\nlines', 'line break'],
    ['x'.repeat(101), '101 characters'],
    ['\u202egnp.exe', 'cannot be seen'],
  ])('may not be named %j', async (name, reason) => {
    const home = testHome();
    const { code, stderr } = await add(home, name);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  it('of HEARTBEAT.md is found by its heading', async () => {
    const home = testHome();
    const workspace = join(home.path, 'workspace');
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, 'HEARTBEAT.md'), '## Что нового? (утро)\ncron: 0 9 * * *\nmessage: Ask.\n');
    expect((await schedule(home, 'run-due')).code).toBe(0);
    expect((await schedule(home, 'run', 'что нового? (утро)')).json()).toMatchObject({ status: 'ok' });
  });
});

describe('a sub-agent', () => {
  const own = (home: Home, file: string, name: string): void => {
    mkdirSync(join(home.path, 'agents'), { recursive: true });
    writeFileSync(join(home.path, 'agents', file), `---\nname: ${name}\ndescription: d\n---\nYou are ${name}.\n`);
  };

  it('is called and started by the name of its definition, whatever the case', async () => {
    const model = await modelFor('openai-compatible', []);
    own(model.home, 'one.md', 'Code Review 代码');
    model.follow(({ system, messages }) => {
      const isAsked = messages.some((message) => message.role === 'user' && message.text === 'go');
      if (!isAsked) return { text: String(system).includes('You are Code Review') ? 'reviewed' : 'seen' };
      if (messages.some(({ role }) => role === 'tool')) return { text: 'done' };
      return {
        toolCalls: [
          { name: 'task', args: { agent: 'code review 代码', prompt: 'look' } },
          { name: 'subagent_spawn', args: { name: 'CODE review 代码', message: 'look' } },
          { name: 'subagent_spawn', args: { name: 'Тот же, иначе', message: 'look' } },
        ],
      };
    });
    const { toolResults } = (await model.ask('go', '--approve', 'auto')).json<{
      toolResults: { result: { ok: boolean; data?: { name?: string } } }[];
    }>();
    expect(toolResults.map(({ result }) => result.ok)).toEqual([true, true, true]);
    const runs = await eventually(async () => {
      const found = (await lainclaw(['agents', 'status'], model)).json<{ runs: { name: string; state: string }[] }>();
      expect(found.runs.map(({ state }) => state)).toEqual(['done', 'done']);
      return found.runs;
    });
    expect(runs.map(({ name }) => name).sort()).toEqual(['Code Review 代码', 'Тот же, иначе']);
    const keys = (await sessionKeys(model.home)).filter((key) => key.startsWith('subagent:'));
    expect(keys.sort()).toEqual([
      expect.stringMatching(/^subagent:Code-Review-代码=[0-9a-f]{16}$/),
      expect.stringMatching(/^subagent:Тот-же-иначе=[0-9a-f]{16}$/),
    ]);
  });

  it('takes the place of one whose name differs only in case', async () => {
    const home = testHome();
    own(home, 'mine.md', 'Explore');
    const { agents } = (await lainclaw(['agents', 'list'], { home })).json<{ agents: { name: string }[] }>();
    expect(agents.map(({ name }) => name)).toEqual(['Explore', 'general', 'review']);
  });
});

describe('a skill', () => {
  it('is installed into a folder made from its name, and shown and removed by the name', async () => {
    const home = testHome();
    const name = 'Release: notes / 发布';
    home.file('source/SKILL.md', `---\nname: "${name}"\ndescription: d\n---\nDo it.\n`);
    expect((await lainclaw(['skills', 'install', './source'], { home })).code).toBe(0);
    expect(readdirSync(join(home.path, 'skills')).filter((folder) => !folder.startsWith('.'))).toEqual([
      expect.stringMatching(/^Release-notes-发布=[0-9a-f]{16}$/),
    ]);
    expect((await lainclaw(['skills', 'show', 'release: NOTES / 发布'], { home })).json()).toMatchObject({ name });
    expect((await lainclaw(['skills', 'list'], { home })).json()).toMatchObject({
      skills: [{ name, installed: { changed: false } }],
    });
    expect((await lainclaw(['skills', 'remove', name], { home })).code).toBe(0);
    expect((await lainclaw(['skills', 'list'], { home })).json()).toEqual({ skills: [], problems: [] });
  });
});
