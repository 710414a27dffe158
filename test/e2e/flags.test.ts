// Every flag of every command with a missing, an empty, a repeated and a wrong value. What is refused is refused before
// anything is done: the home stays untouched.
import { describe, expect, it } from 'vitest';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface FlagCase {
  /** A value that is accepted. */
  good: string;
  /** Values that are not. */
  wrong: readonly string[];
  /** What the refusal of a value says about what is accepted. */
  accepted: RegExp;
  mayRepeat?: true;
  /** An empty value is as if the flag were not given. */
  mayBeEmpty?: true;
}

const WHOLE_NUMBER = /whole number of at least 1/;
const NOT_NUMBERS = ['0', 'abc', '1.5', '-1', '1e3', '0x10', '99999999999999999999', '½'];
const text = (good: string): FlagCase => ({ good, wrong: [], accepted: /needs a value/ });

const OUTPUT = {
  '--tool-allow': {
    good: 'time.now',
    wrong: [',', 'a,,b', 'time.now,'],
    accepted: /names separated by commas/,
    mayRepeat: true,
    mayBeEmpty: true,
  },
  '--workspace': { good: '.', wrong: ['no-such-directory', 'a-file'], accepted: /directory/ },
} satisfies Record<string, FlagCase>;

const APPROVE: FlagCase = { good: 'auto', wrong: ['maybe', 'AUTO', 'ask,auto'], accepted: /ask, auto, never/ };

const COMMANDS: Record<string, { args: string[]; flags: Record<string, FlagCase> }> = {
  ask: {
    args: ['ask', 'hello'],
    flags: {
      '--provider': text('stub'),
      '--profile': text('default'),
      '--model': text('large'),
      '--session': { good: 'work', wrong: ['../x', '.', 'a b', 'a/b', '-x', '😀'], accepted: /letters, digits/ },
      '--memory': { good: 'on', wrong: ['maybe', 'ON'], accepted: /on, off/ },
      '--with-tools': { good: 'true', wrong: ['maybe', '1'], accepted: /true, false/ },
      '--tool-max-steps': { good: '2', wrong: NOT_NUMBERS, accepted: WHOLE_NUMBER },
      '--approve': APPROVE,
      ...OUTPUT,
    },
  },
  'tools list': { args: ['tools', 'list'], flags: OUTPUT },
  'tools info': { args: ['tools', 'info', 'time.now'], flags: OUTPUT },
  'tools invoke': {
    args: ['tools', 'invoke', 'time.now'],
    flags: {
      ...OUTPUT,
      '--approve': APPROVE,
      '--args': { good: '{}', wrong: ['{', '[]', '1', 'null', '"x"'], accepted: /JSON object/ },
    },
  },
  'sessions show': {
    args: ['sessions', 'show', 'main'],
    flags: { '--last': { good: '2', wrong: NOT_NUMBERS, accepted: WHOLE_NUMBER } },
  },
};

const allFlags = Object.entries(COMMANDS).flatMap(([command, { args, flags }]) =>
  Object.entries(flags).map(([flag, flagCase]) => ({ command, args, flag, ...flagCase })),
);
/** A switch may stand alone. */
const isSwitch = (flag: string): boolean => flag === '--memory' || flag === '--with-tools';

async function expectRefused(args: string[], words: (string | RegExp)[]): Promise<void> {
  const home = testHome();
  home.file('a-file', '');
  const { code, stderr, stdout } = await lainclaw(args, { home });
  expect({ code, stdout: stdout === '' || JSON.parse(stdout).success === false }, stderr).toEqual({
    code: 2,
    stdout: true,
  });
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr.split('\n').length).toBeLessThan(6);
  expect(home.exists()).toBe(false);
}

describe.concurrent.each(allFlags)('$command $flag', ({ args, flag, good, wrong, accepted, mayRepeat, mayBeEmpty }) => {
  if (!mayBeEmpty) {
    it('with an empty value is refused', async () => {
      await expectRefused([...args, `${flag}=`], [flag, /needs a value/]);
      await expectRefused([...args, flag, isSwitch(flag) ? `${flag}=` : ' '], [flag]);
    });
  }

  if (!isSwitch(flag)) {
    it('without a value is refused', () => expectRefused([...args, flag], [flag, /missing|needs a value/]));

    it('followed by another flag is refused', () => expectRefused([...args, flag, '--json'], [flag, /needs a value/]));
  }

  if (!mayRepeat) {
    it('given twice is refused', () => expectRefused([...args, `${flag}=${good}`, flag, good], [flag, /twice/]));
  }

  if (wrong.length > 0) {
    it(`refuses ${wrong.join(' ')}`, async () => {
      const refusals = wrong.map((value) =>
        expectRefused([...args, `${flag}=${value}`], [flag, literally(value), accepted]),
      );
      await Promise.all(refusals);
    });
  }

  if (wrong.length > 0 && !isSwitch(flag)) {
    it('refuses a wrong value that is apart from it', () =>
      expectRefused([...args, flag, wrong.at(-1) ?? ''], [flag, accepted]));
  }
});

