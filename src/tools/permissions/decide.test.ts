import { describe, expect, it } from 'vitest';
import { type Case, createDecider, ROOT } from '../../../test/support/decide-fixture.ts';

const decide = createDecider({});
const write = (path: string, given: Case = {}): string => decide('write', { path, content: 'x' }, given).verdict;
const read = (path: string, given: Case = {}): string => decide('read', { path }, given).verdict;

describe('files', () => {
  it('reading is allowed, writing asks', () => {
    expect(read('a.txt')).toBe('allow');
    expect(decide('write', { path: './docs/../a.txt', content: 'hello' })).toEqual({
      verdict: 'ask',
      reasons: ['file_write needs permission'],
      changes: true,
      needsPerson: false,
      question: {
        title: 'Write a.txt?',
        titleParts: [{ code: 'write', values: { path: 'a.txt' } }],
        exact: 'hello',
        parts: ['a.txt'],
      },
      rememberAs: ['file_write(a.txt)'],
      scopes: ['once', 'session', 'always'],
    });
  });

  it('an edit shows what goes and what comes', () => {
    const { question } = decide('edit', { path: 'a.txt', oldText: 'one\ntwo', newText: 'three' });
    expect(question).toMatchObject({ title: 'Edit a.txt?', exact: '- one\n- two\n+ three' });
  });

  it.each([
    ['docs/a.md', 'file_write(docs/**)'],
    ['docs/a/b/.c', 'file_write(docs/**)'],
    [`${ROOT}/docs/a.md`, 'file_write(docs/**)'],
    ['src/../docs/a.md', 'file_write(docs/**)'],
    ['docs/a.md', 'file_write(./docs/*.md)'],
    ['docs/a.md', 'file_write(docs/)'],
    ['docs/a.md', `file_write(${ROOT}/docs/**)`],
    ['docs/a.md', 'file_write(~/project/docs/**)'],
    ['docs/a.md', 'file_write'],
    ['docs/a.md', 'file_*'],
    ['docs/a.md', '*'],
  ])('%s may be written with %s', (path, rule) => {
    expect(write(path, { allow: [rule] })).toBe('allow');
  });

  it.each([
    ['docs/../src/a.ts', 'file_write(docs/**)'],
    ['docs-evil/a.md', 'file_write(docs/**)'],
    ['Docs/a.md', 'file_write(docs/**)'],
    ['docs/a/b.md', 'file_write(docs/*)'],
    ['sub/a.md', 'file_write(*.md)'],
    ['a.md', 'file_edit(**)'],
    ['../project-evil/a.md', 'file_write(**)'],
    ['/etc/a', 'file_write(**)'],
    ['a.md', 'bash'],
  ])('%s may not be written with %s alone', (path, rule) => {
    expect(write(path, { allow: [rule] })).toBe('ask');
  });

  it('deny and ask see the path as given, where it leads, any case, and a bare name at any depth', () => {
    const linked = { resolveLinks: (path: string) => path.replace('/link', '/secrets') };
    const given: Case = {
      allow: ['file_write', 'fs.read_file'],
      deny: ['fs.read_file(secrets/**)', 'fs.read_file(.env)'],
      context: linked,
    };
    for (const path of [
      'secrets/a',
      'SECRETS/a',
      './x/../secrets/a',
      `${ROOT}/secrets/a`,
      'link/a',
      'secrets',
      '.env',
      'a/b/.env',
      '~/project/secrets/a',
    ])
      expect(read(path, given), path).toBe('deny');
    expect(read('a.txt', given)).toBe('allow');
    expect(read('a.txt', { ask: ['file_read(a.*)'] })).toBe('ask');
    expect(decide('read', { path: 'x/../a' }, { deny: ['fs.read_file(x)'] }).verdict).toBe('allow');
  });

  it('a deny rule on reading holds for every tool that handles files, an ask rule for those that show what is in them', () => {
    const deny = { deny: ['fs.read_file(secrets/**)'] };
    const inside = { path: 'secrets/a', content: 'x', oldText: 'x', newText: 'y', pattern: 'x' };
    for (const tool of ['read', 'grep', 'glob', 'write', 'edit'] as const)
      expect(decide(tool, inside, deny).verdict, tool).toBe('deny');
    expect(decide('mcpSearch', inside, deny).verdict).toBe('allow');
    // What lies below is left out of the result, so there is nothing to ask.
    for (const tool of ['grep', 'glob'] as const)
      expect(decide(tool, { pattern: 'x' }, deny).verdict, tool).toBe('allow');
    const ask = { ask: ['fs.read_file(secrets/**)'] };
    expect(decide('grep', { pattern: 'x' }, ask).verdict).toBe('ask');
    expect(decide('glob', { pattern: 'x' }, ask).verdict).toBe('allow');
    // A tool from elsewhere leaves nothing out by itself.
    expect(decide('mcpSearch', { path: '.' }, { deny: ['mcp__files__search(secrets/**)'] }).verdict).toBe('ask');
  });

  it('an alias is the same tool', () => {
    expect(read('secrets/a', { deny: ['file_read(secrets/**)'] })).toBe('deny');
  });

  it('an allow rule counts for where a link leads, not for how it looks', () => {
    const context = { resolveLinks: (path: string) => path.replace('/docs/link', '/src') };
    expect(write('docs/link/a.ts', { allow: ['file_write(docs/**)'], context })).toBe('ask');
    expect(write('docs/link/a.ts', { allow: ['file_write(src/**)'], context })).toBe('allow');
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/config',
    '.GIT/config',
    '.gitmodules',
    '.husky/pre-commit',
    '.bashrc',
    '.zshenv',
    '.ssh/authorized_keys',
    '.envrc',
    '.npmrc',
    '.vscode/tasks.json',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.mcp.json',
    '.claude/settings.json',
  ])('%s asks whatever the rules say, each time', (path) => {
    const decision = decide(
      'write',
      { path, content: 'x' },
      { allow: ['file_write', '*'], answered: { as: [`file_write(${path})`] } },
    );
    expect(decision).toMatchObject({ verdict: 'ask', rememberAs: [], scopes: ['once'] });
  });

  it('the home of Lainclaw is never written by a tool, and asks before it is read', () => {
    const context = { workspaceRoot: '/home/u', directory: '/home/u' };
    expect(write('.lainclaw/permissions.json', { allow: ['*'], context })).toBe('deny');
    expect(write('/home/u/.lainclaw/new/file', { allow: ['*'], context })).toBe('deny');
    expect(read('.lainclaw/auth-profiles.json', { context })).toBe('ask');
    expect(read('.ssh/id_ed25519', { context })).toBe('ask');
    expect(read('notes.txt', { context })).toBe('allow');
  });

  it('a search from above a denied place leaves it out, in it there is none', () => {
    const given: Case = { deny: ['grep(secrets/**)'] };
    expect(decide('grep', { pattern: 'x' }, given).verdict).toBe('allow');
    expect(decide('grep', { pattern: 'x', path: 'secrets' }, given).verdict).toBe('deny');
    expect(decide('grep', { pattern: 'x', path: 'src' }, given).verdict).toBe('allow');
  });

  it('an answer covers the exact path only', () => {
    const answered = { as: ['file_write(docs/a.md)'] };
    expect(write('docs/./a.md', { answered })).toBe('allow');
    expect(write('docs/b.md', { answered })).toBe('ask');
    expect(decide('edit', { path: 'docs/a.md', oldText: 'a', newText: 'b' }, { answered }).verdict).toBe('ask');
    expect(decide('write', { path: 'docs/[a].md', content: '' }).rememberAs).toEqual([]);
  });

  it('deny beats ask beats allow', () => {
    expect(write('a', { allow: ['file_write'], ask: ['file_write'], deny: ['file_write'] })).toBe('deny');
    expect(write('a', { allow: ['file_write'], ask: ['file_write'] })).toBe('ask');
    expect(write('a', { allow: ['file_write'] })).toBe('allow');
  });
});

