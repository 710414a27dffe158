// The scripts in real shells. bash is on every machine that runs the tests; zsh and fish are asked where they are installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { ask, BINARY, lainclaw, runBinary, startTerminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** A home with a `lainclaw` on the PATH. */
function installed(): { home: Home; env: Record<string, string> } {
  const home = testHome();
  const bin = join(home.base, 'bin');
  mkdirSync(bin);
  const command = join(bin, 'lainclaw');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
  chmodSync(command, 0o755);
  return { home, env: { PATH: `${bin}:${process.env.PATH}` } };
}

const BASH = `
source <(lainclaw completion bash)
COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
for COMP_LINE in "$@"; do
  COMP_POINT=\${#COMP_LINE}
  _lainclaw lainclaw "\${COMP_LINE##*[ =:]}" ''
  printf '%s\\n' "\${COMPREPLY[@]}" end
done`;

/** What bash would offer for each line. */
function inBash({ home, env }: ReturnType<typeof installed>, ...lines: string[]): string[][] {
  const said = execFileSync('bash', ['--norc', '-c', BASH, 'bash', ...lines], {
    cwd: home.workspace,
    env: { ...env, LAINCLAW_HOME: home.path, LANG: 'C.UTF-8' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return said
    .split('end\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((line) => line !== ''));
}

const words = async (home: Home, ...line: string[]) => {
  const { code, stdout, stderr } = await lainclaw(['completion', '--complete', 'words', '--', 'lainclaw', ...line], {
    home,
  });
  const [kind, ...rest] = stdout.trimEnd().split('\n');
  return { code, stderr, kind, values: rest.map((each) => each.split('\t')[0]) };
};

describe('bash', () => {
  it('completes commands, flags and values of real lines', async () => {
    const there = installed();
    await ask(there.home, 'hello', '--session', 'feishu:chat-1');
    await ask(there.home, 'hello', '--session', 'feishu:chat-2');
    there.home.file('notes one.txt', '');
    mkdirSync(join(there.home.workspace, 'sub'));
    const [commands, approvals, assigned, colons, quotedColons, files, directories, tools, manual, ended, unknown] =
      inBash(
        there,
        'lainclaw s',
        'lainclaw ask hi --approve ',
        'lainclaw ask --approve=a',
        'lainclaw sessions show feishu:chat',
        'lainclaw sessions show "feishu:chat-2',
        'lainclaw ask --file no',
        'lainclaw ask --workspace=s',
        'lainclaw ask --tool-allow time.now,shell',
        'lainclaw ask tool:time',
        'lainclaw ask -- --app',
        'lainclaw nonsense --x',
      );
    expect(commands).toEqual(['setup', 'schedule', 'sessions', 'skills', 'selftest', 'store']);
    expect(approvals).toEqual(['ask', 'auto', 'never']);
    expect(assigned).toEqual(['ask', 'auto']);
    expect(colons?.toSorted()).toEqual(['chat-1', 'chat-2']);
    expect(quotedColons).toEqual(['feishu:chat-2']);
    expect(files).toEqual(['notes one.txt']);
    expect(directories).toEqual(['sub']);
    expect(tools).toEqual(['time.now,shell.pwd']);
    expect(manual).toEqual(['time.now']);
    expect(ended).toEqual([]);
    expect(unknown).toEqual([]);
  });

  it('completes what a person types, with the quotes that are open and the names of files', async () => {
    const { home, env } = installed();
    await ask(home, 'hello', '--session', 'feishu:chat-1');
    home.file('notes one.txt', '');
    const settings = join(home.base, 'bashrc');
    writeFileSync(settings, "PS1='ready> '\nsource <(lainclaw completion bash)\n");
    const shell = startTerminal([], {
      home,
      env: { ...env, TERM: 'dumb' },
      wrapper: ['sh', '-c', 'exec bash --rcfile "$0" -i', settings],
    });
    await shell.saw('ready> ');
    const lines = [
      ['lainclaw sess', 'lainclaw sessions '],
      ['lainclaw ask --approve=au', 'lainclaw ask --approve=auto '],
      ['lainclaw ask --session fei', 'lainclaw ask --session feishu:chat-1 '],
      ['lainclaw undo --session=feishu:c', 'lainclaw undo --session=feishu:chat-1 '],
      ['lainclaw sessions show "fei', 'lainclaw sessions show "feishu:chat-1" '],
      ['lainclaw ask --file=no', 'lainclaw ask --file=notes\\ one.txt '],
    ];
    for (const [typed, shown = ''] of lines) {
      await shell.write(`${typed}\t`);
      await shell.saw(shown);
      await shell.write('\x15');
    }
    await shell.write('exit\r');
    expect((await shell.ended).code).toBe(0);
  });
});

describe('zsh and fish', () => {
  it('have scripts that only ask the program', async () => {
    const home = testHome();
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await lainclaw(['completion', shell], { home });
      expect(code).toBe(0);
      expect(stdout).toContain('command lainclaw completion --complete words -- ');
      expect(stdout).toContain(`lainclaw completion ${shell}`);
    }
    expect(home.exists()).toBe(false);
  });

  it.runIf(has('zsh'))('zsh can read its own', async () => {
    const { stdout } = await lainclaw(['completion', 'zsh'], { home: testHome() });
    expect(spawnSync('zsh', ['-fn'], { input: stdout }).status).toBe(0);
  });

  it.runIf(has('zsh'))('zsh gets a description only where there is one', () => {
    const { home, env } = installed();
    const offered = `compdef() { :; }; _describe() { print -rl -- "\${described[@]}"; }; source <(lainclaw completion zsh)
      words=(lainclaw ask --approve ''); CURRENT=4; PREFIX=''; _lainclaw
      words=(lainclaw sess); CURRENT=2; PREFIX=sess; _lainclaw`;
    const said = execFileSync('zsh', ['-f', '-c', offered], {
      env: { ...env, HOME: home.base, LAINCLAW_HOME: home.path },
      encoding: 'utf8',
    });
    expect(said.trim().split('\n')).toEqual([
      'ask',
      'auto',
      'never',
      expect.stringMatching(/^sessions:Manage the conv/),
    ]);
  });

  it.runIf(has('fish'))('fish completes with its own', async () => {
    const { home, env } = installed();
    const said = execFileSync(
      'fish',
      ['--no-config', '-c', "lainclaw completion fish | source; complete -C 'lainclaw ask --approve=a'"],
      { env: { ...env, HOME: home.base, LAINCLAW_HOME: home.path }, encoding: 'utf8' },
    );
    expect(said.trim().split('\n')).toEqual(['--approve=ask', '--approve=auto']);
  });
});

describe('asking the program', () => {
  it('tells words with descriptions, and leaves files to the shell', async () => {
    const home = testHome();
    expect(await words(home, 'tools', '')).toMatchObject({
      kind: 'values',
      values: ['list', 'info', 'invoke', 'help'],
    });
    expect(await words(home, 'ask', '--image', 'x')).toMatchObject({ kind: 'files', values: [] });
    expect(await words(home, 'ask', '--provider', 'anthropic', '--model', 'claude-sonnet-5')).toMatchObject({
      values: expect.arrayContaining(['claude-sonnet-5']),
    });
  });

  it('knows jobs, skills, servers and the tools they have offered', async () => {
    const home = testHome();
    home.file('skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n');
    await lainclaw(['schedule', 'add', 'brief', '--every', '1d', '--message', 'x'], { home });
    const server = join(import.meta.dirname, '..', '..', 'node_modules', '@modelcontextprotocol', 'server-everything');
    const added = await lainclaw(
      ['mcp', 'add', 'every', '--', process.execPath, join(server, 'dist', 'index.js'), 'stdio'],
      { home },
    );
    expect(added.code).toBe(0);
    expect((await words(home, 'schedule', 'remove', '')).values).toEqual(['brief']);
    expect((await words(home, 'skills', 'show', 't')).values).toEqual(['tidy']);
    expect((await words(home, 'mcp', 'test', '')).values).toEqual(['every']);
    expect((await words(home, 'tools', 'info', 'mcp__every__ech')).values).toEqual(['mcp__every__echo']);
  });

  it('gives up in time on a file that never opens', async () => {
    const home = testHome();
    mkdirSync(home.path);
    execFileSync('mkfifo', [join(home.path, 'config.json')]);
    const line = ['completion', '--complete', 'words', '--', 'lainclaw', 'ask', '--session', ''];
    expect(await runBinary(line, { home })).toMatchObject({ stdout: '', stderr: '' });
  });

  it('says nothing on stderr, whatever was typed, and makes no home', async () => {
    const home = testHome();
    const lines = [
      [],
      [''],
      ['nonsense', '--x=', ''],
      ['ask', '--session', ''],
      ['schedule', 'remove', ''],
      ['agents', 'logs', ''],
      ['ask', '--workspace', '/nowhere', '--tool-allow', ''],
      ['ask', '--base-url', 'nonsense', '--provider', 'openai-compatible', '--model', ''],
    ];
    for (const line of lines) expect(await words(home, ...line)).toMatchObject({ code: 0, stderr: '' });
    expect(home.exists()).toBe(false);
    home.config({ nonsense: true });
    expect(await words(home, 'ask', '--session', '')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('completion without a shell it knows', () => {
  it('is wrong usage that names the accepted ones', async () => {
    const named = await lainclaw(['completion', 'tcsh'], { home: testHome() });
    expect(named.code).toBe(2);
    expect(named.stderr).toContain('there is no completion for "tcsh"; accepted: bash, zsh, fish');
    const unnamed = await lainclaw(['completion'], { home: testHome(), env: { SHELL: '/bin/dash' } });
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toContain('name one of bash, zsh, fish');
  });

  it('takes the one of $SHELL', async () => {
    const { code, stdout } = await lainclaw(['completion'], { home: testHome(), env: { SHELL: '/usr/bin/fish' } });
    expect(code).toBe(0);
    expect(stdout).toContain('function __lainclaw_complete');
  });
});
