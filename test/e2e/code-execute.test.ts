// code_execute through the binary. Nothing here is skipped where bubblewrap is missing.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { withLongEnough } from '../support/long-enough.ts';
import { testHome } from '../support/test-home.ts';

interface Ran {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  output: string;
  files: { name: string; size: number; path: string; text?: string }[];
}

async function invoke(home: Home, args: object, ...flags: string[]): Promise<ToolResult> {
  const given = ['tools', 'invoke', 'code_execute', '--args', JSON.stringify(args), ...flags];
  return (await lainclaw(given, { home })).json<{ result: ToolResult }>().result;
}

async function run(home: Home, code: string, more: object = {}): Promise<Ran> {
  const result = await invoke(home, { code, ...more }, '--approve=auto');
  expect(result, code).toMatchObject({ ok: true, meta: { sandbox: 'bubblewrap' } });
  return (result as { data: Ran }).data;
}

describe.concurrent('code', () => {
  it('is Python by default, and bash when asked for', async () => {
    const home = testHome();
    expect(await run(home, 'import sys; print(6 * 7); print("bad", file=sys.stderr); sys.exit(3)')).toMatchObject({
      exitCode: 3,
      stdout: '42\n',
      stderr: 'bad\n',
      files: [],
    });
    expect(await run(home, 'echo $((6 * 7)); exit 4', { language: 'bash' })).toMatchObject({
      exitCode: 4,
      stdout: '42\n',
    });
    expect(await invoke(home, { code: '1', language: 'perl' }, '--approve=auto')).toMatchObject({
      ok: false,
      error: { code: 'invalid_args' },
    });
  });

  it('that fails is a result that shows why', async () => {
    expect(await run(testHome(), 'def f():\n  raise ValueError("oh")\nf()')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/line 2, in f[\s\S]*ValueError: oh/),
    });
  });

  it('hands back the files it leaves under output/', async () => {
    const home = testHome();
    const { files } = await run(
      home,
      'open("output/a.txt", "w").write("Привет")\nopen("output/b.bin", "wb").write(bytes(range(4)))\nopen("beside.txt", "w").write("x")',
    );
    expect(files).toMatchObject([
      { name: 'a.txt', size: 12, text: 'Привет' },
      { name: 'b.bin', size: 4 },
    ]);
    expect(files[1]).not.toHaveProperty('text');
    for (const { path, size } of files) {
      expect(path.startsWith(join(home.path, 'outputs'))).toBe(true);
      expect({ size: statSync(path).size, mode: statSync(path).mode & 0o777 }).toEqual({ size, mode: 0o600 });
    }
    const [again] = (await run(home, 'open("output/a.txt", "w").write("second")')).files;
    expect(again?.path).not.toBe(files[0]?.path);
    expect(readFileSync(files[0]?.path ?? '', 'utf8')).toBe('Привет');
  });

  it('cannot hand back what is not its own: links, pipes, directories', async () => {
    const home = testHome();
    const { files } = await run(
      home,
      `ln -s /etc/passwd output/link; ln -s ${home.path}/config.json output/config; mkfifo output/pipe; mkdir output/d; echo x > output/d/x; echo fine > output/fine`,
      { language: 'bash' },
    );
    expect(files.map(({ name }) => name)).toEqual(['fine']);
  });

  it('leaves nothing behind in the temporary directory', async () => {
    const home = testHome();
    const temporary = join(home.base, 'temporary');
    mkdirSync(temporary);
    const args = [
      'tools',
      'invoke',
      'code_execute',
      '--approve=auto',
      '--args',
      "{\"code\":\"open('output/x','w').write('x')\"}",
    ];
    const { json } = await runBinary(args, { home, env: { TMPDIR: temporary } });
    expect(json<{ result: ToolResult }>().result).toMatchObject({ ok: true, data: { files: [{ name: 'x' }] } });
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe.concurrent('code is confined', () => {
  it('reads the workspace and cannot write it', async () => {
    const home = testHome();
    home.file('data.txt', 'from the workspace');
    const ran = await run(
      home,
      `import os\nws=${JSON.stringify(home.workspace)}\nprint(open(ws+"/data.txt").read())\nfor how in (lambda: open(ws+"/new","w"), lambda: os.remove(ws+"/data.txt"), lambda: os.rename(ws, ws+"2")):\n  try:\n    how(); print("done")\n  except OSError: print("refused")`,
    );
    expect(ran.stdout).toBe('from the workspace\nrefused\nrefused\nrefused\n');
    expect(readdirSync(home.workspace)).toEqual(['data.txt']);
  });

  it('has no network', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const ran = await run(testHome(), `import socket\nsocket.create_connection(("127.0.0.1", ${port}), 2)`);
    expect(ran.exitCode).toBe(1);
    expect(connections).toBe(0);
  });

  it("sees nothing of Lainclaw's home but its skills, and writes none of it", async () => {
    const home = testHome();
    home.config({ language: 'en' });
    const skill = join(home.path, 'skills/own/SKILL.md');
    mkdirSync(dirname(skill), { recursive: true });
    writeFileSync(skill, 'the skill');
    const ran = await run(
      home,
      `cat ${skill}; cat ${home.path}/config.json; ls ${home.path}; echo evil > ${skill}; echo evil > ${home.path}/permissions.json`,
      { language: 'bash' },
    );
    expect(ran.stdout).toBe('the skillskills\n');
    expect(readFileSync(skill, 'utf8')).toBe('the skill');
    expect(existsSync(join(home.path, 'permissions.json'))).toBe(false);
  });

  it('has no secrets in its environment', async () => {
    const home = testHome();
    const args = [
      'tools',
      'invoke',
      'code_execute',
      '--approve=auto',
      '--args',
      '{"code":"import os; print(dict(os.environ))"}',
    ];
    const { stdout } = await lainclaw(args, { home, env: { OPENAI_API_KEY: 'key-7712', GITHUB_TOKEN: 'key-7713' } });
    expect(stdout).toContain('PATH');
    expect(stdout).not.toMatch(/key-771\d/);
  });

  it('ends at its timeout with everything it started', async () => {
    const code =
      'import os,time\nprint("begun", flush=True)\nos.fork()\nos.setsid() if os.fork() == 0 else None\ntime.sleep(600)';
    const result = await withLongEnough(
      1_000,
      (timeoutMs) => invoke(testHome(), { code, timeoutMs }, '--approve=auto'),
      ({ data }) => (data as { stdout: string }).stdout !== '',
    );
    expect(result).toMatchObject({ ok: false, error: { reason: 'timeout' }, data: { stdout: 'begun\n' } });
  });

  it('that forks without end does not keep its caller from answering', async () => {
    const home = testHome();
    const result = await invoke(
      home,
      { language: 'bash', code: 'b() { b | b & }; b; sleep 600', timeoutMs: 2_000 },
      '--approve=auto',
    );
    expect(result).toMatchObject({ ok: false, error: { code: 'execution_error' } });
    // A bomb that nothing ends would run for ten minutes.
    expect(result.meta.durationMs).toBeLessThan(100_000);
  });

  it('that takes more memory than it may is ended', async () => {
    const code = 'x = []\nwhile True: x.append(bytearray(50_000_000))';
    const result = await invoke(testHome(), { code }, '--approve=auto');
    expect(result).toMatchObject({ ok: false, error: { reason: 'limit', message: expect.stringContaining('memory') } });
  });

  it('that writes without end is bounded in size', async () => {
    const { exitCode, stderr } = await run(testHome(), 'f = open("big", "wb")\nwhile True: f.write(bytes(10_000_000))');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('File too large') });
  });
});

