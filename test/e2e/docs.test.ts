import { describe, expect, it } from 'vitest';
import type { DocsEntry, DocsHit, DocsText } from '../../src/docs/docs.ts';
import type { ToolResult } from '../../src/tools/tool.ts';
import { ask, lainclaw, terminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const docs = (...args: string[]) => lainclaw(['docs', ...args], { home: testHome() });

describe('lainclaw docs', () => {
  it('lists the pages of the installed version, wherever it is run', async () => {
    const { code, json } = await docs('list');
    expect(code).toBe(0);
    const pages = json<DocsEntry[]>();
    expect(pages.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['tools/overview.md', 'tools/docs.md', 'tools/skills.md', 'config/config.md']),
    );
  });

  it('reads a page and a section', async () => {
    const page = (await docs('read', 'tools/docs.md')).json<DocsText>();
    expect(page).toMatchObject({ address: 'tools/docs.md', title: 'Documentation tools' });
    const section = (await docs('read', 'tools/docs.md#addresses', '--text')).stdout;
    expect(section).toMatch(/^## Addresses\n/);
    expect(page.text).toContain(section.trim());
  });

  it('finds a section by what it is about', async () => {
    const hits = (await docs('search', 'install', 'a', 'skill', '--top-k', '2')).json<DocsHit[]>();
    expect(hits).toHaveLength(2);
    expect(hits[0]?.address).toBe('tools/skills.md#installing-a-skill');
    const found = await terminal(['docs', 'search', 'how the search works'], { home: testHome() });
    expect(found.stdout).toContain('tools/docs.md#how-the-search-works');
    expect((await docs('search', 'xylophone')).json()).toEqual([]);
  });

  it.each([
    [['read', 'tools/doc.md'], 'did you mean tools/docs.md?', 1],
    [['read', 'tools/docs.md#adresses'], 'did you mean tools/docs.md#addresses?', 1],
    [['read', '../package.json'], 'DOCS_INVALID_PATH', 1],
    [['read', '/etc/passwd'], 'DOCS_INVALID_PATH', 1],
    [['search', 'x', '--top-k', '0'], 'at least 1', 2],
    [['search'], 'query', 2],
  ])('%j ends with the reason', async (args, reason, code) => {
    const finished = await docs(...args);
    expect(finished.stderr).toContain(reason);
    expect(finished.code).toBe(code);
  });
});

describe('the docs tools', () => {
  it('give a model the same as a person', async () => {
    const home = testHome();
    const { toolResults } = await ask(
      home,
      'tool:[{"name":"docs_list"},{"name":"docs_search","args":{"query":"timezone"}},{"name":"docs_read","args":{"path":"tools/utils.md#time"}}]',
    );
    const [list, search, read] = toolResults.map(({ result }) => (result as ToolResult & { ok: true }).data);
    expect(list).toMatchObject({
      pages: expect.arrayContaining([expect.objectContaining({ path: 'tools/utils.md' })]),
    });
    expect(search).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ address: 'tools/utils.md#time' })]),
    });
    expect(read).toMatchObject({ address: 'tools/utils.md#time', text: expect.stringContaining('current_time') });
  });

  it('refuse a path that leads away', async () => {
    const { code, json } = await lainclaw(['tools', 'invoke', 'docs_read', '--args', '{"path":"../package.json"}'], {
      home: testHome(),
    });
    expect(code).toBe(1);
    expect(json()).toMatchObject({ result: { ok: false, error: { code: 'invalid_args' } } });
  });
});
