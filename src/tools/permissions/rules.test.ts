import { describe, expect, it } from 'vitest';
import { rememberAlways, rememberForSession } from './remembered.ts';
import { parseRule, parseRules, type RuledTool } from './rules.ts';

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
      ],
    });
    expect(errors).toEqual([
      'version is 2; accepted is 1',
      '"alow" is not known; accepted are version, allow, ask, deny (did you mean "allow"?)',
      'allow[0] "bash(git status && rm x)": "&" joins commands; a pattern describes one simple command',
      'allow[1] "bash()": the parentheses are empty',
      'allow[2] 7: a rule is a text; accepted are bash, bash(git status*), file_write(docs/**), mcp__*',
      'allow[3] "file_writ(docs/**)": there is no tool "file_writ"; did you mean "file_write"?',
      'allow[4] "a b": not a tool\'s name, or a name with a pattern in parentheses; accepted are bash, bash(git status*), file_write(docs/**), mcp__*',
      '"ask" must be an array of rules',
      'deny[0] "file_write(../x)": ".." is not accepted in a pattern',
      'deny[1] "file_write(!docs)": a pattern cannot be negated; use the deny list',
      'deny[2] "mcp__*(x)": a pattern in parentheses needs the full name of one tool',
      'deny[3] "bash(echo \\"x)": a quote " is not closed',
      'deny[4] "bash(ls | rm)": "|" joins commands; a pattern describes one simple command',
      'deny[5] "bash(ls $(rm))": "$" joins commands; a pattern describes one simple command',
      'deny[6] "file_write(a\\\\b)": parts of a path are separated by "/"',
    ]);
  });

  it('refuses what is no JSON object', () => {
    expect(errorsOf('{"version":1,')[0]).toMatch(/^permissions\.json is not JSON: /);
    for (const text of ['[]', 'null', '1', '"x"']) expect(errorsOf(text)[0]).toMatch(/must be an object/);
  });

  it('a tool of an MCP server need not be known yet', () => {
    expect(errorsOf({ version: 1, deny: ['mcp__later__tool'] })).toEqual([]);
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

  it('always appends allow rules and keeps everything else', () => {
    const before = JSON.stringify({ version: 1, allow: ['bash(ls*)'], deny: ['bash(rm:*)'] });
    const after = rememberAlways(before, ['bash(npm test)', 'bash(ls*)'], TOOLS);
    expect(after.ok && JSON.parse(after.text)).toEqual({
      version: 1,
      allow: ['bash(ls*)', 'bash(npm test)'],
      deny: ['bash(rm:*)'],
    });
    expect(after.ok && after.text.endsWith('\n')).toBe(true);
  });

  it('always starts the file when there is none, and never rewrites a broken one', () => {
    const fresh = rememberAlways(undefined, ['bash(npm test)'], TOOLS);
    expect(fresh.ok && JSON.parse(fresh.text)).toEqual({ version: 1, allow: ['bash(npm test)'], ask: [], deny: [] });
    expect(rememberAlways('{', ['bash(npm test)'], TOOLS).ok).toBe(false);
    expect(rememberAlways('{"version":1,"deny":["bash(;)"]}', ['bash(npm test)'], TOOLS).ok).toBe(false);
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
