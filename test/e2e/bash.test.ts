// The bash tool through the binary, in the sandbox of this machine. Nothing here is skipped where bubblewrap is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startLainclaw, startTerminal } from '../support/lainclaw.ts';
import { withLongEnough } from '../support/long-enough.ts';
import { testHome } from '../support/test-home.ts';

interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  output: string;
  fullOutputPath?: string;
}

const callArgs = (args: object): string[] => [
  'tools',
  'invoke',
  'bash',
  '--approve=auto',
  '--args',
  JSON.stringify(args),
];

async function invoke(home: Home, args: object, env?: Record<string, string>): Promise<ToolResult> {
  return (await lainclaw(callArgs(args), { home, env })).json<{ result: ToolResult }>().result;
}

/** Runs a command that must be run, whatever its exit code. */
async function bash(home: Home, command: string, more: object = {}, env?: Record<string, string>): Promise<Ran> {
  const result = await invoke(home, { command, ...more }, env);
  expect(result, command).toMatchObject({ ok: true, meta: { sandbox: 'bubblewrap' } });
  return (result as { data: Ran }).data;
}

let marks = 0;
/** A number of seconds that no other process sleeps for. */
const uniqueSleep = (): string => `${9_000_000 + process.pid}.${++marks}`;

function sleepersOf(seconds: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return basename(command[0] ?? '') === 'sleep' && command.includes(seconds);
    } catch {
      return false;
    }
  });
}

function until(isSo: () => boolean): Promise<void> {
  return eventually(() => expect(isSo()).toBe(true));
}

describe.concurrent('a command that runs unasked', () => {
  it('is the one of the system, also where the workspace has one of that name early on the path', async () => {
    const home = testHome();
    const trap = home.file('node_modules/.bin/ls', '#!/bin/sh\necho trapped\n');
    execFileSync('chmod', ['+x', trap]);
    home.file('seen.txt', '');
    const env = { PATH: `${join(home.workspace, 'node_modules/.bin')}:/usr/local/bin:/usr/bin:/bin` };
    const finished = await lainclaw(['tools', 'invoke', 'bash', '--args', '{"command":"ls"}'], { home, env });
    const { result } = finished.json<{ result: ToolResult }>();
    expect(result).toMatchObject({ ok: true, data: { stdout: 'node_modules\nseen.txt\n' } });
  });
});

describe.concurrent('a command', () => {
  it('tells its exit code, and stdout and stderr apart and together', async () => {
    const ran = await bash(testHome(), 'echo out; sleep 0.1; echo err >&2; sleep 0.1; echo again; exit 3');
    expect(ran).toEqual({ exitCode: 3, stdout: 'out\nagain\n', stderr: 'err\n', output: 'out\nerr\nagain\n' });
  });

  it('is a result also when it fails, is not found or ends by a signal', async () => {
    const home = testHome();
    expect(await bash(home, 'false')).toMatchObject({ exitCode: 1 });
    expect(await bash(home, 'no-such-program-here')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('no-such-program-here'),
    });
    expect(await bash(home, 'kill -9 $$')).toMatchObject({ exitCode: 137, signal: 'SIGKILL' });
    const syntax = await bash(home, 'echo "unclosed');
    expect(syntax.exitCode).not.toBe(0);
  });

  it('runs in the workspace, or in a directory of it', async () => {
    const home = testHome();
    home.file('sub/x', '');
    expect((await bash(home, 'pwd')).stdout).toBe(`${home.workspace}\n`);
    expect((await bash(home, 'pwd', { cwd: 'sub' })).stdout).toBe(`${home.workspace}/sub\n`);
    expect((await bash(home, 'pwd', { cwd: join(home.workspace, 'sub') })).stdout).toBe(`${home.workspace}/sub\n`);
    expect(await invoke(home, { command: 'pwd', cwd: '..' })).toMatchObject({ ok: false, error: { reason: 'denied' } });
    expect(await invoke(home, { command: 'pwd', cwd: 'sub/x' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: 'Not a directory: sub/x' },
    });
    expect(await invoke(home, { command: 'pwd', cwd: 'nope' })).toMatchObject({ ok: false });
  });

  it('leaves its files in the workspace, and finds nothing on its standard input', async () => {
    const home = testHome();
    expect(await bash(home, 'echo made > made.txt; cat')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(join(home.workspace, 'made.txt'), 'utf8')).toBe('made\n');
  });

  it('is run by bash itself, without start-up files', async () => {
    const home = testHome();
    writeFileSync(join(home.base, '.bashrc'), 'echo from-bashrc');
    writeFileSync(join(home.base, '.bash_profile'), 'echo from-profile');
    const { stdout } = await bash(
      home,
      'a=(1 2 3); echo "$((a[1] + 1))"; [[ x == x ]] && echo bash',
      {},
      { BASH_ENV: join(home.base, '.bashrc') },
    );
    expect(stdout).toBe('3\nbash\n');
  });

  it('with wrong arguments is refused before anything runs', async () => {
    const home = testHome();
    for (const args of [{}, { command: '' }, { command: 1 }, { command: 'ls', timeoutMs: 0 }, { command: 'ls', x: 1 }])
      expect(await invoke(home, args)).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
  });

  it('whose output is too long shows head and tail, and keeps all of it on disk', async () => {
    const home = testHome();
    const command = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last";
    const finished = await lainclaw(callArgs({ command }), { home });
    expect(finished.stdout.length).toBeLessThan(300_000);
    const { data, meta } = finished.json<{ result: { data: Ran; meta: { fullOutputPath: string } } }>().result;
    expect(data.stdout).toMatch(/^first\nx+/);
    expect(data.stdout).toMatch(/x+\nlast\n$/);
    expect(data.stdout.length).toBeLessThan(40_000);
    expect(data.fullOutputPath).toBe(meta.fullOutputPath);
    const { size, mode } = statSync(meta.fullOutputPath);
    expect({ size, mode: mode & 0o777 }).toEqual({ size: 50_000_012, mode: 0o600 });
    expect(meta.fullOutputPath.startsWith(join(home.path, 'outputs'))).toBe(true);
  });
});

