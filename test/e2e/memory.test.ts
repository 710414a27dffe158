import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Saved } from '../../src/memory/note.ts';
import type { SearchResult } from '../../src/memory/search.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const memory = (home: Home, ...args: string[]): Promise<Finished> => lainclaw(['memory', ...args], { home });
async function search(home: Home, query: string, ...flags: string[]): Promise<SearchResult> {
  return (await memory(home, 'search', query, ...flags)).json<SearchResult>();
}

describe('lainclaw memory', () => {
  it('saves, finds, lists and forgets', async () => {
    const home = testHome();
    const { id, added } = (
      await memory(home, 'save', 'The spare key is under the blue pot.', '--source', 'chat')
    ).json<Saved>();
    expect(added).toBe(true);
    const found = await search(home, 'where are my keys');
    expect(found.mode).toBe('full-text');
    expect(found.results[0]).toMatchObject({ id, source: 'chat', why: { terms: ['key'] } });
    expect((await memory(home, 'list')).json<{ id: string }[]>().map((entry) => entry.id)).toEqual([id]);
    expect((await memory(home, 'forget', id)).json()).toEqual({ forgotten: 1 });
    expect((await search(home, 'key')).results).toEqual([]);
    const again = await memory(home, 'forget', id);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('MEMORY_NOT_FOUND');
    expect(readFileSync(join(home.path, 'lainclaw.db')).includes('blue pot')).toBe(false);
  });

  it('keeps what each scope has apart, and shows the owner all of it', async () => {
    const home = testHome();
    home.file('notes/tea.md', 'Tea is in the cupboard.');
    const anna = ['--scope', 'person:telegram:1'];
    await memory(home, 'save', 'Tea at four.');
    await memory(home, 'save', 'Tea without sugar.', ...anna);
    const folder = join(home.workspace, 'notes');
    for (const scope of [[], ['--scope', 'project'], []])
      expect((await memory(home, 'import', folder, ...scope)).code).toBe(0);
    const texts = async (...flags: string[]) => (await search(home, 'tea', ...flags)).results.map(({ text }) => text);
    expect((await texts()).length).toBe(4);
    expect(await texts(...anna)).toEqual(['Tea without sugar.']);
    expect(await texts('--scope', 'project')).toEqual(['Tea is in the cupboard.']);
    expect((await texts('--scope', 'owner')).toSorted()).toEqual(['Tea at four.', 'Tea is in the cupboard.']);
    const listed = await memory(home, 'list', '--text', ...anna);
    expect(listed.stdout).toContain('person:telegram:1');
    await memory(home, 'core', 'set', 'user', 'name', 'Anna', ...anna);
    expect((await memory(home, 'core', 'get')).json()).toEqual({ user: {}, agent: {} });
    expect((await memory(home, 'core', 'get', ...anna)).json()).toEqual({ user: { name: 'Anna' }, agent: {} });
    expect((await memory(home, 'forget', '--source', 'manual', ...anna)).json()).toEqual({ forgotten: 1 });
    expect(await texts('--scope', 'owner')).toContain('Tea at four.');
    const refused = await memory(home, 'list', '--scope', 'annas');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('MEMORY_BAD_SCOPE')]);
  });

  it('a text in another encoding is refused, not damaged', async () => {
    const home = testHome();
    const refused = await lainclaw(['memory', 'save', '-'], { home, stdin: Buffer.from([0x63, 0x61, 0x66, 0xe9]) });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('UTF-8');
    expect((await memory(home, 'list')).json()).toEqual([]);
  });

  it('says when there is more than it lists', async () => {
    const home = testHome();
    await memory(home, 'save', 'one');
    await memory(home, 'save', 'two');
    expect((await memory(home, 'list', '--text', '--limit', '1')).stderr).toContain('--limit');
    expect((await memory(home, 'list', '--text')).stderr).toBe('');
  });

  it('an import names the files that are gone, and forgets them when asked', async () => {
    const home = testHome();
    const folder = join(home.workspace, 'notes');
    mkdirSync(folder);
    writeFileSync(join(folder, 'tulips.md'), '# Tulips\n\nPlant them in October.\n');
    writeFileSync(join(folder, 'roses.md'), '# Roses\n\nPrune them in March.\n');
    await memory(home, 'import', folder);
    rmSync(join(folder, 'tulips.md'));
    const { stdout, stderr } = await memory(home, 'import', folder, '--text');
    expect(stdout).toBe('1 file: 0 new, 0 changed, 1 as before\n');
    expect(stderr).toContain('tulips.md');
    expect(stderr).toContain('--forget-gone');
    expect((await memory(home, 'import', folder, '--forget-gone')).json()).toMatchObject({ forgotten: 1, gone: [] });
    expect((await search(home, 'tulips')).results).toEqual([]);
  });

  it('prints text for a person', async () => {
    const home = testHome();
    await memory(home, 'save', 'Чай с мятой по утрам', '--date', '2026-02-03');
    const { stdout, stderr } = await memory(home, 'search', 'утренний чай', '--text');
    expect(stdout).toContain('Чай с мятой');
    expect(stdout).toContain('2026-02-03');
    expect(stderr).toContain('full-text only');
    expect((await memory(home, 'list', '--text')).stdout).toContain('Чай с мятой');
  });

  it.each([['"'], ['OR AND NOT'], ['*:()^'], ['\u{1F600}'], ['-- x']])(
    'a search for %j is never an error',
    async (query) => {
      const { code } = await lainclaw(['memory', 'search', '--json', '--', query], { home: testHome() });
      expect(code).toBe(0);
    },
  );

  it.each([
    [['save', '  '], 1, 'MEMORY_EMPTY'],
    [['save', 'x', '--date', 'someday'], 2, 'someday'],
    [['forget', '--source', 'nowhere'], 1, 'MEMORY_NOT_FOUND'],
    [['save', 'x', '--supersedes', 'mem-none'], 1, 'mem-none'],
    [['search', 'x', '--top-k', '0'], 2, '--top-k'],
    [['search', 'x', '--fusion', 'best'], 2, 'convex'],
    [['forget'], 2, '--source'],
    [['import', '/none/at/all'], 1, 'MEMORY_FOLDER'],
    [['core', 'set', 'other', 'a', 'b'], 2, 'user, agent'],
    [['core', 'delete', 'user', 'a'], 1, 'MEMORY_KEY_NOT_FOUND'],
  ])('memory %j ends with %i and says %s', async (args, code, said) => {
    const finished = await memory(testHome(), ...args);
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(said)]);
  });

  it('imports a folder once, and only what changed the next time', async () => {
    const home = testHome();
    const folder = join(home.workspace, 'notes');
    mkdirSync(folder);
    for (let index = 0; index < 5; index += 1)
      writeFileSync(join(folder, `n${index}.md`), `# Note ${index}\n\nAbout planet ${index}.\n`);
    expect((await memory(home, 'import', folder)).json()).toMatchObject({ files: 5, added: 5 });
    expect((await memory(home, 'import', folder)).json()).toMatchObject({ files: 5, added: 0, unchanged: 5 });
    expect((await search(home, 'planet 3')).results[0]?.source).toBe(join(folder, 'n3.md'));
    expect((await memory(home, 'forget', '--source', join(folder, 'n3.md'))).json()).toEqual({ forgotten: 1 });
  });

  it('ten processes at once save and find, and nothing is lost', async () => {
    const home = testHome();
    const saved = await Promise.all(
      Array.from({ length: 10 }, async (_, member) => {
        const { id } = (await memory(home, 'save', `member ${member} was here`)).json<Saved>();
        expect((await search(home, `member ${member}`)).results.length).toBeGreaterThan(0);
        return id;
      }),
    );
    const listed = (await memory(home, 'list')).json<{ id: string }[]>().map(({ id }) => id);
    expect(listed.toSorted()).toEqual(saved.toSorted());
  });

  it('a reindex that is killed leaves the index whole', async () => {
    const home = testHome();
    const folder = join(home.workspace, 'many');
    mkdirSync(folder);
    const lines = Array.from(
      { length: 400 },
      (_, index) => `## Part ${index}\n\nThe marker${index} stands in part ${index}.\n`,
    );
    writeFileSync(join(folder, 'all.md'), lines.join('\n'));
    await memory(home, 'import', folder);
    for (const delay of [30, 60, 90, 120]) {
      const running = startLainclaw(['memory', 'reindex'], { home });
      await Promise.race([sleep(delay), running.ended]);
      running.kill('SIGKILL');
      await running.ended;
      expect((await search(home, `marker${delay}`)).results[0]?.text).toContain(`marker${delay} `);
    }
    expect((await memory(home, 'reindex')).json()).toEqual({ chunks: 400 });
  });
});

