// Who reads what: programs get JSON and nothing else on stdout, people at a terminal get text, and nothing that a tool
// or an argument contains can command the terminal.
import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../src/pipeline/events.ts';
import { ask, type Finished, lainclaw, runBinary, startTerminal, terminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const ESCAPE = '\u001b';
/** What may command a terminal: C0 but newline and tab, DEL, C1, and the marks that reorder text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is being looked for
const COMMANDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\u0008\u007f\u202etxt\u2066';

describe.concurrent('without a terminal', () => {
  it.each([
    [['ask', 'hi']],
    [['ask', 'tool:[{"name":"time.now"},{"name":"nope"}]']],
    [['tools', 'list']],
    [['tools', 'info', 'time.now']],
    [['tools', 'invoke', 'time.now']],
    [['tools', 'invoke', 'nope']],
    [['tools', 'info', 'nope']],
    [['sessions', 'list']],
    [['sessions', 'show', 'nope']],
    [['ask', 'hi', '--provider', 'nope']],
  ])('stdout of %j is one JSON value', async (args) => {
    const { stdout, json } = await lainclaw(args, { home: testHome() });
    expect(json()).toBeTypeOf('object');
    expect(stdout.endsWith('\n')).toBe(true);
    expect(stdout).not.toContain(ESCAPE);
  });

  it('people see times of sessions in their own time, programs in UTC', async () => {
    const home = testHome();
    // With half an hour in it, so that no other zone has it.
    const env = { TZ: 'Asia/Kolkata' };
    await runBinary(['ask', 'hi'], { home, env });
    const { updatedAt } = home.entry();
    expect(updatedAt).toMatch(/Z$/);
    const local = new Date(Date.parse(updatedAt) + 5.5 * 60 * 60_000).toISOString().slice(0, 19).replace('T', ' ');
    expect((await runBinary(['sessions', 'list', '--text'], { home, env })).stdout).toContain(`  ${local}  `);
    expect((await runBinary(['sessions', 'list'], { home, env })).json()).toMatchObject([{ updatedAt }]);
    const shown = (await runBinary(['sessions', 'show', 'main', '--text'], { home, env })).stdout;
    expect(shown).toMatch(/^user \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m);
  });

  it('a success says nothing on stderr', async () => {
    const home = testHome();
    for (const args of [
      ['ask', 'hi'],
      ['tools', 'list'],
      ['sessions', 'list'],
      ['sessions', 'show', 'main'],
    ]) {
      expect((await lainclaw(args, { home })).stderr).toBe('');
    }
  });

  it('a failure says why on stderr, also when stdout tells it in JSON', async () => {
    const home = testHome();
    const { stderr, code } = await lainclaw(['tools', 'invoke', 'fs.read_file', '--args', '{"path":"nope"}'], { home });
    expect(code).toBe(1);
    expect(stderr).toBe('error execution_error: No such file: nope\n');
  });

  it('--json changes nothing, and --text gives the text a person would see', async () => {
    const home = testHome();
    expect((await lainclaw(['ask', '--json', 'hi'], { home })).json()).toMatchObject({ success: true });
    const { stdout, stderr } = await lainclaw(['ask', '--text', 'tool:tools.echo {"a":1}\nwhat?'], { home });
    expect(stdout).toMatch(/^Tool results:\n\{"a":1\}\n\nYou said: what\?\n/);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(stderr).toMatch(/^✓ tools\.echo \{"a":1\} [\d.]+ ms\n$/);
  });

  it('--text of the other commands is text too', async () => {
    const home = testHome();
    await ask(home, 'good morning');
    expect((await lainclaw(['tools', 'list', '--text'], { home })).stdout).toMatch(/^time\.now +\S/m);
    expect((await lainclaw(['tools', 'info', 'time.now', '--text'], { home })).stdout).toMatch(/^effect +read$/m);
    expect((await lainclaw(['tools', 'invoke', 'tools.echo', '--args', '{"a":1}', '--text'], { home })).stdout).toBe(
      '{"a":1}\n',
    );
    expect((await lainclaw(['sessions', 'list', '--text'], { home })).stdout).toMatch(
      /^main {2}\d{4}-.* stub {2}session-/,
    );
    expect((await lainclaw(['sessions', 'show', 'main', '--text'], { home })).stdout).toMatch(
      /^user \d{4}.*\ngood morning\n\nassistant /,
    );
    const empty = await lainclaw(['sessions', 'list', '--text'], { home: testHome() });
    expect(empty.stdout).toContain('no sessions yet');
  });

  it('a text failure leaves stdout empty', async () => {
    const { stdout, stderr, code } = await lainclaw(['ask', '--text', '--provider', 'nope', 'hi'], {
      home: testHome(),
    });
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('UNSUPPORTED_PROVIDER');
  });

  it('wrong usage found by any check tells its reason in JSON as well', async () => {
    for (const args of [
      ['ask', 'hi', '--approve', 'maybe'],
      ['ask', 'hi', '--sesion=x'],
      ['aks'],
      ['sessions', 'show'],
    ]) {
      const { json, code } = await lainclaw(args, { home: testHome() });
      expect(code).toBe(2);
      expect(json()).toMatchObject({
        success: false,
        error: { code: expect.any(String), message: expect.any(String) },
      });
    }
  });

  it('a reader that leaves early is not a failure', async () => {
    const home = testHome();
    const wrapper = ['sh', '-c', '"$@" | true; echo done', 'sh'];
    const { stdout, stderr } = await runBinary(['tools', 'list'], { home, wrapper });
    expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' });
  });

  it('an answer that cannot be printed is a failure in one line, not a crash', async () => {
    const home = testHome();
    const wrapper = ['sh', '-c', '"$@" > /dev/full', 'sh'];
    const { code, stderr } = await runBinary(['ask', 'hi'], { home, wrapper });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error \w+: .*\n$/);
    expect(home.messages()).toHaveLength(2);
  });

  it('logs of damaged files go to stderr and leave stdout JSON', async () => {
    const home = testHome();
    await ask(home, 'hi');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${home.path}/sessions/sessions.json`, '{');
    const { stderr, json } = await lainclaw(['sessions', 'list'], { home });
    expect(stderr).toMatch(/^lainclaw: .*damaged.*\n$/);
    expect(json<unknown[]>()).toHaveLength(1);
  });
});

describe.concurrent('on a terminal', () => {
  it('an answer is text, and --json is JSON', async () => {
    const home = testHome();
    const shown = await terminal(['ask', 'hi'], { home });
    expect(shown.stdout).toMatch(/^You said: hi\n\nNo model is connected[^\n]*:\n {2}lainclaw setup[\s\S]*\n$/);
    expect(shown.code).toBe(0);
    const printed = await terminal(['ask', '--json', 'hi'], { home });
    expect(printed.json<AskResult>()).toMatchObject({ success: true });
  });

  it.each([
    [['tools', 'list'], '[1mtime.now'],
    [['ask', 'tool:time.now'], '[32m✓'],
    [['ask', 'tool:nope'], '[31m✗'],
  ])('%j has colours', async (args, colour) => {
    const { stdout } = await terminal(args, { home: testHome() });
    expect(stdout).toContain(ESCAPE + colour);
  });

  it.each([
    ['NO_COLOR', '1'],
    ['NO_COLOR', '0'],
    ['TERM', 'dumb'],
  ])('%s=%s takes the colours away', async (name, value) => {
    const home = testHome();
    for (const args of [
      ['tools', 'list'],
      ['ask', 'tool:time.now'],
    ]) {
      expect((await terminal(args, { home, env: { [name]: value } })).stdout).not.toContain(ESCAPE);
    }
  });

  it('an empty NO_COLOR means nothing', async () => {
    expect((await terminal(['tools', 'list'], { home: testHome(), env: { NO_COLOR: '' } })).stdout).toContain(ESCAPE);
  });

  it('JSON has no colours', async () => {
    expect((await terminal(['tools', 'list', '--json'], { home: testHome() })).stdout).not.toContain(ESCAPE);
  });

  it('a failure tells its reason once and prints no JSON', async () => {
    const { stdout, code } = await terminal(['ask', '--provider', 'nope', 'hi'], { home: testHome() });
    expect(code).toBe(2);
    expect(stdout.match(/UNSUPPORTED_PROVIDER/g)).toHaveLength(1);
    expect(stdout).not.toContain('{');
  });

  it('a question typed at the terminal ends with Ctrl-D', async () => {
    const home = testHome();
    const running = startTerminal(['ask', '-'], { home });
    await running.write('typed by hand\n');
    await running.saw('typed by hand');
    await running.write('\u0004');
    expect((await running.ended).code).toBe(0);
    expect(home.messages()[0]?.content).toBe('typed by hand\n');
  });
});

describe.concurrent('control characters', () => {
  const echo = `tool:tools.echo ${JSON.stringify({ text: HOSTILE, [HOSTILE]: 1 })}`;
  const visible = ({ stdout, stderr }: Pick<Finished, 'stdout' | 'stderr'>): void => {
    expect(JSON.stringify(stdout.match(COMMANDING))).toBe('null');
    expect(JSON.stringify((stderr ?? '').match(COMMANDING))).toBe('null');
  };

  it('of a question, a tool, its arguments and its result are shown, not obeyed', async () => {
    const home = testHome();
    home.file('hostile.txt', HOSTILE);
    const cases = [
      [`echo ${HOSTILE}`],
      [echo],
      [`tool:${HOSTILE.replaceAll(/\s/g, '')}`],
      ['tool:fs.read_file {"path":"hostile.txt"}'],
      [`tool:time.now {${HOSTILE}`],
    ];
    for (const args of cases) visible(await lainclaw(['ask', '--text', ...args], { home }));
    visible(await lainclaw(['sessions', 'show', 'main', '--text'], { home }));
    visible(
      await lainclaw(['tools', 'invoke', 'tools.echo', '--text', '--args', JSON.stringify({ HOSTILE })], { home }),
    );
    visible(
      await lainclaw(['tools', 'invoke', 'fs.read_file', '--text', '--args', '{"path":"hostile.txt"}'], { home }),
    );
  });

  it('reach no terminal either', async () => {
    const home = testHome();
    const { stdout } = await terminal(['ask', echo], { home, env: { NO_COLOR: '1' } });
    visible({ stdout, stderr: '' });
    expect(stdout).toContain('\\x9b31m');
  });

  it('of file names in a listing are shown, not obeyed', async () => {
    const home = testHome();
    home.file('a\u001b[2J\u009b\nb', '');
    visible(await lainclaw(['ask', '--text', 'tool:fs.list_dir'], { home }));
    visible(await lainclaw(['tools', 'invoke', 'fs.list_dir', '--text'], { home }));
  });

  it('stay valid JSON on a terminal, with nothing that commands it', async () => {
    const home = testHome();
    const { stdout, json } = await terminal(['ask', '--json', echo], { home });
    expect(json<AskResult>().toolCalls[0]?.args).toEqual({ text: HOSTILE, [HOSTILE]: 1 });
    visible({ stdout, stderr: '' });
  });

  it('of a command, a flag or its value are shown in the refusal, not obeyed', async () => {
    const home = testHome();
    for (const args of [
      [HOSTILE],
      ['ask', `--${HOSTILE}`],
      ['ask', 'hi', '--session', HOSTILE],
      ['ask', 'hi', `--approve=${HOSTILE}`],
      ['tools', HOSTILE],
    ]) {
      const { stderr, code } = await lainclaw([...args, '--text'], { home });
      expect(code).toBe(2);
      visible({ stdout: '', stderr });
    }
    const missing = await lainclaw(['tools', 'info', HOSTILE, '--text'], { home });
    visible(missing);
    visible(await lainclaw(['sessions', 'show', HOSTILE, '--text'], { home }));
    visible(await lainclaw(['tools', 'list', '--text', '--workspace', `/${HOSTILE}`], { home }));
  });
});

describe.concurrent('help and version', () => {
  it.each([
    [['--help'], 'Usage: lainclaw'],
    [['-h'], 'Usage: lainclaw'],
    [[], 'Usage: lainclaw'],
    [['ask', '--help'], '--tool-max-steps'],
    [['tools', '--help'], 'invoke'],
    [['tools', 'list', '--help'], '--tool-allow'],
    [['tools', 'info', '--help'], '--workspace'],
    [['tools', 'invoke', '--help'], '--args'],
    [['sessions', '--help'], 'show'],
    [['sessions', 'list', '--help'], '--json'],
    [['sessions', 'show', '--help'], '--last'],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['-V'], /^\d+\.\d+\.\d+\n$/],
  ])('%j goes to stdout and does nothing', async (args, shown) => {
    const home = testHome();
    const { code, stdout, stderr } = await lainclaw(args, { home });
    expect({ code, stderr, written: home.exists() }).toEqual({ code: 0, stderr: '', written: false });
    expect(stdout).toMatch(shown);
  });

  it('every flag of ask in the contract is in its help', async () => {
    const { stdout } = await lainclaw(['ask', '--help'], { home: testHome() });
    const flags = [
      'provider',
      'profile',
      'model',
      'session',
      'new-session',
      'memory',
      'with-tools',
      'tool-allow',
      'tool-max-steps',
      'approve',
    ];
    for (const flag of flags) expect(stdout).toContain(`--${flag}`);
  });
});
