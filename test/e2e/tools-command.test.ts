import { describe, expect, it } from 'vitest';
import type { ToolCall, ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, runBinary } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Listed {
  name: string;
  description: string;
  inputSchema: {
    properties: Record<string, { description?: string; default?: unknown }>;
    required?: string[];
    additionalProperties: boolean;
  };
}

const NAMES = [
  'time.now',
  'current_time',
  'tools.echo',
  'shell.pwd',
  'fs.list_dir',
  'file_list',
  'fs.read_file',
  'file_read',
];

async function list(home: Home, ...flags: string[]): Promise<Listed[]> {
  return (await lainclaw(['tools', 'list', ...flags], { home })).json<Listed[]>();
}

async function invoke(home: Home, name: string, args?: unknown, ...flags: string[]) {
  const given = args === undefined ? [] : ['--args', JSON.stringify(args)];
  const { code, json } = await lainclaw(['tools', 'invoke', name, ...given, ...flags], { home });
  return { code, ...json<{ call: ToolCall; result: ToolResult }>() };
}

describe.concurrent('tools list', () => {
  it('tells name, description and schema of every tool and alias, and nothing else', async () => {
    const tools = await list(testHome());
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
    for (const tool of tools) {
      expect(Object.keys(tool).toSorted()).toEqual(['description', 'inputSchema', 'name']);
      expect(tool.description.length).toBeGreaterThan(10);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: tool.name === 'tools.echo' });
      for (const [name, parameter] of Object.entries(tool.inputSchema.properties))
        expect(parameter.description, `${tool.name} ${name}`).toBeTruthy();
    }
  });

  it('has the parameters and defaults of the contract', async () => {
    const tools = new Map((await list(testHome())).map((tool) => [tool.name, tool.inputSchema]));
    const defaults = (name: string) =>
      Object.entries(tools.get(name)?.properties ?? {}).map(([key, property]) => [key, property.default]);
    for (const name of ['fs.list_dir', 'file_list'])
      expect(defaults(name)).toEqual([
        ['path', '.'],
        ['recursive', false],
        ['maxDepth', 4],
      ]);
    for (const name of ['fs.read_file', 'file_read']) {
      // What the contract names comes first; documents have parameters of their own.
      expect(defaults(name)?.slice(0, 4)).toEqual([
        ['path', undefined],
        ['startLine', undefined],
        ['maxLines', undefined],
        ['maxBytes', 204_800],
      ]);
      expect(tools.get(name)?.required).toEqual(['path']);
    }
    expect(defaults('current_time')).toEqual([['timezone', undefined]]);
    for (const name of ['time.now', 'tools.echo', 'shell.pwd']) expect(defaults(name)).toEqual([]);
  });

  it('an allow-list hides the rest and ignores names that do not exist', async () => {
    const home = testHome();
    expect((await list(home, '--tool-allow', 'file_read,time.now,nope')).map(({ name }) => name)).toEqual([
      'time.now',
      'file_read',
    ]);
    expect(await list(home, '--tool-allow', 'nope')).toEqual([]);
    expect(await list(home, '--tool-allow', '')).toEqual(await list(home));
    expect((await lainclaw(['tools', 'list', '--tool-allow', 'nope', '--text'], { home })).code).toBe(0);
  });

  it.each([
    ['zh', '当前时刻', /\p{Script=Han}/u],
    ['ru', 'Текущий момент', /\p{Script=Cyrillic}/u],
    ['en', 'The current moment', /^[^\p{Script=Han}\p{Script=Cyrillic}]+$/u],
  ] as const)('speaks %s by LAINCLAW_LANG and by config.json', async (language, opening, script) => {
    const home = testHome();
    const fromEnvironment = await lainclaw(['tools', 'list'], { home, env: { LAINCLAW_LANG: language } });
    home.config({ language });
    const fromConfig = await list(home);
    expect(fromEnvironment.json()).toEqual(fromConfig);
    expect(fromConfig[0]?.description.startsWith(opening)).toBe(true);
    for (const { description, inputSchema } of fromConfig) {
      expect(description).toMatch(script);
      for (const parameter of Object.values(inputSchema.properties)) expect(parameter.description).toMatch(script);
    }
  });

  it('LAINCLAW_LANG beats config.json', async () => {
    const home = testHome();
    home.config({ language: 'ru' });
    const { json } = await lainclaw(['tools', 'list'], { home, env: { LAINCLAW_LANG: 'zh' } });
    expect(json<Listed[]>()[0]?.description).toMatch(/\p{Script=Han}/u);
  });
});

