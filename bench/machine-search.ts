// grep and glob against ripgrep itself, on the same tree, taking turns.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createGlobTool } from '../src/tools/search/glob.ts';
import { createGrepTool } from '../src/tools/search/grep.ts';
import { findRipgrep } from '../src/tools/search/program.ts';
import { type Figure, median, type Scale } from './bench.ts';
import { type Bed, succeeded } from './machine-tools.ts';

const IN_DIRECTORY = 100;
const COMMON = ['--no-config', '--no-require-git', '--hidden', '--glob=!.git'];

export async function measureSearch(bed: Bed, scale: Scale): Promise<Figure[]> {
  const files = scale === 'full' ? 100_000 : 1_000;
  const rounds = scale === 'full' ? 15 : 1;
  plant(bed.workspace, files);
  const rg = await findRipgrep();
  const grepTool = createGrepTool();
  const globTool = createGlobTool();
  const grep = await takeTurns(
    rounds,
    async () => succeeded(await bed.call(grepTool, { pattern: 'needle-[0-9]+', limit: 5_000 })).data,
    () => run(rg, [...COMMON, '--line-number', '--regexp=needle-[0-9]+', '--', './'], bed.workspace),
  );
  const glob = await takeTurns(
    rounds,
    async () => succeeded(await bed.call(globTool, { pattern: '**/*.ts', limit: 10_000 })).data,
    () => run(rg, [...COMMON, '--files', '--glob=/**/*.ts', '--', './'], bed.workspace),
  );
  const { matches } = grep.result as { matches: number };
  const { total } = glob.result as { total: number };
  if (matches !== files / 100 || total !== files / 10) throw new Error(`found ${matches} lines and ${total} files`);
  return [
    figure(`grep, ${files} files`, grep, 1.15, '× ripgrep', `${matches} matches`),
    figure(`glob, ${files} files`, glob, 1.3, '× rg --files -g', `${total} found`),
  ];
}

function figure(
  name: string,
  { own, floor }: { own: number; floor: number },
  limit: number,
  unit: string,
  what: string,
): Figure {
  const detail = `${what}; ${own.toFixed(0)} ms, ripgrep ${floor.toFixed(0)} ms`;
  return { name, value: own / floor, unit, limit, detail };
}

function plant(root: string, files: number): void {
  const filler = 'const value = compute(1, 2, 3); // nothing to see in this line\n'.repeat(8);
  for (let index = 0; index < files; index += 1) {
    const directory = `${root}/d${Math.floor(index / (IN_DIRECTORY * 20))}/e${Math.floor(index / IN_DIRECTORY)}`;
    if (index % IN_DIRECTORY === 0) mkdirSync(directory, { recursive: true });
    const text = index % 100 === 7 ? `${filler}needle-${index}\n${filler}` : filler;
    writeFileSync(`${directory}/f${index}.${index % 10 === 3 ? 'ts' : 'txt'}`, text);
  }
}

async function takeTurns(
  rounds: number,
  own: () => Promise<unknown>,
  floor: () => Promise<void>,
): Promise<{ own: number; floor: number; result: unknown }> {
  const times = { own: [] as number[], floor: [] as number[] };
  const result = await own();
  await floor();
  for (let round = 0; round < rounds; round += 1) {
    times.own.push(await time(own));
    times.floor.push(await time(floor));
  }
  return { own: median(times.own), floor: median(times.floor), result };
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

/** Reads all it says: that is part of using it. */
function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.resume();
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`ripgrep ended with ${code}`))));
  });
}
