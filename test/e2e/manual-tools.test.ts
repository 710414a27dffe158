import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../src/pipeline/events.ts';
import { ask } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const summarised = ({ toolCalls, toolResults }: AskResult): unknown[] =>
  toolCalls.map(({ name, args, source }, index) => [name, args, source, toolResults[index]?.result.ok]);

describe.concurrent('tools called by hand', () => {
  it.each([
    ['a name', 'tool:time.now', [['time.now', {}, 'ask', true]]],
    ['a name among blanks', '  tool:  time.now  ', [['time.now', {}, 'ask', true]]],
    [
      'a name with arguments',
      'tool:tools.echo {"a":[1,{"b":null}]}',
      [['tools.echo', { a: [1, { b: null }] }, 'ask', true]],
    ],
    ['an object', 'tool:{"name":"tools.echo","args":{"a":1}}', [['tools.echo', { a: 1 }, 'ask', true]]],
    ['an object without arguments', 'tool:{"name":"shell.pwd"}', [['shell.pwd', {}, 'ask', true]]],
    ['a list of one', 'tool:[{"name":"shell.pwd"}]', [['shell.pwd', {}, 'ask', true]]],
    [
      'a list',
      'tool:[{"name":"tools.echo","args":{"n":1}},{"name":"time.now"},{"name":"tools.echo","args":{"n":2}}]',
      [
        ['tools.echo', { n: 1 }, 'ask', true],
        ['time.now', {}, 'ask', true],
        ['tools.echo', { n: 2 }, 'ask', true],
      ],
    ],
    ['an alias', 'tool:file_list', [['file_list', {}, 'ask', true]]],
  ])('%s runs, in order: %s', async (_name, input, expected) => {
    const home = testHome();
    const result = await ask(home, input);
    expect(result).toMatchObject({ success: true, route: 'tool', stage: 'answered', sessionContextUpdated: true });
    expect(result.toolError).toBeUndefined();
    expect(summarised(result)).toEqual(expected);
    expect(new Set(result.toolCalls.map(({ id }) => id)).size).toBe(expected.length);
    expect(home.messages()[0]?.content).toBe(input);
  });

  it.each([
    ['tool:', 'there is no tool name'],
    ['tool:   ', 'there is no tool name'],
    ['tool:\nwhat is this?', 'there is no tool name'],
    ['tool:[', 'not valid JSON'],
    ['tool:{', 'not valid JSON'],
    ['tool:[]', 'empty'],
    ['tool:{}', '"name"'],
    ['tool:[1]', '"name"'],
    ['tool:[null]', '"name"'],
    ['tool:{"name":""}', '"name"'],
    ['tool:{"name":1}', '"name"'],
    ['tool:{"name":"time.now","args":[]}', '"args" must be a JSON object'],
    ['tool:{"name":"time.now","args":null}', '"args" must be a JSON object'],
    ['tool:{"name":"time.now","arguments":{}}', '"arguments"'],
    ['tool:time.now {bad', 'not valid JSON'],
    ['tool:time.now [1]', 'must be a JSON object'],
    ['tool:time.now "text"', 'must be a JSON object'],
    ['tool:time.now null', 'must be a JSON object'],
    ['tool:time.now what time is it', 'not valid JSON'],
    ['tool:{"name":"time.now",\n"args":{}}', 'not valid JSON'],
  ])('%j cannot be parsed: nothing runs and the error says what was expected', async (input, problem) => {
    const home = testHome();
    const result = await ask(home, input);
    expect(result).toMatchObject({ success: true, toolCalls: [], toolResults: [], sessionContextUpdated: false });
    expect(result.toolError).toMatchObject({ code: 'invalid_args', message: expect.stringContaining(problem) });
    expect(result.toolError?.message).toContain('expected tool:name');
    expect(result.result).toContain(problem);
    expect(home.messages().map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('a list with one bad element runs none of its calls', async () => {
    const home = testHome();
    const result = await ask(home, 'tool:[{"name":"tools.echo","args":{"a":1}},{"nme":"time.now"}]');
    expect(result).toMatchObject({ toolCalls: [], toolResults: [], toolError: { code: 'invalid_args' } });
    expect(home.lines().filter(({ type }) => type === 'tool-call')).toEqual([]);
  });

  it('what follows the first line is the question about the results', async () => {
    const home = testHome();
    const { result, route, toolCalls, toolResults } = await ask(
      home,
      'tool:tools.echo {"a":1}\n\nwhat is a?\nand why?\n',
    );
    expect(route).toBe('stub');
    expect([toolCalls.length, toolResults.length]).toEqual([1, 1]);
    expect(result).toContain('{"a":1}');
    expect(result).toContain('You said: what is a?\nand why?');
  });

  it('a Windows line ending is one too', async () => {
    const { result, toolCalls } = await ask(testHome(), 'tool:time.now\r\nwhen?');
    expect(toolCalls.map(({ name }) => name)).toEqual(['time.now']);
    expect(result).toContain('You said: when?');
  });

  it('run also with --with-tools=false', async () => {
    for (const flag of ['--with-tools=false', '--no-with-tools']) {
      const { toolResults } = await ask(testHome(), 'tool:time.now', flag);
      expect(toolResults.map(({ result }) => result.ok)).toEqual([true]);
    }
  });

  it('a tool outside the allow-list does not exist', async () => {
    const { toolError, toolResults, success } = await ask(testHome(), 'tool:shell.pwd', '--tool-allow', 'time.now');
    expect(success).toBe(true);
    expect(toolError).toMatchObject({ tool: 'shell.pwd', code: 'tool_not_found' });
    expect(toolResults[0]?.result).toMatchObject({ ok: false, error: { code: 'tool_not_found' } });
  });

  it('an alias outside the allow-list does not exist either, nor the tool behind an allowed alias', async () => {
    const home = testHome();
    expect((await ask(home, 'tool:file_list', '--tool-allow', 'fs.list_dir')).toolError?.code).toBe('tool_not_found');
    expect((await ask(home, 'tool:fs.list_dir', '--tool-allow', 'file_list')).toolError?.code).toBe('tool_not_found');
    expect((await ask(home, 'tool:file_list', '--tool-allow', 'file_list')).toolError).toBeUndefined();
  });

  it.each(['nope', '__proto__', 'constructor', 'TIME.NOW', 'time.now;', '../time.now'])(
    '%s is not a tool',
    async (name) => {
      const { toolError } = await ask(testHome(), `tool:${name}`);
      expect(toolError).toMatchObject({ tool: name, code: 'tool_not_found' });
    },
  );

  it('bad arguments are invalid_args in words that name the parameter', async () => {
    const home = testHome();
    const failure = async (input: string) => (await ask(home, input)).toolError;
    expect(await failure('tool:time.now {"a":1}')).toEqual({
      tool: 'time.now',
      code: 'invalid_args',
      message: 'time.now: "a" is not a parameter (it takes no parameters)',
    });
    expect((await failure('tool:fs.read_file {}'))?.message).toMatch(
      /"path" is missing .*path, startLine, maxLines, maxBytes/,
    );
    expect((await failure('tool:fs.read_file {"path":1}'))?.message).toMatch(/"path" must be string/);
    expect((await failure('tool:fs.read_file {"path":"a","maxLines":1.5}'))?.message).toMatch(
      /"maxLines" must be integer/,
    );
  });

  it('a failing call leaves the others alone', async () => {
    const calls = [{ name: 'nope' }, { name: 'time.now', args: { x: 1 } }, { name: 'shell.pwd' }];
    const { toolResults, toolError } = await ask(testHome(), `tool:${JSON.stringify(calls)}`);
    expect(toolResults.map(({ result }) => (result.ok ? 'ok' : result.error.code))).toEqual([
      'tool_not_found',
      'invalid_args',
      'ok',
    ]);
    expect(toolError?.tool).toBe('nope');
  });

  it('their calls and results are in the journal before the tool context', async () => {
    const home = testHome();
    const { toolCalls } = await ask(home, 'tool:[{"name":"nope"},{"name":"tools.echo","args":{"b":2}}]');
    const journal = home.lines().flatMap((line) => {
      if (line.type === 'tool-call') return [['call', line.call.id, line.effect]];
      return line.type === 'tool-result' ? [['result', line.callId, line.ok]] : [];
    });
    expect(journal.toSorted()).toEqual(
      [
        ['call', toolCalls[0]?.id, 'read'],
        ['call', toolCalls[1]?.id, 'read'],
        ['result', toolCalls[0]?.id, false],
        ['result', toolCalls[1]?.id, true],
      ].toSorted(),
    );
    expect(home.messages()[1]?.content).toContain('[tool tools.echo {"b":2}]\n{"b":2}');
  });

  it('a long result is cut for the model and kept whole on disk', async () => {
    const home = testHome();
    home.file('long.txt', `${'line of text\n'.repeat(8_000)}the end`);
    const { result, toolResults } = await ask(home, 'tool:fs.read_file {"path":"long.txt"}');
    const meta = toolResults[0]?.result.meta;
    expect(result.length).toBeLessThan(41_000);
    expect(result).toContain('the end');
    expect(result).toContain(String(meta?.fullOutputPath));
    expect(statSync(String(meta?.fullOutputPath)).size).toBe(13 * 8_000 + 7);
  });
});