describe.concurrent('tools info', () => {
  const info = async (home: Home, name: string, ...flags: string[]) =>
    (await lainclaw(['tools', 'info', name, ...flags], { home })).json();

  it('adds how the tool runs', async () => {
    const home = testHome();
    const [first] = await list(home);
    expect(await info(home, 'time.now')).toEqual({
      ...first,
      effect: 'read',
      requiresPermission: false,
      timeoutMs: expect.any(Number),
      cacheable: false,
      aliases: [],
      source: expect.any(String),
      available: true,
    });
  });

  it('an alias is the same tool under its second name', async () => {
    const home = testHome();
    const [tool, alias] = await Promise.all([info(home, 'fs.read_file'), info(home, 'file_read')]);
    expect(tool).toMatchObject({ name: 'fs.read_file', aliases: ['file_read'], cacheable: true });
    expect(alias).toEqual({ ...tool, name: 'file_read', aliases: ['fs.read_file'] });
  });

  it('a tool that does not exist, or is not allowed, is not found', async () => {
    const home = testHome();
    for (const args of [['time.nwo'], ['time.now', '--tool-allow', 'shell.pwd']]) {
      const { code, stderr, json } = await lainclaw(['tools', 'info', ...args], { home });
      expect(code).toBe(1);
      expect(stderr).toContain(`tool_not_found: there is no tool "${args[0]}"`);
      expect(json()).toMatchObject({ success: false, error: { code: 'tool_not_found' } });
    }
    expect((await lainclaw(['tools', 'info', 'time.nwo'], { home })).stderr).toContain('did you mean time.now?');
  });
});

