import { describe, expect, it } from 'vitest';
import { addRules, parseRules, removeRule } from './permissions-file.ts';
import { rememberForSession } from './remembered.ts';
import { parseRule, type RuledTool } from './rules.ts';

const TOOLS: readonly RuledTool[] = [
  { name: 'bash', rules: { pattern: 'command' } },
  { name: 'file_write', rules: { pattern: 'path', governs: 'write' } },
  { name: 'file_edit', rules: { pattern: 'path', governs: 'change' } },
  { name: 'fs.read_file', aliases: ['file_read'], rules: { pattern: 'path', governs: 'read' } },
  { name: 'web_fetch', rules: { pattern: 'url' } },
  { name: 'send_message', rules: { pattern: 'chat' } },
];

const errorsOf = (content: unknown): readonly string[] => {
  const parsed = parseRules(typeof content === 'string' ? content : JSON.stringify(content), TOOLS);
  return parsed.ok ? [] : parsed.errors;
};

describe('permissions.json', () => {
  it('reads all forms of rules', () => {
    const allow = [
      'bash',
      'bash(git status*)',
      'bash(npm run test:*)',
      'file_write(docs/**)',
      'fs.read_file(secrets/**)',
      'mcp__*',
    ];
    const parsed = parseRules(JSON.stringify({ version: 1, allow }), TOOLS);
    expect(parsed).toMatchObject({ ok: true, rules: { ask: [], deny: [] } });
    expect(parsed.ok && parsed.rules.allow.map((rule) => [rule.tool, rule.pattern.kind])).toEqual([
      ['bash', 'everything'],
      ['bash', 'command'],
      ['bash', 'command'],
      ['file_write', 'path'],
      ['fs.read_file', 'path'],
      ['mcp__*', 'everything'],
    ]);
  });

  it('tells all errors at once, naming the rule and what is accepted', () => {
    const errors = errorsOf({
      version: 2,
      alow: [],
      allow: ['bash(git status && rm x)', 'bash()', 7, 'file_writ(docs/**)', 'a b'],
      ask: 'bash',
      deny: [
        'file_write(../x)',
        'file_write(!docs)',
        'mcp__*(x)',
        'bash(echo "x)',
        'bash(ls | rm)',
        'bash(ls $(rm))',
        'file_write(a\\b)',
        'file_writ(docs/**)',
      ],
    });
    expect(errors).toEqual([
      'version is 2; accepted is 1',
      '"alow" is not known; accepted are version, allow, ask, deny, workspaces (did you mean "allow"?)',
      'allow[0] "bash(git status && rm x)": "&" joins commands; a pattern describes one simple command',
      'allow[1] "bash()": the parentheses are empty',
      'allow[2] 7: a rule is a text; accepted are bash, bash(git status*), file_write(docs/**), mcp__*',
      'allow[4] "a b": not a tool\'s name, or a name with a pattern in parentheses; accepted are bash, bash(git status*), file_write(docs/**), mcp__*',
      '"ask" must be an array of rules',
      'deny[0] "file_write(../x)": ".." is not accepted in a pattern',
      'deny[1] "file_write(!docs)": a pattern cannot be negated; use the deny list',
      'deny[2] "mcp__*(x)": a pattern in parentheses needs the full name of one tool',
      'deny[3] "bash(echo \\"x)": a quote " is not closed',
      'deny[4] "bash(ls | rm)": "|" joins commands; a pattern describes one simple command',
      'deny[5] "bash(ls $(rm))": "$" joins commands; a pattern describes one simple command',
      'deny[6] "file_write(a\\\\b)": parts of a path are separated by "/"',
      'deny[7] "file_writ(docs/**)": there is no tool "file_writ"; did you mean "file_write"?',
    ]);
  });

  it('refuses what is not a JSON object', () => {
    expect(errorsOf('{"version":1,')[0]).toMatch(/^permissions\.json is not JSON: /);
    for (const text of ['[]', 'null', '1', '"x"']) expect(errorsOf(text)[0]).toMatch(/must be an object/);
  });

  it('a tool of an MCP server need not be known yet', () => {
    expect(errorsOf({ version: 1, deny: ['mcp__later__tool'] })).toEqual([]);
  });

  it('keeps the rules of a tool that is not here, and does not take another tool for it', () => {
    const text = JSON.stringify({
      version: 1,
      allow: ['crawl(a/b c)', 'bassh'],
      ask: ['file_watch'],
      deny: ['crawl(..)'],
    });
    const parsed = parseRules(text, TOOLS);
    expect(parsed).toMatchObject({
      ok: true,
      rules: {
        allow: [{ absent: {}, pattern: { kind: 'path' } }, { absent: { meant: 'bash' } }],
        ask: [{ absent: {}, pattern: { kind: 'everything' } }],
        deny: [{ absent: {}, pattern: { kind: 'unknown' } }],
      },
    });
  });

  it('holds rules of folders beside the global ones, each in its own folder only', () => {
    const text = JSON.stringify({
      version: 1,
      deny: ['bash(rm *)'],
      workspaces: { '/a': { allow: ['bash(make)'], deny: ['bash(git push*)'] }, '/b': { ask: ['bash'] } },
    });
    const textsIn = (root: string): unknown => {
      const parsed = parseRules(text, TOOLS, root);
      return parsed.ok && Object.values(parsed.rules).map((rules) => rules.map((rule) => rule.text));
    };
    expect(textsIn('/a')).toEqual([['bash(make)'], [], ['bash(rm *)', 'bash(git push*)']]);
    expect(textsIn('/b')).toEqual([[], ['bash'], ['bash(rm *)']]);
    expect(textsIn('/a/b')).toEqual([[], [], ['bash(rm *)']]);
  });

  it('names the folder of a mistake', () => {
    const workspaces = { '/a': { alow: [], deny: ['bash()'] }, b: {}, '/c': [], '/d': { ask: 'bash' } };
    expect(errorsOf({ version: 1, workspaces })).toEqual([
      'workspaces["/a"]: "alow" is not known; accepted are allow, ask, deny (did you mean "allow"?)',
      'workspaces["/a"].deny[0] "bash()": the parentheses are empty',
      'workspaces["b"]: a folder is named by its whole path',
      'workspaces["/c"] must be an object: {"allow":[],"ask":[],"deny":[]}',
      'workspaces["/d"].ask must be an array of rules',
    ]);
    expect(errorsOf({ version: 1, workspaces: [] })).toEqual([expect.stringContaining('must be an object')]);
  });
});

