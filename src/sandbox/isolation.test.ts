// What only isolation gives: the machine is read-only, secrets are not there, the network is closed, limits hold. These
// tests fail where bubblewrap is missing; a sandbox that cannot be tried is not one that can be trusted.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import {
  createTrial,
  processesWith,
  TRIAL_LIMITS,
  type Trial,
  trialOptions,
  WAYS,
} from '../../test/support/sandbox-trial.ts';
import type { Finished, Profile, RunOptions, Sandbox, SandboxCommand } from './sandbox.ts';

describe.each(WAYS)('a sandbox %s', (how, open) => {
  const opened = how === 'made ready before' ? 'readyBubblewrap' : 'bubblewrap';
  let trial: Trial;
  let sandbox: Sandbox;
  beforeEach(() => {
    trial = createTrial();
    sandbox = open(trial);
  });
  afterEach(() => trial.remove());

  function run(
    text: string,
    profile: Partial<Profile> = {},
    change: Partial<SandboxCommand> = {},
    options: Partial<RunOptions> = {},
  ): Promise<Finished> {
    return sandbox.run(trial.script(text, change, profile), trialOptions(options));
  }

  describe('the system', () => {
    test('nothing outside the workspace can be written', async () => {
      const places = [
        '/',
        '/usr',
        '/etc',
        '/var',
        '/opt',
        '/boot',
        '/sys',
        '/proc',
        '/proc/sys/kernel',
        '/dev',
        '/srv',
      ];
      const attempts = places.map((place) => `touch ${place}/lainclaw-escape 2>/dev/null && echo wrote ${place}`);
      const finished = await run(`${attempts.join('\n')}
      echo x 2>/dev/null > ${trial.path('outside/x')} && echo wrote outside
      for file in /etc/passwd /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/power/state /proc/self/oom_score_adj; do
        : 2>/dev/null >> $file && echo opened $file
      done
      find /proc/sys /sys /etc ! -type l ! -name 'shadow*' -writable 2>/dev/null`);
      expect(finished.stdout.text).toBe('');
      for (const place of places) expect(existsSync(`${place}/lainclaw-escape`)).toBe(false);
      expect(existsSync(trial.path('outside/x'))).toBe(false);
    });

    test('/tmp, /var/tmp and /dev/shm are private, writable and empty', async () => {
      const onHost = `/var/tmp/lainclaw-${process.pid}`;
      writeFileSync(onHost, 'host');
      const finished = await run(`
      for d in /tmp /var/tmp /dev/shm; do echo mine > $d/mine && cat $d/mine; done
      ls -A /var/tmp /dev/shm; stat -c %a /tmp`);
      rmSync(onHost);
      expect(finished.stdout.text).toBe('mine\nmine\nmine\n/dev/shm:\nmine\n\n/var/tmp:\nmine\n1777\n');
      for (const place of ['/tmp', '/var/tmp', '/dev/shm']) expect(existsSync(`${place}/mine`)).toBe(false);
    });

    test('devices and processes of the host are not there', async () => {
      const finished = await run('ls /dev; echo --; ls /proc | grep -c "^[0-9]"; cat /proc/1/cmdline | tr "\\0" " "');
      const [devices = '', processes = ''] = finished.stdout.text.split('--\n');
      const usual = [
        'console',
        'core',
        'fd',
        'full',
        'null',
        'ptmx',
        'pts',
        'random',
        'shm',
        'stderr',
        'stdin',
        'stdout',
      ];
      const all = [...usual, 'tty', 'urandom', 'zero', 'mqueue'];
      expect(devices.split('\n').filter((device) => device !== '' && !all.includes(device))).toEqual([]);
      expect(Number.parseInt(processes, 10)).toBeLessThan(10);
      expect(processes).toContain('bwrap');
      await run(`kill -9 ${process.pid}; kill -9 -1`);
    });

    test('there are no privileges and none can be gained', async () => {
      const { stdout } = await run(
        'grep -E "^(Cap|NoNewPrivs)" /proc/self/status; unshare -U true 2>&1; mount -t tmpfs x /mnt 2>&1',
      );
      expect(stdout.text.match(/^Cap\w+:\t0{16}$/gm)).toHaveLength(5);
      expect(stdout.text).toContain('NoNewPrivs:\t1');
      expect(stdout.text).toMatch(/unshare: unshare failed/);
      expect(stdout.text).toMatch(/mount: .*(permission denied|must be superuser)/i);
    });

    test('it has a session of its own and no terminal', async () => {
      const { stdout } = await run('[ "$(ps -o sid= -p $$ | tr -d " ")" != 0 ] && echo session; (: </dev/tty) 2>&1');
      expect(stdout.text).toMatch(/^session\n.*No such device or address/);
    });

    test('a read-only workspace, a scratch directory and further directories are what they are called', async () => {
      trial.write('workspace/kept.txt', 'kept');
      trial.write('outside/skills/skill.txt', 'skill');
      const profile: Partial<Profile> = {
        workspace: { path: trial.workspace, access: 'read-only' },
        scratch: trial.scratch,
        readOnly: [trial.path('outside/skills')],
      };
      const text = `
      cat ${trial.workspace}/kept.txt ${trial.path('outside/skills/skill.txt')}
      for d in ${trial.workspace} ${trial.path('outside/skills')} ${trial.path('outside')}; do touch $d/new && echo wrote; done
      mkdir output && echo result > output/result.txt; pwd`;
      const finished = await run(text, profile, { cwd: trial.scratch });
      expect(finished.stdout.text).toMatch(/^keptskill/);
      expect(finished.stderr.text.match(/Read-only file system/g)).toHaveLength(2);
      expect(readFileSync(trial.path('scratch/output/result.txt'), 'utf8')).toBe('result\n');
      for (const name of ['workspace', 'outside', 'outside/skills'])
        expect(existsSync(trial.path(name, 'new'))).toBe(false);
    });

    test('the system cannot be made a workspace', async () => {
      for (const path of ['/', '/usr', '/proc/self', '/dev/shm', '/var']) {
        const refused = run('true', { workspace: { path, access: 'read-write' } });
        await expect(refused, path).rejects.toMatchObject({ code: 'invalid-profile' });
      }
      const own = run('true', { workspace: { path: trial.lainclawHome, access: 'read-write' } });
      await expect(own).rejects.toMatchObject({ code: 'invalid-profile', message: /choose another workspace/ });
    });
  });

  describe('secrets', () => {
    // Below /tmp everything would be hidden anyway.
    beforeEach(() => {
      const parent = join(import.meta.dirname, '../../node_modules/.cache');
      mkdirSync(parent, { recursive: true });
      trial.remove();
      trial = createTrial(parent);
      sandbox = trial.bubblewrap();
    });

    test('the home is empty but for toolchains and what PATH leads to; it can be written and vanishes', async () => {
      trial.write('home/.ssh/id_ed25519', 'KEY');
      trial.write('home/notes.txt', 'NOTES');
      trial.write('home/.nvm/tool.sh', 'nvm\n');
      trial.write('home/.cargo/bin/tool', 'cargo');
      trial.write('home/.cargo/credentials.toml', 'TOKEN');
      trial.write('home/tools/llvm/bin/clang', 'clang');
      trial.write('home/tools/llvm/lib/library', 'library');
      const text = `cd; find . ! -type d | sort; cat .nvm/tool.sh .cargo/credentials.toml .ssh/id_ed25519 notes.txt
      touch .nvm/new || mkdir -p .cache && echo cached > .cache/x && cat .cache/x`;
      const env = { HOME: trial.home, PATH: `${trial.home}/tools/llvm/bin:/usr/bin:/bin` };
      const finished = await run(text, {}, { env });
      const files = [
        '.cargo/bin/tool',
        '.cargo/credentials.toml',
        '.nvm/tool.sh',
        'tools/llvm/bin/clang',
        'tools/llvm/lib/library',
      ];
      expect(finished.stdout.text).toBe(`${files.map((file) => `./${file}\n`).join('')}nvm\ncached\n`);
      expect(finished.stderr.text).toMatch(/credentials.toml: Permission denied/);
      expect(finished.stdout.text + finished.stderr.text).not.toMatch(/KEY|NOTES|TOKEN/);
      expect(existsSync(trial.path('home/.cache'))).toBe(false);
    });

    test('in a workspace that is a home, or above it, secrets stay hidden', async () => {
      trial.write('home/.ssh/id_ed25519', 'KEY');
      trial.write('home/.netrc', 'KEY');
      trial.write('home/.config/gcloud/token', 'KEY');
      trial.write('home/.docker/config.json', 'KEY');
      trial.write('vault/keys', 'KEY');
      symlinkSync(trial.path('vault'), trial.path('home/.aws'));
      trial.write('lainclaw/auth-profiles.json', 'KEY');
      trial.write('home/project/file.txt', 'fine');
      for (const path of [trial.home, trial.root]) {
        const text = `cat ${trial.home}/project/file.txt; echo; grep -rs KEY ${trial.root} && echo leaked; ls ${trial.lainclawHome} ${trial.home}/.ssh`;
        const finished = await run(text, { workspace: { path, access: 'read-write' }, protect: [] }, { cwd: path });
        expect(finished.stdout.text.replace(/^\/.*:$/gm, '').trim()).toBe('fine');
      }
      expect(readFileSync(trial.path('home/.ssh/id_ed25519'), 'utf8')).toBe('KEY');
    });

    test('a workspace inside a hidden directory is there, and alone', async () => {
      trial.write('lainclaw/workspace/file.txt', 'fine');
      trial.write('lainclaw/auth-profiles.json', 'KEY');
      const path = trial.path('lainclaw/workspace');
      const finished = await run(
        'cat file.txt; echo new > new.txt; ls ..',
        { workspace: { path, access: 'read-write' } },
        { cwd: path },
      );
      expect(finished.stdout.text).toBe('fineworkspace\n');
      expect(readFileSync(trial.path('lainclaw/workspace/new.txt'), 'utf8')).toBe('new\n');
    });

    test('the directory for temporary files is empty, wherever it is', async () => {
      trial.write('cache/agent-1/key', 'KEY');
      const systemTemporary = trial.path('cache');
      sandbox = trial.bubblewrap({ systemTemporary });
      const agent = createServer((connection) => connection.end('hello')).listen(trial.path('cache/agent-1/socket'));
      onTestFinished(() => void agent.close());
      await once(agent, 'listening');
      const look = `find ${systemTemporary}; touch ${systemTemporary}/x && echo writable`;
      expect((await run(look)).stdout.text).toBe(`${systemTemporary}\nwritable\n`);
      // One that a person works in is there.
      const inside = { workspace: { path: trial.root, access: 'read-write' } as const, protect: [] };
      expect((await run(`cat ${systemTemporary}/agent-1/key`, inside, { cwd: trial.root })).stdout.text).toBe('KEY');
      const below = { workspace: { path: trial.path('cache/agent-1'), access: 'read-write' } as const };
      expect((await run('cat key', below, { cwd: trial.path('cache/agent-1') })).stdout.text).toBe('KEY');
    });

    test('passwords, other homes and sockets of services are not there', async () => {
      const { stdout } = await run(
        'cat /etc/shadow 2>/dev/null; ls -A /root /run /mnt /media 2>/dev/null | grep -v ":$"; ls -A /home | wc -l',
      );
      expect(stdout.text.trim()).toBe('0');
    });
  });

  describe('the network', () => {
    let server: Server;
    let port = 0;
    let visits = 0;
    beforeEach(async () => {
      visits = 0;
      server = createServer((socket) => {
        visits += 1;
        socket.end('hello');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      port = (server.address() as { port: number }).port;
    });
    afterEach(() => server.close());

    test('is closed, loopback and sockets of the host included', async () => {
      const socket = trial.path('outside/service.sock');
      const abstract = `\\0lainclaw-${process.pid}`;
      const local = createServer((connection) => connection.end('hello')).listen(socket);
      const hidden = createServer((connection) => connection.end('hello')).listen(abstract.replace('\\0', '\0'));
      await Promise.all([local, hidden].map((server) => server.listening || once(server, 'listening')));
      const text = `
      timeout 2 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3' 2>/dev/null && echo tcp
      python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${abstract}"); print("abstract")' 2>/dev/null
      python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${socket}"); print("named")' 2>/dev/null
      cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " "`;
      const finished = await run(text);
      expect(finished.stdout.text).toBe('lo\n');
      expect(visits).toBe(0);
      local.close();
      hidden.close();
    });
  });

  describe('limits', () => {
    const limits = {
      ...TRIAL_LIMITS,
      memoryBytes: 200 * 1024 * 1024,
      fileSizeBytes: 1024 * 1024,
      cpuSeconds: 1,
      processes: 40,
    };

    test('a process that wants far too much memory does not get it', async () => {
      const finished = await run(`python3 -c 'x = bytearray(20 << 30); print("got it")'`, { limits });
      expect(finished.stdout.text).toBe('');
      expect(finished.stderr.text).toContain('MemoryError');
    });

    test('a process that uses too much memory is ended', async () => {
      const text = `python3 -c 'import time; x = bytearray(b"x") * (400 << 20); time.sleep(20); print("got it")'`;
      expect(await run(text, { limits })).toMatchObject({ limitExceeded: 'memory', stdout: { text: '' } });
      expect((await run(`python3 -c 'x = bytearray(50 << 20); print("fine")'`, { limits })).stdout.text).toBe('fine\n');
    });

    test('processes that want too much memory together are ended', async () => {
      const text = `for i in 1 2 3; do python3 -c 'import time; x = bytearray(b"x") * (120 << 20); time.sleep(20)' & done; wait`;
      expect(await run(text, { limits })).toMatchObject({ limitExceeded: 'memory', timedOut: false });
    });

    test('private directories do not grow beyond the memory limit', async () => {
      const { stdout } = await run('df --output=size -B1 /tmp ~ /dev/shm | tail -n +2', { limits });
      for (const size of stdout.text.trim().split('\n')) expect(Number(size)).toBeLessThanOrEqual(limits.memoryBytes);
    });

    test('a file cannot grow beyond its limit', async () => {
      const finished = await run('head -c 3000000 /dev/zero > big; echo $?', { limits });
      expect(finished.stdout.text).toBe('153\n');
      expect(statSync(trial.path('workspace/big')).size).toBe(1024 * 1024);
    });

    test('a process that computes too long is ended', async () => {
      const finished = await run('while :; do :; done', { limits });
      expect(finished).toMatchObject({ exitCode: 152, signal: 'SIGXCPU', timedOut: false });
    });

    test('there cannot be too many processes', async () => {
      const text = `python3 -c '
import os, time
made = 0
for i in range(60):
  try:
    if os.fork() == 0: time.sleep(5); os._exit(0)
    made += 1
  except BlockingIOError: pass
print(made)'`;
      const { stdout } = await run(text, { limits });
      expect(Number.parseInt(stdout.text, 10)).toBeGreaterThan(20);
      expect(Number.parseInt(stdout.text, 10)).toBeLessThan(limits.processes);
    });

    test('a fork bomb leaves its caller responsive and is gone after the timeout', async () => {
      const mark = `mark-${trial.root}`;
      const bomb = 'bomb() { bomb | bomb & }; bomb; while :; do :; done';
      let pulses = 0;
      const pulse = setInterval(() => {
        pulses += 1;
      }, 5);
      const env = { PATH: '/usr/bin:/bin', mark };
      const finished = await run(
        bomb,
        { scratch: trial.scratch, limits: { ...limits, processes: 128, cpuSeconds: 30 } },
        { env },
        { timeoutMs: 1_500 },
      );
      clearInterval(pulse);
      expect(finished.exitCode).toBeNull();
      // Of 300, on a machine with nothing else to do. One that waits for the bomb has none.
      expect(pulses).toBeGreaterThan(20);
      expect(processesWith(mark)).toEqual([]);
    });
  });

  describe('what is held', () => {
    test('root without control groups, and old kernels, have no limit on processes, and it says so', async () => {
      const cgroups = { root: '/nowhere', membership: '' };
      const limitsOf = async (uid: number, kernel: string) =>
        await trial.bubblewrap({ uid, kernel, cgroups }).available();
      expect(await limitsOf(0, '6.1.0')).toMatchObject({ ok: true, limits: { memory: 'tree', processes: 'none' } });
      expect(await limitsOf(1000, '5.10.0-8-amd64')).toMatchObject({ limits: { processes: 'none' } });
      expect(await limitsOf(1000, '5.14.0')).toMatchObject({ limits: { processes: 'tree' } });
    });
  });

  describe('the caller', () => {
    test('descriptors it was started with do not reach its commands', () => {
      const code = `
      import { createTrial, trialOptions } from '${new URL('../../test/support/sandbox-trial.ts', import.meta.url).href}';
      const trial = createTrial();
      for (const sandbox of [trial.${opened}(), trial.none()]) {
        const finished = await sandbox.run(trial.script('exec ls -l /proc/self/fd'), trialOptions());
        console.log(finished.stdout.text);
      }
      trial.remove();`;
      // Node closes those with low numbers itself.
      const shell = ['-c', 'exec 60<"$0"; exec "$@"', trial.root, process.execPath, '--input-type=module', '-e', code];
      const said = execFileSync('bash', shell, { encoding: 'utf8' });
      expect(said.match(/ 60 -> \/dev\/null$/gm)).toHaveLength(2);
      expect(said).not.toContain(`${trial.root}\n`);
    });

    test('a killed caller takes its commands along', async () => {
      const mark = `mark-${trial.root}`;
      const code = `
      import { createTrial, trialOptions } from '${new URL('../../test/support/sandbox-trial.ts', import.meta.url).href}';
      const trial = createTrial();
      process.send(trial.root);
      const env = { PATH: '/usr/bin:/bin', mark: '${mark}' };
      await trial.${opened}().run(trial.script('setsid sleep 300 & sleep 300', { env }), trialOptions());`;
      const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
      const caller = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: [...stdio] });
      const [root] = (await once(caller, 'message')) as [string];
      while (processesWith(mark).length < 4) await sleep(20);
      caller.kill('SIGKILL');
      await once(caller, 'exit');
      await eventually(() => expect(processesWith(mark)).toEqual([]));
      rmSync(root, { recursive: true });
    });
  });

  describe('availability', () => {
    test('without the programs it says what is missing and how to get it', async () => {
      const bubblewrap = trial.bubblewrap({ directories: [trial.path('outside')] });
      expect(await bubblewrap.available()).toEqual({
        ok: false,
        reason: `bwrap was not found in ${trial.path('outside')}`,
        fix: expect.stringContaining('apt install bubblewrap'),
      });
      await expect(bubblewrap.run(trial.script('true'), trialOptions())).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('a machine on which it does not work is not mistaken for a command that fails', async () => {
      mkdirSync(trial.path('programs'));
      const refusing =
        '#!/bin/sh\nif [ "$1" = --version ]; then echo "bubblewrap 0.8.0"; exit; fi\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1\n';
      writeFileSync(trial.path('programs/bwrap'), refusing, { mode: 0o755 });
      for (const name of ['prlimit', 'mkfifo']) symlinkSync(`/usr/bin/${name}`, trial.path('programs', name));
      const bubblewrap = trial.bubblewrap({ directories: [trial.path('programs')] });
      expect(await bubblewrap.available()).toMatchObject({ ok: false, fix: expect.stringContaining('AppArmor') });
      await expect(bubblewrap.run(trial.script('true'), trialOptions())).rejects.toMatchObject({
        code: 'setup-failed',
      });
    });
  });
});