describe.concurrent('a value that is missing or empty', () => {
  it.each([
    ['--approve', /ask, auto, never/],
    ['--tool-max-steps', /whole number/],
  ])('of %s: the refusal says what is accepted', async (flag, accepted) => {
    await expectRefused(['ask', 'hello', flag], [flag, accepted]);
    await expectRefused(['ask', 'hello', `${flag}=`], [flag, accepted]);
  });
});

describe.concurrent('both spellings', () => {
  it.each([['--session', 'work']])('%s value and %s=value mean the same', async (flag, value) => {
    const home = testHome();
    for (const args of [
      ['ask', flag, value, 'hi'],
      ['ask', `${flag}=${value}`, 'hi'],
      ['ask', 'hi', flag, value],
    ]) {
      expect((await lainclaw(args, { home })).json()).toMatchObject({ success: true, sessionKey: 'work' });
    }
    expect(
      home
        .messages('work')
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['hi', 'hi', 'hi']);
  });

  it('--args value and --args=value mean the same', async () => {
    const home = testHome();
    for (const args of [['--args', '{"a":"="}'], ['--args={"a":"="}']]) {
      const { json } = await lainclaw(['tools', 'invoke', 'tools.echo', ...args], { home });
      expect(json()).toMatchObject({ result: { ok: true, data: { a: '=' } } });
    }
  });

  it('--tool-allow may be a list, repeated, or both', async () => {
    const home = testHome();
    const { json } = await lainclaw(
      ['tools', 'list', '--tool-allow', 'time.now, shell.pwd', '--tool-allow=tools.echo', '--tool-allow', 'nope'],
      { home },
    );
    expect(json<{ name: string }[]>().map(({ name }) => name)).toEqual(['time.now', 'tools.echo', 'shell.pwd']);
  });
});

describe.concurrent('switches', () => {
  it.each([
    ['--memory', 'on', 'hi'],
    ['hi', '--memory'],
    ['--memory', '--json', 'hi'],
    ['--with-tools', 'hi'],
    ['--with-tools', 'false', 'hi'],
    ['--no-with-tools', 'hi', '--no-memory'],
    ['--new-session', 'hi', '--new-session'],
  ])('%s %s %s: the question is still "hi"', async (...args) => {
    const home = testHome();
    const { code } = await lainclaw(['ask', ...args.filter((word) => word !== undefined)], { home });
    expect(code).toBe(0);
    expect(home.messages()[0]?.content).toBe('hi');
  });

  it.each([
    ['--memory', '--no-memory'],
    ['--memory', '--memory'],
    ['--no-memory', '--memory=off'],
    ['--with-tools', '--no-with-tools'],
  ])('%s with %s is refused', (one, other) =>
    expectRefused(['ask', 'hi', one, other], [one.replace('no-', ''), /twice/]),
  );

  it.each(['--new-session=true', '--no-memory=on', '--json=true', '--text='])('%s does not take a value', (flag) =>
    expectRefused(['ask', 'hi', flag], [flag.split('=')[0] ?? '']),
  );

  it('--json and --text exclude each other', async () => {
    for (const args of [
      ['ask', 'hi'],
      ['tools', 'list'],
      ['sessions', 'list'],
    ])
      await expectRefused([...args, '--json', '--text'], ['--json', '--text']);
  });
});

