import { describe, expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const ID = /^[a-z-]+-[a-z0-9]{20}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.concurrent('the result', () => {
  it('has every key of the contract and nothing else', async () => {
    const home = testHome();
    const result = await ask(home, 'hello');
    expect(result).toEqual({
      success: true,
      requestId: expect.stringMatching(ID),
      createdAt: expect.stringMatching(ISO),
      route: 'stub',
      stage: 'answered',
      result: expect.stringContaining('hello'),
      sessionKey: 'main',
      sessionId: expect.stringMatching(/^session-/),
      provider: 'stub',
      memoryEnabled: false,
      memoryUpdated: false,
      toolCalls: [],
      toolResults: [],
      sessionContextUpdated: false,
    });
  });

  it('tells each tool call with its result', async () => {
    const { toolCalls, toolResults, sessionContextUpdated, toolError } = await ask(
      testHome(),
      'tool:tools.echo {"a":1}',
    );
    const call = { id: expect.stringMatching(/^call-/), name: 'tools.echo', args: { a: 1 }, source: 'ask' };
    expect(toolCalls).toEqual([call]);
    expect(toolResults).toEqual([
      { call, result: { ok: true, data: { a: 1 }, meta: { durationMs: expect.any(Number) } } },
    ]);
    expect(toolResults[0]?.call.id).toBe(toolCalls[0]?.id);
    expect(sessionContextUpdated).toBe(true);
    expect(toolError).toBeUndefined();
  });

  it('is a success with a toolError when a tool fails, the first failure of several', async () => {
    const home = testHome();
    const calls = [{ name: 'time.now' }, { name: 'fs.read_file', args: { path: 'missing.txt' } }, { name: 'nope' }];
    const { success, toolError, toolResults } = await ask(home, `tool:${JSON.stringify(calls)}`);
    expect(success).toBe(true);
    expect(toolError).toEqual({ tool: 'fs.read_file', code: 'execution_error', message: 'No such file: missing.txt' });
    expect(toolResults.map(({ result }) => result.ok)).toEqual([true, false, false]);
  });

  it('joins the words of an unquoted question', async () => {
    const home = testHome();
    await lainclaw(['ask', 'what', 'is', 'this'], { home });
    expect(home.messages()[0]?.content).toBe('what is this');
  });

  it('reads the question from standard input when it is "-"', async () => {
    const home = testHome();
    const { code } = await lainclaw(['ask', '-'], { home, stdin: 'first line\nsecond line\n' });
    expect(code).toBe(0);
    expect(home.messages()[0]?.content).toBe('first line\nsecond line\n');
  });

  it('takes a question that begins with dashes after "--"', async () => {
    const home = testHome();
    expect(await ask(home, '--memory')).toMatchObject({ memoryEnabled: false });
    expect(home.messages()[0]?.content).toBe('--memory');
  });
});

describe.concurrent('an empty question', () => {
  it.each([
    ['no words', ['ask'], undefined],
    ['an empty word', ['ask', ''], undefined],
    ['blanks only', ['ask', ' \t\n '], undefined],
    ['empty standard input', ['ask', '-'], ''],
    ['blank standard input', ['ask', '-'], '\n\n'],
    ['blank standard input without "-"', ['ask'], '\n\n'],
    ['empty standard input beside blanks', ['ask', ' '], ''],
  ])('%s is refused with ASK_INPUT_REQUIRED and a usage line', async (_name, args, stdin) => {
    const home = testHome();
    const { code, stderr, json } = await lainclaw(args, { home, stdin });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error ASK_INPUT_REQUIRED: .+\nusage: lainclaw ask .*<input>/);
    expect(json()).toMatchObject({ success: false, error: { code: 'ASK_INPUT_REQUIRED' } });
    expect(home.exists()).toBe(false);
  });
});