describe('other tools', () => {
  it('are matched by name', () => {
    const call = (given: Case): string => decide('mcp', { title: 'x' }, given).verdict;
    expect(call({})).toBe('ask');
    expect(call({ allow: ['mcp__*'] })).toBe('allow');
    expect(call({ allow: ['mcp__gitlab__*'] })).toBe('ask');
    expect(call({ allow: ['mcp__*'], deny: ['mcp__github__*'] })).toBe('deny');
    expect(decide('mcp', { title: 'x' }).scopes).toEqual(['once']);
  });

  it('a pattern on a tool without a path denies all of it and allows none of it', () => {
    const call = (given: Case): string => decide('mcp', { title: 'x' }, given).verdict;
    expect(call({ deny: ['mcp__github__create_issue(secret/**)'] })).toBe('deny');
    expect(call({ allow: ['mcp__github__create_issue(secret/**)'] })).toBe('ask');
  });

  it('from elsewhere are shown as a whole and asked for each time, whatever their arguments are called', () => {
    const args = { path: 'notes.txt', content: 'hello', to: 'mallory@example.com', body: 'the secrets' };
    const asked = decide('mcp', args);
    expect(asked.verdict).toBe('ask');
    expect(asked.question.title).toContain('mcp__github__create_issue');
    expect(asked.question.exact).toContain('mallory@example.com');
    expect(asked).toMatchObject({ rememberAs: [], scopes: ['once'] });
    const answered = { as: ['mcp__github__create_issue(notes.txt)'], tainted: true };
    expect(decide('mcp', args, { tainted: true, answered }).verdict).toBe('ask');
    expect(decide('mcp', { ...args, path: '.git/config' }, { allow: ['mcp__*'] }).verdict).toBe('ask');
  });
});