describe('remembering', () => {
  it('for the session keeps each answer once, with the mark of its turn', () => {
    const first = rememberForSession([], ['bash(npm test)', 'file_write(a.txt)'], { tainted: false, tools: TOOLS });
    const second = rememberForSession(first, ['bash(npm test)'], { tainted: false, tools: TOOLS });
    const third = rememberForSession(second, ['bash(npm test)'], { tainted: true, tools: TOOLS });
    expect(third.map(({ rule, tainted }) => [rule.text, tainted])).toEqual([
      ['bash(npm test)', false],
      ['file_write(a.txt)', false],
      ['bash(npm test)', true],
    ]);
    expect(first).toHaveLength(2);
  });

  const always = (current: string | undefined, rules: readonly string[], folder: string | undefined = '/a') =>
    addRules(current, { list: 'allow', rules, folder }, TOOLS);

  it('always adds rules of the folder and keeps everything else', () => {
    const before = JSON.stringify({ version: 1, allow: ['bash(ls*)'], deny: ['bash(rm:*)'] });
    const once = always(before, ['bash(npm test)']);
    const after = always(once.ok ? once.text : '', ['bash(npm test)', 'bash(make)']);
    expect(after.ok && JSON.parse(after.text)).toEqual({
      version: 1,
      allow: ['bash(ls*)'],
      deny: ['bash(rm:*)'],
      workspaces: { '/a': { allow: ['bash(npm test)', 'bash(make)'] } },
    });
    expect(after.ok && after.text.endsWith('\n')).toBe(true);
  });

  it('always starts the file when there is none, and never rewrites a broken one', () => {
    const fresh = always(undefined, ['bash(npm test)']);
    expect(fresh).toMatchObject({ ok: true, changed: true });
    expect(fresh.ok && JSON.parse(fresh.text)).toMatchObject({ workspaces: { '/a': { allow: ['bash(npm test)'] } } });
    expect(always('{', ['bash(npm test)']).ok).toBe(false);
    expect(always('{"version":1,"deny":["bash(;)"]}', ['bash(npm test)']).ok).toBe(false);
  });

  it('a rule is removed where it was, and the rest stays as it was', () => {
    const one = always(undefined, ['bash(make)']);
    const both = addRules(one.ok ? one.text : '', { list: 'deny', rules: ['bash(make)'], folder: undefined }, TOOLS);
    const text = both.ok ? both.text : '';
    const here = removeRule(text, { rule: ' bash(make)', folder: '/a' }, TOOLS);
    expect(here.ok && JSON.parse(here.text)).toEqual({
      version: 1,
      allow: [],
      ask: [],
      deny: ['bash(make)'],
      workspaces: {},
    });
    expect(removeRule(text, { rule: 'bash(make)', folder: '/b' }, TOOLS)).toMatchObject({ ok: true, changed: false });
    const global = removeRule(text, { rule: 'bash(make)', folder: undefined }, TOOLS);
    expect(global.ok && JSON.parse(global.text)).toMatchObject({
      deny: [],
      workspaces: { '/a': { allow: ['bash(make)'] } },
    });
  });

  it('a rule can be read back from what it was written as', () => {
    for (const text of [
      "bash(git commit -m 'it'\\''s (fine) > ; *')",
      'bash(A=1 npm test > out.txt 2>&1)',
      'file_write(docs/a b.md)',
    ])
      expect(parseRule(text, TOOLS), text).toMatchObject({ ok: true, rule: { text } });
  });
});
