// Kills commands at their writes. A write is chosen by chance over all writes of the command, then: home as before → command,
// killed → what follows a kill in real life (the scenario's own commands) → every database, file and transcript is checked.
//
// `writes`: before a write as Node makes it (`kill-at-write.ts`). `syscalls`: on entering a system call that writes, made by Node or by
// SQLite, with strace.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createHome, type Home } from '../support/home.ts';
import { killEnvironment } from '../support/killed-command.ts';
import { type Finished, runBinary, startTerminal } from '../support/lainclaw.ts';
import { generalProblems, run, type Scenario, save } from './scenario.ts';

export type KillMethod = 'writes' | 'syscalls';

export interface KillFigures {
  scenario: string;
  method: KillMethod;
  /** Places at which it can be killed. */
  places: number;
  kills: number;
  /** Runs that ended before the kill. */
  survived: number;
  problems: string[];
}

const WRITING =
  'write,pwrite64,writev,pwritev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,chmod,fchmod,utimensat';
const NEVER = 65_535;

export interface KillOptions {
  scenario: Scenario;
  method: KillMethod;
  kills: number;
  random(): number;
}

export async function killCommand({ scenario, method, kills, random }: KillOptions): Promise<KillFigures> {
  const home = createHome();
  const figures: KillFigures = { scenario: scenario.name, method, places: 0, kills: 0, survived: 0, problems: [] };
  try {
    await scenario.setUp(home);
    const saved = save(home, 'start');
    figures.places = await countPlaces(scenario, method, home);
    while (figures.kills < kills && figures.survived < kills * 2) {
      saved.restore();
      const at = 1 + Math.floor(random() * figures.places);
      const finished = await runKilled(scenario, method, at, home);
      if (finished.signal === null && finished.code !== 137) {
        figures.survived += 1;
        continue;
      }
      figures.kills += 1;
      for (const problem of await judged(scenario, home, finished))
        figures.problems.push(`${scenario.name}, killed at ${at} (${lastLine(finished.stderr)}): ${problem}`);
    }
  } finally {
    home.remove();
    await scenario.tearDown?.();
  }
  return figures;
}

async function judged(scenario: Scenario, home: Home, { stdout }: Finished): Promise<string[]> {
  try {
    const found = await scenario.problems(home, isWholeResult(stdout));
    await run(home, 'audit', 'verify');
    return [...found, ...generalProblems(home)];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** A person who reads half of a result has not seen it. */
export function isWholeResult(stdout: string): boolean {
  try {
    return (JSON.parse(stdout) as { success?: boolean }).success !== false;
  } catch {
    return false;
  }
}

export async function countPlaces(scenario: Scenario, method: KillMethod, home: Home): Promise<number> {
  const counted = join(home.base, 'count');
  if (method === 'writes') {
    const { code, stderr } = await start(scenario, home, {
      env: { ...killEnvironment(0), LAINCLAW_TEST_COUNT_FILE: counted },
    });
    if (code !== 0) throw new Error(`${scenario.name} does not work by itself: ${code} ${stderr.slice(0, 500)}`);
    return Number(readFileSync(counted, 'utf8'));
  }
  await start(scenario, home, { wrapper: tracer(NEVER, counted) });
  const lines = readFileSync(counted, 'utf8').split('\n');
  rmSync(counted);
  const byThread = Object.values(Object.groupBy(lines, (line) => line.split(' ')[0] ?? ''));
  return Math.max(...byThread.map((each) => each?.length ?? 0));
}

function runKilled(scenario: Scenario, method: KillMethod, at: number, home: Home): Promise<Finished> {
  if (method === 'writes') return start(scenario, home, { env: killEnvironment(at) });
  return start(scenario, home, { wrapper: tracer(at, '/dev/null') });
}

function tracer(at: number, log: string): string[] {
  const inject = `inject=${WRITING}:signal=SIGKILL:when=${at}`;
  return ['strace', '-f', '-qq', '-o', log, '-e', `trace=${WRITING}`, '-e', inject];
}

interface StartOptions {
  env?: Record<string, string>;
  wrapper?: string[];
}

async function start({ args, env, keys }: Scenario, home: Home, more: StartOptions): Promise<Finished> {
  const options = { home, ...more, env: { ...env, ...more.env }, timeoutMs: 120_000 };
  if (!keys) return runBinary(args, options);
  const running = startTerminal(args, options);
  const typed = (async () => {
    for (const { after, type } of keys) {
      await running.saw(after);
      await running.write(type);
    }
  })();
  // A killed program shows nothing more.
  await Promise.race([typed.catch(() => {}), running.ended]);
  return running.ended;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 120) ?? '';
}

export const hasTracer = (): boolean => existsSync('/usr/bin/strace') || existsSync('/bin/strace');