describe('a tainted turn', () => {
  const tainted: Case = { tainted: true };

  it('reads, and writes inside the workspace by its rules', () => {
    expect(read('a.txt', tainted)).toBe('allow');
    expect(write('docs/a.md', { ...tainted, allow: ['file_write(docs/**)'] })).toBe('allow');
    expect(write('docs/a.md', tainted)).toBe('ask');
  });

  it('says so with every question about sending, writing outside or a protected path', () => {
    const ask: Case = { ...tainted, ask: ['*'] };
    expect(decide('send', { text: 'x' }, ask).needsPerson).toBe(true);
    expect(decide('remember', { content: 'x' }, ask).needsPerson).toBe(true);
    expect(decide('write', { path: '/tmp/x', content: '' }, ask).needsPerson).toBe(true);
    expect(decide('write', { path: '.git/config', content: '' }, tainted).needsPerson).toBe(true);
    expect(decide('read', { path: '.ssh/id_rsa' }, tainted).needsPerson).toBe(true);
    expect(decide('write', { path: 'a', content: '' }, ask).needsPerson).toBe(false);
    expect(decide('read', { path: 'a' }, ask).needsPerson).toBe(false);
  });

  it('does not send, or write outside, by rules or old answers', () => {
    expect(decide('send', { text: 'x' }, { ...tainted, allow: ['send_message'] }).verdict).toBe('ask');
    expect(decide('remember', { content: 'x' }).verdict).toBe('allow');
    expect(decide('remember', { content: 'x' }, tainted).verdict).toBe('ask');
    expect(write('/tmp/x', { ...tainted, allow: ['file_write'] })).toBe('ask');
    for (const path of ['docs/a.md', '/tmp/x'])
      for (const given of [true, false])
        expect(write(path, { ...tainted, answered: { as: [`file_write(${path})`], tainted: given } })).toBe(
          path === 'docs/a.md' || given ? 'allow' : 'ask',
        );
  });
});
