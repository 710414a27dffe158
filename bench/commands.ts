// Times whole commands. Contenders take turns, so that whatever else the machine does falls on all of them alike.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from './bench.ts';

export const LAINCLAW = resolve('bin/lainclaw.js');

export interface Contender {
  name: string;
  /** Arguments of Node. */
  args: string[];
  env?: Record<string, string>;
}

export interface Timing {
  ms: number;
  peakMb: number;
}

/** Median wall time and peak memory of each contender over the given rounds, after one unmeasured round. */
export function timeCommands(contenders: readonly Contender[], rounds: number): Map<string, Timing> {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-bench-'));
  const hook = join(directory, 'peak.cjs');
  // Not getrusage: its peak starts with the size of the process that started it.
  writeFileSync(
    hook,
    "process.on('exit',()=>{const fs=require('fs');fs.writeSync(2,'\\npeak '+/VmHWM:\\s*(\\d+)/.exec(fs.readFileSync('/proc/self/status','utf8'))[1]+'\\n')})",
  );
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  const peaks = new Map<string, number>();
  try {
    for (const contender of contenders) peaks.set(contender.name, peakOf(contender, hook));
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of contenders) times.get(contender.name)?.push(timeOnce(contender));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  return new Map(
    contenders.map(({ name }) => [name, { ms: median(times.get(name) ?? []), peakMb: peaks.get(name) ?? Number.NaN }]),
  );
}

function timeOnce({ name, args, env }: Contender): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

function peakOf({ name, args, env }: Contender, hook: string): number {
  const { status, stderr } = spawnSync(process.execPath, ['-r', hook, ...args], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [, kilobytes] = /peak (\d+)/.exec(String(stderr)) ?? [];
  if (status !== 0 || !kilobytes) throw new Error(`${name} ended with ${status}: ${stderr}`);
  return Number(kilobytes) / 1024;
}

/** NODE_EXTRA_CA_CERTS alone doubles a start; LAINCLAW_* would change what is measured. */
export function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LAINCLAW_') && !name.startsWith('NODE_'),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...extra };
}

export async function withTemporaryHome<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-bench-home-'));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