describe.concurrent('when its time is over', () => {
  const ways = {
    'in the foreground': (seconds: string) => `sleep ${seconds}`,
    'in a session of its own': (seconds: string) => `setsid sleep ${seconds} & sleep ${seconds}`,
    'under nohup': (seconds: string) => `nohup sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}`,
    'deaf to SIGTERM': (seconds: string) => `trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}`,
    'forked twice': (seconds: string) =>
      `(setsid bash -c "(sleep ${seconds} &) ; exec sleep ${seconds}" &) ; sleep ${seconds}`,
  };

  it.each(Object.entries(ways))('nothing is left of a sleep %s', async (_, command) => {
    const seconds = uniqueSleep();
    const result = await withLongEnough(
      1_500,
      (timeoutMs) => invoke(testHome(), { command: `echo begun; ${command(seconds)}`, timeoutMs }),
      ({ data }) => (data as { stdout: string }).stdout !== '',
    );
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'execution_error', reason: 'timeout', message: expect.stringMatching(/\d+500 ms/) },
      data: { exitCode: null, stdout: 'begun\n' },
    });
    expect(sleepersOf(seconds)).toEqual([]);
  });

  it('nothing is left either of what a finished command put into the background', async () => {
    const seconds = uniqueSleep();
    const ran = await bash(testHome(), `setsid nohup sleep ${seconds} & echo done`);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect(sleepersOf(seconds)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends the command and everything it started', async (signal) => {
    const home = testHome();
    const seconds = uniqueSleep();
    const command = `trap '' INT TERM; setsid sleep ${seconds} & touch begun; sleep ${seconds}`;
    const running = startLainclaw(['ask', '--approve=auto', '--', `tool:bash ${JSON.stringify({ command })}`], {
      home,
    });
    await until(() => existsSync(join(home.workspace, 'begun')));
    await until(() => sleepersOf(seconds).length > 0);
    running.kill(signal);
    const { code, json } = await running.ended;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    const call = { name: 'bash', args: { command } };
    expect(json()).toMatchObject({
      success: false,
      stage: 'cancelled',
      toolCalls: [call],
      toolResults: [{ call, result: { ok: false, error: { code: 'execution_error', reason: 'cancelled' } } }],
    });
    expect(home.lines()).toContainEqual(
      expect.objectContaining({ type: 'tool-result', error: expect.objectContaining({ reason: 'cancelled' }) }),
    );
    expect(sleepersOf(seconds)).toEqual([]);
    expect(await ask(home, 'after')).toMatchObject({ success: true });
  });

  it('Ctrl-C of "tools invoke" leaves no process', async () => {
    const home = testHome();
    const seconds = uniqueSleep();
    const running = startLainclaw(callArgs({ command: `touch begun; sleep ${seconds}` }), { home });
    await until(() => existsSync(join(home.workspace, 'begun')));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(sleepersOf(seconds)).toEqual([]);
  });

  it('a killed Lainclaw takes its command with it', async () => {
    const home = testHome();
    const seconds = uniqueSleep();
    const running = startLainclaw(callArgs({ command: `setsid sleep ${seconds} & touch begun; sleep ${seconds}` }), {
      home,
    });
    await until(() => existsSync(join(home.workspace, 'begun')));
    running.kill('SIGKILL');
    await running.ended;
    await until(() => sleepersOf(seconds).length === 0);
  });
});

