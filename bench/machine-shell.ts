// Commands and code: what the sandbox adds, what a gigabyte of output costs, what is left after a timeout, and whether
// the process that started a fork bomb still answers.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median, type Scale } from './bench.ts';
import { type Bed, succeeded } from './machine-tools.ts';

export async function measureSandbox({ sandbox, workspace }: Bed, scale: Scale): Promise<Figure> {
  const backend = await sandbox();
  const command = {
    argv: ['/bin/bash', '--noprofile', '--norc', '-c', 'true'],
    cwd: workspace,
    env: { PATH: '/usr/bin:/bin' },
    profile: {
      workspace: { path: workspace, access: 'read-write' as const },
      protect: [join(workspace, '.git/hooks'), join(workspace, '.git/config')],
      limits: { memoryBytes: 4 * 1024 ** 3, cpuSeconds: 600, fileSizeBytes: 2 * 1024 ** 3, processes: 512 },
    },
  };
  const output = { headBytes: 20_000, tailBytes: 12_000, maxBytes: 1_000_000 };
  const sandboxed: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < (scale === 'full' ? 61 : 2); round += 1) {
    let started = performance.now();
    await backend.run(command, { timeoutMs: 10_000, output });
    sandboxed.push(performance.now() - started);
    started = performance.now();
    await plainRun(command.argv, command.env, workspace);
    plain.push(performance.now() - started);
  }
  const [own, floor] = [median(sandboxed), median(plain)];
  return {
    name: 'sandbox, added to a command',
    value: own - floor,
    unit: 'ms',
    limit: 25,
    detail: `${own.toFixed(1)} ms, plain spawn ${floor.toFixed(1)} ms`,
  };
}

function plainRun([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  return new Promise((resolve) => child.once('close', () => resolve()));
}

/** In a process of its own, which holds nothing else. */
export function measureGigabyte(base: string, scale: Scale): Figure {
  const bytes = scale === 'full' ? 1_200_000_000 : 20_000_000;
  const worker = join(import.meta.dirname, 'machine-gigabyte-worker.ts');
  const said = execFileSync(process.execPath, [worker, base, String(bytes)], { encoding: 'utf8' });
  const { overMb, ended, seconds } = JSON.parse(said) as { overMb: number; ended: string; seconds: number };
  if (scale === 'full' && ended !== 'limit') throw new Error(`the output did not end by its limit but by: ${ended}`);
  return {
    name: `bash, ${(bytes / 1e9).toFixed(1)} GB of output`,
    value: overMb,
    unit: 'MB over idle',
    limit: 40,
    detail: `ended by ${ended} after ${seconds.toFixed(1)} s`,
  };
}

export async function measureSurvivors(bed: Bed): Promise<Figure> {
  const ways: Record<string, (seconds: string) => string> = {
    setsid: (seconds) => `setsid sleep ${seconds} & sleep ${seconds}`,
    nohup: (seconds) => `nohup sleep ${seconds} >/dev/null 2>&1 & sleep ${seconds}`,
    'trap TERM': (seconds) => `trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}`,
    'double fork': (seconds) => `(setsid bash -c "(sleep ${seconds} &); exec sleep ${seconds}" &); sleep ${seconds}`,
  };
  const survivors: string[] = [];
  let index = 0;
  for (const [name, command] of Object.entries(ways)) {
    index += 1;
    const seconds = `${7_000_000 + process.pid}.${index}`;
    const output = await bed.call(bed.bash, { command: command(seconds), timeoutMs: 500 });
    if (!('failed' in output) || output.failed !== 'timeout')
      throw new Error(`${name}: it was not ended by its timeout`);
    if (sleepers(seconds) > 0) survivors.push(name);
  }
  return {
    name: 'processes left after a timeout',
    value: survivors.length,
    unit: 'survivors',
    limit: 0,
    detail: survivors.join(', ') || Object.keys(ways).join(', '),
  };
}

function sleepers(seconds: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`sleep\0${seconds}\0`);
    } catch {
      return false;
    }
  }).length;
}

/** The longest this process was deaf meanwhile, or late with its answer after the timeout, whichever is more. */
export async function measureForkBomb(bed: Bed, scale: Scale): Promise<Figure> {
  succeeded(await bed.call(bed.codeExecute, { language: 'bash', code: 'true' }));
  const timeoutMs = scale === 'full' ? 5_000 : 1_000;
  let deaf = 0;
  let last = performance.now();
  const heart = setInterval(() => {
    deaf = Math.max(deaf, performance.now() - last - 20);
    last = performance.now();
  }, 20);
  const started = performance.now();
  const code = 'b() { b | b & }; b; sleep 600';
  const output = await bed.call(bed.codeExecute, { language: 'bash', code, timeoutMs });
  clearInterval(heart);
  const late = Math.max(0, performance.now() - started - timeoutMs);
  const ended = 'failed' in output ? output.failed : 'itself';
  return {
    name: 'fork bomb, time to an answer',
    value: Math.max(deaf, late),
    unit: 'ms',
    limit: 1_000,
    detail: `deaf for ${deaf.toFixed(0)} ms at most, ${late.toFixed(0)} ms after the timeout; ended by ${ended}`,
  };
}