describe.concurrent('what does not exist', () => {
  it.each([
    [['aks', 'hi'], 'aks', 'ask'],
    [['tool', 'list'], 'tool', 'tools'],
    [['sesions'], 'sesions', 'sessions'],
    [['tools', 'lst'], 'lst', 'list'],
    [['tools', 'invok', 'time.now'], 'invok', 'invoke'],
    [['sessions', 'shwo', 'main'], 'shwo', 'show'],
    [['ask', 'hi', '--sesion', 'x'], '--sesion', '--session'],
    [['ask', 'hi', '--tool-max-step=2'], '--tool-max-step', '--tool-max-steps'],
    [['ask', 'hi', '--modell', 'x'], '--modell', '--model'],
    [['tools', 'list', '--tool-alow', 'x'], '--tool-alow', '--tool-allow'],
    [['sessions', 'list', '--jsn'], '--jsn', '--json'],
    [['sessions', 'show', 'main', '--lst', '2'], '--lst', '--last'],
  ])('%j: names %s and suggests %s', (args, named, suggested) =>
    expectRefused(args, [literally(named), new RegExp(`[Dd]id you mean ${suggested}\\?`)]),
  );

  it('nothing is suggested when nothing is near', async () => {
    const { stderr, code } = await lainclaw(['qqqqqqqq'], { home: testHome() });
    expect(code).toBe(2);
    expect(stderr).toContain("'qqqqqqqq'");
    expect(stderr).not.toContain('Did you mean');
  });

  it('a flag of another command is named as it was typed', () =>
    expectRefused(['tools', 'list', '--memory'], [/'--memory'/]));

  it.each([
    [['--provider', 'nobody'], {}, '--provider: there is no provider "nobody"'],
    [[], { LAINCLAW_PROVIDER: 'nobody' }, 'LAINCLAW_PROVIDER: there is no provider "nobody"'],
  ])('a provider that there is not is named with where it was written: %j, %j', async (flags, env, said) => {
    const { code, stderr } = await lainclaw(['ask', ...flags, 'hello'], { home: testHome(), env });
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it.each([
    [['audit', 'show', '--since', 'nonsense'], 'since is "nonsense"'],
    [['permissions', 'add', 'bash('], '"bash(": not a tool\'s name'],
    [['auth', 'login', 'nobody'], 'There is no provider "nobody"'],
    [['sessions', 'search', ' '], 'there is nothing to search for'],
    [['sessions', 'search', 'x', '--since', 'soonish'], '"soonish" is not a date'],
    [['memory', 'search', 'x', '--until', 'soonish'], '"soonish" is not a date'],
    [['memory', 'core', 'set', 'user', ' ', 'x'], 'a key has 1 to'],
    [['mcp', 'add', 'a/b', '--', 'x'], '"a/b" cannot name a server'],
    [['store', 'copy', '--from', 'local', '--to', 'local'], '"local" was named twice'],
  ])('%j has a value that is not accepted', async (args, said) => {
    const { code, stderr } = await lainclaw(args, { home: testHome() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it('a file that cannot be written is an error in JSON', async () => {
    const home = testHome();
    await ask(home, 'hi');
    const { code, json } = await lainclaw(['sessions', 'export', 'main', '--output', 'no/talk.md'], { home });
    expect([code, json()]).toEqual([
      1,
      { success: false, error: { code: 'OUTPUT_FILE', message: expect.any(String) } },
    ]);
  });

  it('a session near the one asked for is suggested', async () => {
    const home = testHome();
    await ask(home, 'hi', '--session', 'holiday');
    const { code, stderr, json } = await lainclaw(['sessions', 'show', 'holliday'], { home });
    expect(code).toBe(1);
    expect(stderr).toMatch(/SESSION_NOT_FOUND: .*"holliday".*did you mean holiday\?/);
    expect(json()).toMatchObject({ success: false, error: { code: 'SESSION_NOT_FOUND' } });
  });

  it.each([
    [['sessions', 'show'], /key/],
    [['tools', 'info'], /name/],
    [['tools', 'invoke'], /name/],
    [['sessions', 'list', 'extra'], /too many arguments/],
    [['tools', 'list', 'extra'], /too many arguments/],
    [['tools', 'info', 'time.now', 'extra'], /too many arguments/],
    [['sessions', 'show', 'main', 'extra'], /too many arguments/],
    [['gateway', 'start', 'telegram'], /usage: lainclaw gateway start \[options\]/],
    [['schedule', 'add'], /usage: lainclaw schedule add \[options\] <name> /],
    [['start', 'gateway'], /Did you mean "lainclaw up", or "lainclaw gateway start"\?/],
    [['version'], /Did you mean "lainclaw --version"\?/],
    [['whatever'], /"lainclaw --help" lists them/],
    [['--new-session'], /those of a conversation go behind "lainclaw chat"/],
    [['gateway', '--channel', 'telegram', 'start'], /it goes behind "lainclaw gateway start"/],
    [['gateway', 'stop', '--provider', 'telegram'], /"lainclaw gateway stop --help" lists the flags/],
    [['schedule', 'edit', 'x', '--every', '1h', '--cron', '@daily'], /usage: lainclaw schedule edit <name>/],
    [['schedule', 'add', 'x', '--cron', '0', '9', '*'], /usage: .*--cron "0 9 \* \* \*"/],
  ])('%j has an argument too few or too many', (args, words) => expectRefused(args, [words]));

  it('a time that a job cannot have is refused with the usage of the command', async () => {
    const home = testHome();
    const refused = async (...args: string[]) => {
      const { code, stderr } = await lainclaw(['schedule', ...args], { home });
      return [code, /usage: lainclaw schedule (\w+) <name>/.exec(stderr)?.[1]];
    };
    expect(await refused('add', 'daily', '--cron', 'never', '--message', 'hi')).toEqual([2, 'add']);
    await lainclaw(['schedule', 'add', 'daily', '--every', '1d', '--message', 'hi'], { home });
    expect(await refused('edit', 'daily', '--cron', 'never')).toEqual([2, 'edit']);
  });

  it('"help" is as good as "--help"', async () => {
    const asked = (...args: string[]) => lainclaw(args, { home: testHome() });
    expect((await asked('help')).stdout).toBe((await asked('--help')).stdout);
    expect((await asked('help', 'gateway', 'start')).stdout).toContain('Usage: lainclaw gateway start');
  });

  it.each([[['tools']], [['sessions']]])('%j alone prints its help on stderr', async (args) => {
    const { code, stdout, stderr } = await lainclaw(args, { home: testHome() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: lainclaw');
  });
});

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
