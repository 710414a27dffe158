// Subjects other than a command and one path, and tools that nobody here knows by name.
import { describe, expect, it } from 'vitest';
import { type Case, createDecider, ROOT } from '../../../test/support/decide-fixture.ts';
import { noSubject, type ToolSubject } from '../subject.ts';
import type { ToolRules, ToolSpec } from '../tool.ts';
import { decide } from './decide.ts';
import { createCommandParser } from './parse-command.ts';
import { parseRules } from './permissions-file.ts';

const judge = createDecider({});

describe('an address', () => {
  const fetch = (url: string, given: Case = {}): string => judge('fetch', { url }, given).verdict;

  it('asks, and is remembered by its host', () => {
    expect(judge('fetch', { url: 'https://docs.example.org/a?b=c' })).toMatchObject({
      verdict: 'ask',
      rememberAs: ['web_fetch(domain:docs.example.org)'],
      scopes: ['once', 'session', 'always'],
    });
    expect(fetch('https://docs.example.org/b', { answered: { as: ['web_fetch(domain:docs.example.org)'] } })).toBe(
      'allow',
    );
  });

  it.each([
    ['https://docs.example.org/a', 'domain:docs.example.org'],
    ['http://DOCS.example.org:8080/a', 'domain:docs.example.org'],
    ['https://a.b.example.org/', 'domain:*.example.org'],
    ['https://example.org/docs/a', 'https://example.org/docs/*'],
    ['https://example.org/x/../docs/a', 'https://example.org/docs/*'],
    ['https://example.org/docs', 'https://example.org/docs'],
  ])('%s is allowed by %s', (url, pattern) => expect(fetch(url, { allow: [`web_fetch(${pattern})`] })).toBe('allow'));

  it.each([
    ['https://example.org.evil.net/', 'domain:example.org'],
    ['https://evil.net/?example.org', 'domain:example.org'],
    ['https://docs.example.org@evil.net/', 'domain:docs.example.org'],
    ['https://example.org/', 'domain:*.example.org'],
    ['https://evilexample.org/', 'domain:*.example.org'],
    ['https://example.org/docs/../secret', 'https://example.org/docs/*'],
    ['http://example.org/docs/a', 'https://example.org/docs/*'],
    ['https://example.org/docs/more', 'https://example.org/docs'],
    ['no address', 'domain:example.org'],
  ])('%s is not allowed by %s', (url, pattern) => expect(fetch(url, { allow: [`web_fetch(${pattern})`] })).toBe('ask'));

  it.each([
    ['https://EVIL.net./x', 'domain:evil.net'],
    ['https://a.evil.net/x', 'domain:evil.net'],
    ['http://evil.net/docs/x', 'https://evil.net/docs/*'],
    ['not an address', 'domain:evil.net'],
  ])('%s is denied by %s', (url, pattern) =>
    expect(fetch(url, { allow: ['web_fetch'], deny: [`web_fetch(${pattern})`] })).toBe('deny'),
  );

  it('in a tainted turn asks whatever the rules allow: an address can carry something out', () => {
    const given: Case = { allow: ['web_fetch'], tainted: true };
    expect(judge('fetch', { url: 'https://a.org' }, given)).toMatchObject({ verdict: 'ask', needsPerson: true });
    const before = { as: ['web_fetch(domain:a.org)'] };
    expect(fetch('https://a.org', { tainted: true, answered: before })).toBe('ask');
    expect(fetch('https://a.org', { tainted: true, answered: { ...before, tainted: true } })).toBe('allow');
  });
});

describe('a chat', () => {
  const send = (chatId: string, given: Case): string =>
    judge('send', { channel: 'telegram', chatId, text: 'x' }, given).verdict;

  it('can be allowed and denied by its name or by its channel', () => {
    expect(send('12', { allow: ['send_message(telegram:12)'] })).toBe('allow');
    expect(send('123', { allow: ['send_message(telegram:12)'] })).toBe('ask');
    expect(send('12', { allow: ['send_message(telegram:*)'] })).toBe('allow');
    expect(send('12', { allow: ['send_message(feishu:*)'] })).toBe('ask');
    expect(send('12', { allow: ['send_message'], deny: ['send_message(telegram:12)'] })).toBe('deny');
  });

  it('is asked about each time: what is said differs each time', () => {
    expect(judge('send', { channel: 'telegram', chatId: '1', text: 'x' })).toMatchObject({
      scopes: ['once'],
      rememberAs: [],
    });
  });
});