describe.concurrent('inside the sandbox', () => {
  it('there is no network, not even to this machine', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const command = `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo reached; ls /sys/class/net`;
    const { stdout } = await bash(testHome(), command);
    expect(stdout).not.toContain('reached');
    expect(connections).toBe(0);
  });

  it('nothing outside of the workspace is written', async () => {
    const home = testHome();
    const name = `lainclaw-escape-${process.pid}-${++marks}`;
    const places = ['/usr', '/etc', '/var/tmp', '/tmp', '/dev/shm', home.base, `${home.workspace}-evil`];
    mkdirSync(`${home.workspace}-evil`);
    await bash(home, places.map((place) => `echo x > ${place}/${name}`).join('; '));
    expect(places.filter((place) => existsSync(join(place, name)))).toEqual([]);
    expect((await bash(home, `echo x > /usr/${name}`)).exitCode).not.toBe(0);
    expect((await bash(home, `ln -s .. up; echo x > up/${name}; echo y > up/home/${name}`)).exitCode).not.toBe(0);
    expect(existsSync(join(home.base, name))).toBe(false);
  });

  it('/tmp is its own and empty', async () => {
    const home = testHome();
    const secret = join(home.base, 'beside.txt');
    writeFileSync(secret, 'beside');
    const { stdout } = await bash(home, `ls -A /tmp; cat ${secret}; echo mine > /tmp/mine && cat /tmp/mine`);
    expect(stdout).toBe(`${basename(home.base)}\nmine\n`);
  });

  it("Lainclaw's home can be neither read nor written", async () => {
    const home = testHome();
    home.config({ language: 'en' });
    writeFileSync(join(home.path, 'auth-profiles.json'), 'the-key-itself');
    // The text does not show where it goes: permissions cannot see it, the sandbox must hold.
    const place = 'd=$(dirname "$PWD")/ho""me;';
    const read = await bash(home, `${place} cat $d/auth-profiles.json; ls -A $d`);
    expect(read.output).not.toContain('the-key-itself');
    expect(read.output).not.toContain('config.json');
    await bash(home, `${place} echo '{}' > $d/permissions.json; rm -rf $d; mv $d $d-old; chmod 777 $d`);
    expect(readdirSync(home.path)).toEqual(expect.arrayContaining(['config.json', 'auth-profiles.json']));
    expect(existsSync(join(home.path, 'permissions.json'))).toBe(false);
  });

  it.each(['with', 'without'])('what other programs run cannot be planted in a workspace %s git', async (git) => {
    const home = testHome();
    if (git === 'with') execFileSync('git', ['init', '-q', home.workspace]);
    const before = snapshot(home.workspace);
    const targets = [
      ...['.git/hooks/pre-commit', '.git/config', '.vscode/tasks.json', '.idea/workspace.xml', '.envrc', '.mcp.json'],
      ...['.claude/settings.json', '.cursor/mcp.json', '.lainclaw/config.json'],
    ];
    for (const command of [
      targets.map((path) => `mkdir -p "$(dirname ${path})"; echo evil > ${path}`).join('; '),
      'mkdir -p g/hooks; echo evil > g/hooks/pre-commit; echo evil > g/config; rm -rf .git; mv g .git',
      'mv .git .git-old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit',
      'ln -sf /bin/true .git/hooks/pre-push; git config core.pager evil; git config core.hooksPath evil',
    ]) {
      await bash(home, command);
    }
    const after = snapshot(home.workspace);
    for (const path of targets) expect(after.get(path), path).toBe(before.get(path));
    expect([...after.keys()].filter((path) => path.startsWith('.git/hooks/') && !before.has(path))).toEqual([]);
    const { exitCode } = await bash(home, 'echo fine > .gitignore && mkdir -p src && echo fine > src/a');
    expect(exitCode).toBe(0);
  });

  it('no secret of the environment is seen', async () => {
    const env = {
      OPENAI_API_KEY: 'key-one-7711',
      AWS_SECRET_ACCESS_KEY: 'key-two-7711',
      LAINCLAW_API_KEY: 'key-three-7711',
    };
    const home = testHome();
    const { output } = await bash(home, 'env; cat /proc/*/environ | tr "\\0" "\\n"; ps aux 2>/dev/null', {}, env);
    expect(output).not.toMatch(/key-\w+-7711/);
    expect(output).toContain(`HOME=${home.base}`);
    expect(output).toContain('PAGER=cat');
  });

  it('keys in the home of the person are not there', async () => {
    const home = testHome();
    for (const path of ['.ssh/id_ed25519', '.aws/credentials', '.netrc', '.bash_history', 'notes/diary.txt']) {
      mkdirSync(join(home.base, path, '..'), { recursive: true });
      writeFileSync(join(home.base, path), 'private-matter');
    }
    const { output } = await bash(home, 'cd; grep -rs private-matter . ; cat ~/.ss*/* ~/.net* ~/notes/*');
    expect(output).not.toContain('private-matter');
  });

  it('nobody becomes root for real', async () => {
    const { stdout } = await bash(
      testHome(),
      'grep -E "^(NoNewPrivs|CapEff)" /proc/self/status; mount -t tmpfs x /mnt; unshare -U true; echo $?',
    );
    expect(stdout).toMatch(/CapEff:\s*0+\nNoNewPrivs:\s*1\n/);
    expect(stdout).not.toMatch(/\n0\n$/);
  });
});