describe.concurrent('--args', () => {
  const echo = (home: Home, args: string, stdin?: string | Buffer) =>
    lainclaw(['tools', 'invoke', 'tools.echo', '--args', args], { home, stdin });

  it('are read from standard input for "-" and from a file for "@file"', async () => {
    const home = testHome();
    home.file('args.json', '{"from":"файл"}');
    expect((await echo(home, '-', '{"from":"输入"}\n')).json()).toMatchObject({ result: { data: { from: '输入' } } });
    expect((await echo(home, '@args.json')).json()).toMatchObject({ result: { data: { from: 'файл' } } });
  });

  it.each([
    ['-', '', 'JSON'],
    ['-', '[1]', 'JSON object'],
    ['-', Buffer.from([0xff, 0xfe]), 'UTF-8'],
    ['@none.json', undefined, 'cannot be read'],
    ['@.', undefined, 'not a regular file'],
  ])('%s with %j are refused', async (args, stdin, reason) => {
    const { code, stderr } = await echo(testHome(), args, stdin);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

describe.concurrent('tools invoke', () => {
  it('prints call and result', async () => {
    const before = Date.now();
    const { code, call, result } = await invoke(testHome(), 'time.now');
    expect(code).toBe(0);
    expect(call).toEqual({ id: expect.stringMatching(/^call-/), name: 'time.now', args: {}, source: 'cli' });
    expect(result).toEqual({
      ok: true,
      data: { timestamp: expect.any(Number), iso: expect.any(String) },
      meta: { durationMs: expect.any(Number) },
    });
    const { timestamp, iso } = (result as { data: { timestamp: number; iso: string } }).data;
    expect(new Date(iso).getTime()).toBe(timestamp);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(Date.now());
  });

  it('fails with exit code 1, the result on stdout and the reason on stderr', async () => {
    const home = testHome();
    expect(await invoke(home, 'nope')).toMatchObject({
      code: 1,
      result: { ok: false, error: { code: 'tool_not_found' } },
    });
    expect(await invoke(home, 'time.now', { a: 1 })).toMatchObject({
      code: 1,
      result: { ok: false, error: { code: 'invalid_args' } },
    });
    const { stderr } = await lainclaw(['tools', 'invoke', 'time.nwo'], { home });
    expect(stderr).toContain('did you mean time.now?');
  });

  it('does not find what the allow-list hides', async () => {
    const home = testHome();
    expect(await invoke(home, 'time.now', {}, '--tool-allow', 'shell.pwd')).toMatchObject({
      code: 1,
      result: { error: { code: 'tool_not_found' } },
    });
    expect(await invoke(home, 'file_list', {}, '--tool-allow', 'fs.list_dir')).toMatchObject({
      result: { error: { code: 'tool_not_found' } },
    });
    expect(await invoke(home, 'file_list', {}, '--tool-allow', 'file_list')).toMatchObject({ code: 0 });
  });

  it('returns what tools.echo is given, unchanged', async () => {
    const home = testHome();
    const args = { a: [1, null, { b: 'ж中😀' }], empty: {}, '': 0, constructor: 'x', nested: { toString: 1 } };
    expect((await invoke(home, 'tools.echo', args)).result).toMatchObject({ ok: true, data: args });
    const { stdout } = await lainclaw(
      ['tools', 'invoke', 'tools.echo', '--args', '{"__proto__":{"polluted":true},"a":1}'],
      { home },
    );
    expect(stdout.match(/"__proto__"/g)).toHaveLength(2);
    expect(stdout.match(/"polluted": true/g)).toHaveLength(2);
  });

  it('tells the workspace as the working directory', async () => {
    const home = testHome();
    home.file('sub/x', '');
    expect((await invoke(home, 'shell.pwd')).result).toMatchObject({ data: home.workspace });
    expect((await invoke(home, 'shell.pwd', {}, '--workspace', 'sub')).result).toMatchObject({
      data: `${home.workspace}/sub`,
    });
    const byVariable = await lainclaw(['tools', 'invoke', 'shell.pwd'], {
      home,
      env: { LAINCLAW_WORKSPACE: `${home.workspace}/sub` },
    });
    expect(byVariable.json()).toMatchObject({ result: { data: `${home.workspace}/sub` } });
  });

  it('writes nothing to the home', async () => {
    const home = testHome();
    await invoke(home, 'time.now');
    await invoke(home, 'fs.list_dir');
    await list(home);
    expect(home.exists()).toBe(false);
  });
});

describe.concurrent('current_time', () => {
  it.each([
    ['Asia/Shanghai', '+08:00'],
    ['UTC', '+00:00'],
    ['Asia/Kolkata', '+05:30'],
  ])('in %s', async (timezone, utcOffset) => {
    const { result } = await invoke(testHome(), 'current_time', { timezone });
    const { data } = result as { data: Record<string, string> };
    expect(data).toEqual({
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      time: expect.stringMatching(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
      timezone,
      utcOffset,
      weekday: expect.stringMatching(/day$/),
    });
    const moment = new Date(`${data.date}T${data.time}${utcOffset}`);
    expect(Math.abs(Date.now() - moment.getTime())).toBeLessThan(60_000);
    expect(new Date(`${data.date}T12:00:00Z`).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' })).toBe(
      data.weekday,
    );
  });

  it('uses the system timezone when none is given', async () => {
    const { json } = await runBinary(['tools', 'invoke', 'current_time'], {
      home: testHome(),
      env: { TZ: 'Asia/Tokyo' },
    });
    expect(json()).toMatchObject({ result: { data: { timezone: 'Asia/Tokyo', utcOffset: '+09:00' } } });
  });

  it.each(['Mars/Base', '', 'Europe/Berlin; rm', 'x'.repeat(65)])('refuses the timezone "%s"', async (timezone) => {
    const { code, result } = await invoke(testHome(), 'current_time', { timezone });
    expect(code).toBe(1);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('timezone') },
    });
  });

  it('tells how a timezone is named', async () => {
    const { toolError } = await ask(testHome(), 'tool:current_time {"timezone":"Mars/Base"}');
    expect(toolError).toMatchObject({
      tool: 'current_time',
      code: 'invalid_args',
      message: expect.stringMatching(/"Mars\/Base".*Europe\/Berlin/),
    });
  });
});