describe('several paths', () => {
  const move = (from: string, to: string, given: Case = {}) => judge('move', { from, to }, given);

  it('are judged one by one, and the strictest verdict holds', () => {
    expect(move('a', 'b').verdict).toBe('ask');
    expect(move('docs/a', 'docs/b', { allow: ['file_move(docs/**)'] }).verdict).toBe('allow');
    expect(move('docs/a', 'src/b', { allow: ['file_move(docs/**)'] }).verdict).toBe('ask');
    expect(move('docs/a', 'secrets/b', { allow: ['file_move'], deny: ['file_move(secrets/**)'] }).verdict).toBe('deny');
    expect(move('a', '.git/hooks/pre-commit', { allow: ['file_move'] }).verdict).toBe('ask');
    expect(move('a', '/home/u/.lainclaw/permissions.json', { allow: ['file_move'] }).verdict).toBe('deny');
  });

  it('are remembered together, or not at all', () => {
    expect(move('a', 'b')).toMatchObject({
      rememberAs: ['file_move(a)', 'file_move(b)'],
      scopes: ['once', 'session', 'always'],
    });
    expect(move('a', '../b')).toMatchObject({ rememberAs: [], scopes: ['once'] });
    expect(move('a', 'b', { answered: { as: ['file_move(a)', 'file_move(b)'] } }).verdict).toBe('allow');
  });
});

describe('a tool from elsewhere', async () => {
  const parseCommand = await createCommandParser();
  const other = (more: Partial<ToolSpec> & { subject: ToolSpec['subject'] }): ToolSpec => ({
    name: 'their_tool',
    inputSchema: { type: 'object', properties: {}, additionalProperties: true },
    effect: 'exec',
    requiresPermission: true,
    timeoutMs: 1_000,
    execute: async () => ({ data: null }),
    ...more,
  });
  const decided = (
    spec: ToolSpec,
    given: { allow?: string[]; deny?: string[]; ask?: string[]; tainted?: boolean } = {},
  ) => {
    const { tainted = false, ...rules } = given;
    const parsed = parseRules(JSON.stringify({ version: 1, ...rules }), [spec, reader]);
    if (!parsed.ok) throw new Error(parsed.errors.join());
    return decide({
      spec,
      call: { id: 'c', name: spec.name, args: {}, source: 'model' },
      rules: parsed.rules,
      remembered: [],
      mode: 'ask',
      taint: tainted ? ['mcp:x'] : [],
      isContained: false,
      context: { workspaceRoot: ROOT, directory: ROOT, userHome: '/home/u', lainclawHome: '/home/u/.l', parseCommand },
    });
  };
  const reader = other({ name: 'fs.read_file', subject: noSubject, rules: { pattern: 'path', governs: 'read' } });
  const command = (text: string, rules?: ToolRules): ToolSpec =>
    other({ subject: () => ({ kind: 'command', command: text }), ...(rules && { rules }) });

  it('that runs a command is judged like bash, under its own name', () => {
    expect(decided(command('git status'))).toMatchObject({ verdict: 'allow', onlyReads: true });
    expect(decided(command('rm -rf x'))).toMatchObject({ verdict: 'ask', rememberAs: ['their_tool(rm -rf x)'] });
    expect(decided(command('cat secrets/key'), { deny: ['fs.read_file(secrets/**)'] }).verdict).toBe('deny');
    expect(decided(command('npm test', { pattern: 'command' }), { allow: ['their_tool(npm test)'] }).verdict).toBe(
      'allow',
    );
  });

  it('whose rules are of another kind than its subject is denied as a whole, and allowed never', () => {
    expect(decided(command('npm test'), { deny: ['their_tool(docs/**)'] }).verdict).toBe('deny');
    expect(decided(command('npm test'), { ask: ['their_tool(docs/**)'] }).verdict).toBe('ask');
    expect(decided(command('npm test'), { allow: ['their_tool(npm test)'] }).verdict).toBe('ask');
  });

  const onPath = (subject: Extract<ToolSubject, { kind: 'path' }>, more: Partial<ToolSpec> = {}) =>
    decided(other({ effect: 'read', requiresPermission: false, subject: () => subject, ...more }));

  it('that says it reads and names a path to write is judged as one that writes', () => {
    expect(onPath({ kind: 'path', path: 'a', access: 'read' }).verdict).toBe('allow');
    expect(onPath({ kind: 'path', path: 'a', access: 'write' }).verdict).toBe('ask');
    expect(onPath({ kind: 'path', path: '/home/u/.l/x', access: 'write' }).verdict).toBe('deny');
  });

  it('that reads outside the workspace, and not through it, asks', () => {
    expect(onPath({ kind: 'path', path: '/etc/passwd', access: 'read' }).verdict).toBe('ask');
    expect(onPath({ kind: 'path', path: '/etc/passwd', access: 'read' }, { handlesFiles: 'contents' }).verdict).toBe(
      'allow',
    );
  });

  it('that sends a file is kept from credentials like one that reads them', () => {
    const spec = { effect: 'send', requiresPermission: false } as const;
    expect(onPath({ kind: 'path', path: 'a', access: 'read' }, spec).verdict).toBe('allow');
    expect(onPath({ kind: 'path', path: 'id_rsa', access: 'read' }, spec).verdict).toBe('ask');
  });
});