describe.concurrent('on a terminal', () => {
  it('shows the output while the command runs', async () => {
    const home = testHome();
    const command = 'echo first-line; until [ -e go ]; do sleep 0.05; done; echo second-line';
    const running = startTerminal(['ask', '--approve=auto', '--', `tool:bash ${JSON.stringify({ command })}`], {
      home,
    });
    await running.saw('first-line');
    expect(existsSync(join(home.workspace, 'go'))).toBe(false);
    home.file('go', '');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('second-line');
  });

  it.each([
    ['ask', (command: string) => ['ask', '--approve=auto', '--', `tool:bash ${JSON.stringify({ command })}`]],
    ['tools invoke', (command: string) => callArgs({ command })],
  ])('is shown once by "%s", with what only its end can tell', async (_name, argsFor) => {
    const { stdout } = await startTerminal(argsFor('echo "li""ne"; exit 3'), { home: testHome() }).ended;
    expect(stdout.match(/line/g)).toHaveLength(1);
    expect(stdout).toContain('[exit code 3]');
  });

  it('does not let the output command the terminal', async () => {
    const home = testHome();
    const command = String.raw`printf 'a\033]0;owned\007b\033[2Jc\n'`;
    const running = startTerminal(['ask', '--approve=auto', '--', `tool:bash ${JSON.stringify({ command })}`], {
      home,
    });
    const { stdout } = await running.ended;
    expect(stdout).not.toContain('\x1b]0;');
    expect(stdout).not.toContain('\x1b[2J');
    expect(stdout).toContain(String.raw`a\x1b]0;owned\x07b`);
  });
});

describe('without a sandbox', () => {
  it('bash runs on the machine itself and says so', async () => {
    const home = testHome();
    home.config({ sandbox: 'none' });
    const seconds = uniqueSleep();
    const result = await invoke(home, { command: `setsid sleep ${seconds} & echo $HOME` });
    expect(result).toMatchObject({ ok: true, data: { stdout: `${home.base}\n` }, meta: { sandbox: 'none' } });
    expect(sleepersOf(seconds)).toEqual([]);
  });

  it('a sandbox that was chosen and does not work is not replaced by less', async () => {
    const home = testHome();
    home.config({ sandbox: 'docker' });
    const result = await invoke(home, { command: 'echo ran > ran.txt' }, { PATH: '/nowhere' });
    expect(result).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining('docker') },
    });
    expect(existsSync(join(home.workspace, 'ran.txt'))).toBe(false);
  });
});

/** Every regular file below, with its content. */
function snapshot(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}