describe('lainclaw memory core', () => {
  it('keeps facts in core_memory.json', async () => {
    const home = testHome();
    expect((await memory(home, 'core', 'set', 'user', 'name', 'Lain')).json()).toEqual({
      section: 'user',
      key: 'name',
      value: 'Lain',
    });
    expect((await memory(home, 'core', 'get')).json()).toEqual({ user: { name: 'Lain' }, agent: {} });
    expect(JSON.parse(readFileSync(join(home.path, 'core_memory.json'), 'utf8'))).toEqual({
      user: { name: 'Lain' },
      agent: {},
    });
    expect((await memory(home, 'core', 'delete', 'user', 'name')).json()).toMatchObject({ previous: 'Lain' });
  });

  it('processes that set facts at once lose nothing of each other', async () => {
    const home = testHome();
    await Promise.all(Array.from({ length: 8 }, (_, index) => memory(home, 'core', 'set', 'agent', `k${index}`, 'v')));
    const { agent } = (await memory(home, 'core', 'get')).json<{ agent: object }>();
    expect(Object.keys(agent)).toHaveLength(8);
  });
});

describe('the memory tools', () => {
  const invoke = async (
    home: Home,
    tool: string,
    args: object,
  ): Promise<{ result: { ok: boolean; data?: unknown; error?: { code: string; message: string } } }> =>
    (await lainclaw(['tools', 'invoke', tool, '--args', JSON.stringify(args)], { home })).json();

  it('save and search without asking for permission', async () => {
    const home = testHome();
    expect((await invoke(home, 'memory_save', { content: '会议改到周五下午三点' })).result.ok).toBe(true);
    const { result } = await invoke(home, 'memory_search', { query: '会议什么时候？', topK: 3 });
    expect((result.data as SearchResult).results[0]?.text).toContain('周五');
    expect((await invoke(home, 'memory_save', { content: ' ' })).result.error?.code).toBe('execution_error');
    expect((await invoke(home, 'memory_search', {})).result.error?.code).toBe('invalid_args');
  });

  it('set, get and delete core facts; a missing key is an error', async () => {
    const home = testHome();
    await invoke(home, 'memory_core_update', { section: 'user', key: 'diet', value: 'vegetarian' });
    expect((await invoke(home, 'memory_core_get', {})).result.data).toEqual({
      user: { diet: 'vegetarian' },
      agent: {},
    });
    expect((await invoke(home, 'memory_core_delete', { section: 'user', key: 'diet' })).result.ok).toBe(true);
    const { result } = await invoke(home, 'memory_core_delete', { section: 'user', key: 'diet' });
    expect(result.error).toMatchObject({ code: 'execution_error', message: expect.stringContaining('diet') });
    expect((await invoke(home, 'memory_core_update', { section: 'x', key: 'a', value: 'b' })).result.error?.code).toBe(
      'invalid_args',
    );
  });
});