describe('without a sandbox', () => {
  it('no code runs, whatever was approved, and "tools info" says why', async () => {
    const home = testHome();
    home.config({ sandbox: 'none' });
    const code = `open(${JSON.stringify(join(home.base, 'ran'))}, "w")`;
    expect(await invoke(home, { code }, '--approve=auto')).toMatchObject({
      ok: false,
      error: {
        code: 'execution_error',
        reason: 'denied',
        message: expect.stringContaining('lainclaw config set sandbox auto'),
      },
    });
    expect(existsSync(join(home.base, 'ran'))).toBe(false);
    const { json } = await lainclaw(['tools', 'info', 'code_execute'], { home });
    expect(json()).toMatchObject({
      available: false,
      unavailableBecause: expect.stringContaining('lainclaw config set sandbox auto'),
    });
  });

  it('a chosen one that does not work is named, here and in "tools info"', async () => {
    const home = testHome();
    home.config({ sandbox: 'docker' });
    const env = { DOCKER_HOST: `unix://${home.base}/no-engine.sock` };
    const args = ['tools', 'invoke', 'code_execute', '--approve=auto', '--args', '{"code":"1"}'];
    const { json } = await lainclaw(args, { home, env });
    expect(json<{ result: ToolResult }>().result).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining('docker') },
    });
    const info = await lainclaw(['tools', 'info', 'code_execute'], { home, env });
    expect(info.json()).toMatchObject({ available: false, unavailableBecause: expect.stringContaining('docker') });
  });

  it('with one, "tools info" says that it can be used', async () => {
    const { json } = await lainclaw(['tools', 'info', 'code_execute'], { home: testHome() });
    expect(json()).toMatchObject({ available: true, effect: 'exec', requiresPermission: true });
  });
});

describe('permission', () => {
  it('is needed, and "never" means never', async () => {
    const home = testHome();
    expect(await invoke(home, { code: 'print(1)' })).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining('--mode auto') },
    });
    expect(await invoke(home, { code: 'print(1)' }, '--approve=never')).toMatchObject({
      ok: false,
      error: { reason: 'denied' },
    });
  });
});