describe.concurrent('sessions', () => {
  it('begin with the first use of a key and continue with the next', async () => {
    const home = testHome();
    const first = await ask(home, 'one');
    const second = await ask(home, 'two');
    const other = await ask(home, 'three', '--session', 'work');
    expect(second.sessionId).toBe(first.sessionId);
    expect(other.sessionId).not.toBe(first.sessionId);
    expect(home.messages().map(({ role, content }) => [role, content])).toEqual([
      ['user', 'one'],
      ['assistant', first.result],
      ['user', 'two'],
      ['assistant', second.result],
    ]);
    expect(home.messages('work').map(({ content }) => content)).toEqual(['three', other.result]);
    expect(Object.keys(home.index().sessions).toSorted()).toEqual(['main', 'work']);
  });

  it('start again with --new-session and keep the old transcript', async () => {
    const home = testHome();
    const first = await ask(home, 'one');
    const second = await ask(home, 'two', '--new-session');
    const third = await ask(home, 'three');
    expect(second.sessionId).not.toBe(first.sessionId);
    expect(third.sessionId).toBe(second.sessionId);
    expect(home.messages().map(({ content }) => content)).toEqual(['two', second.result, 'three', third.result]);
    expect(home.transcripts().toSorted()).toEqual([`${first.sessionId}.jsonl`, `${second.sessionId}.jsonl`].toSorted());
  });

  it('give the stub the conversation so far', async () => {
    const home = testHome();
    await ask(home, 'The harbour bridge opens at noon.');
    const { result } = await ask(home, 'summarise');
    expect(result).toContain('Summary: The harbour bridge opens at noon.');
  });

  it('are entered in the index with the fields of the contract, their workspace and their title', async () => {
    const home = testHome();
    const { sessionId } = await ask(home, 'one');
    const date = expect.stringMatching(ISO);
    expect(home.index()).toEqual({
      version: 1,
      sessions: {
        main: {
          sessionKey: 'main',
          sessionId,
          createdAt: date,
          updatedAt: date,
          provider: 'stub',
          route: 'stub',
          workspace: home.workspace,
          title: 'one',
        },
      },
    });
    const { createdAt, updatedAt } = home.entry();
    await ask(home, 'two');
    expect(home.entry().createdAt).toBe(createdAt);
    expect(home.entry().updatedAt > updatedAt).toBe(true);
  });

  it('live under ~/.lainclaw when no home is named', async () => {
    const home = testHome();
    const { code } = await lainclaw(['ask', 'hi'], { home, env: { LAINCLAW_HOME: '', HOME: home.base } });
    expect(code).toBe(0);
    const listed = await lainclaw(['sessions', 'list'], { home, env: { LAINCLAW_HOME: `${home.base}/.lainclaw` } });
    expect(listed.json<unknown[]>()).toHaveLength(1);
  });

  it('live under a home named relative to the current directory', async () => {
    const home = testHome();
    const { code } = await lainclaw(['ask', 'hi'], { home, env: { LAINCLAW_HOME: '../home' } });
    expect(code).toBe(0);
    expect(home.messages()).toHaveLength(2);
  });
});

describe.concurrent('the transcript', () => {
  it('holds user message, tool context and assistant message in this order, with their ids', async () => {
    const home = testHome();
    const typed = 'tool:tools.echo {"a":1}\nand what is it?';
    const { result } = await ask(home, typed);
    const messages = home.messages();
    expect(messages).toEqual([
      {
        id: expect.stringMatching(/^msg-user-/),
        role: 'user',
        timestamp: expect.stringMatching(ISO),
        content: typed,
        route: 'stub',
        stage: expect.any(String),
        provider: 'stub',
      },
      {
        id: expect.stringMatching(/^msg-tool-context-/),
        role: 'system',
        timestamp: expect.stringMatching(ISO),
        content: '[tool tools.echo {"a":1}]\n{"a":1}',
        route: 'stub',
        stage: expect.any(String),
        provider: 'stub',
      },
      {
        id: expect.stringMatching(/^msg-assistant-/),
        role: 'assistant',
        timestamp: expect.stringMatching(ISO),
        content: result,
        route: 'stub',
        stage: 'answered',
        provider: 'stub',
      },
    ]);
    const types = home.lines().map(({ type }) => type);
    expect(types).toEqual([
      'session',
      'turn-start',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'message',
      'turn-end',
    ]);
  });

  it('has no tool context when no tool ran', async () => {
    const home = testHome();
    await ask(home, 'hello');
    await ask(home, 'tool:');
    expect(home.messages().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('holds exactly what was typed, whatever it is', async () => {
    const home = testHome();
    const typed = '  spaces around, "quotes", \\u0041, tab\there, 😀 и 中文 \u2028 \u0007 end  ';
    await lainclaw(['ask', typed], { home });
    expect(home.messages()[0]?.content).toBe(typed);
  });

  it('holds the same answer that was printed', async () => {
    const home = testHome();
    for (const input of [
      'hello',
      'tool:time.now',
      'tool:time.now\nwhen?',
      'tool:[',
      'tool:nope',
      'summarise: one. two.',
    ]) {
      const { result } = await ask(home, input);
      expect(home.messages().at(-1)?.content).toBe(result);
    }
    expect(structureProblems(home.lines())).toEqual([]);
  });
});

describe.concurrent('memory of a session', () => {
  it.each([
    [['--memory'], true],
    [['--memory=on'], true],
    [['--memory', 'on'], true],
    [['--no-memory'], false],
    [['--memory=off'], false],
    [['--memory', 'off'], false],
  ])('%j is kept in the index and for the turns after', async (flags, memoryEnabled) => {
    const home = testHome();
    const { code, json } = await lainclaw(['ask', 'hello', ...flags], { home });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ memoryEnabled });
    expect(home.entry().memoryEnabled).toBe(memoryEnabled);
    expect(await ask(home, 'again')).toMatchObject({ memoryEnabled });
    expect(home.entry().memoryEnabled).toBe(memoryEnabled);
  });

  it('changes when asked to, in the middle of the flags too', async () => {
    const home = testHome();
    await ask(home, 'one', '--memory');
    const { code } = await lainclaw(['ask', '--no-memory', 'two'], { home });
    expect(code).toBe(0);
    expect(home.entry().memoryEnabled).toBe(false);
    expect(home.messages().map(({ content }) => content)).toContain('two');
  });
});
