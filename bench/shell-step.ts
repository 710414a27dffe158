// A step that runs a shell command in the sandbox, against a script that only does the exchange with the model: what is left is
// everything of ours, bubblewrap's own start included. The first command of a process is not counted: it tries the sandbox.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Bench, type Figure, median } from './bench.ts';
import { type Contender, LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';
import { startModel } from './processes.ts';

const FLOOR = resolve('bench/floor-agent.mjs');
const BUBBLEWRAP = '/usr/bin/bwrap';
const STEPS = 10;
const LIMIT_MS = 12;
const FILES = 200;
/** One runs unasked because it only reads; the other may write, so the workspace is guarded and looked at for undo. */
const COMMANDS = { reads: 'ls folder%', writes: 'touch folder%/file%' };

export const shellStep: Bench = {
  name: 'shell-step',
  run: (scale) =>
    withTemporaryHome(async (base) => {
      const { baseUrl, stop } = await startModel('zero-latency-model.ts');
      try {
        const rounds = scale === 'full' ? 21 : 1;
        const workspace = makeWorkspace(base);
        const timings = timeCommands(contenders({ baseUrl, base, workspace }), rounds);
        const timeOf = (who: string, steps: number): number => timings.get(`${who} ${steps}`)?.ms ?? NaN;
        const perStep = (who: string): number => (timeOf(who, STEPS + 1) - timeOf(who, 1)) / STEPS;
        const call = perStep('floor');
        const start = bubblewrapStart(rounds);
        return Object.keys(COMMANDS).map(
          (name): Figure => ({
            name: `a shell step that ${name}`,
            value: perStep(name) - call,
            unit: 'ms over a model call',
            limit: LIMIT_MS,
            detail: `${perStep(name).toFixed(1)} ms, a model call ${call.toFixed(1)} ms, a bare bubblewrap ${start.toFixed(1)} ms`,
          }),
        );
      } finally {
        stop();
      }
    }),
};

function makeWorkspace(base: string): string {
  const workspace = join(base, 'workspace');
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(workspace, `folder${index % 20}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${index}`), 'x'.repeat(2_000));
  }
  return workspace;
}

interface Place {
  baseUrl: string;
  base: string;
  workspace: string;
}

/** All of them take turns, with one step and with many: what the machine does beside falls on both alike. */
function contenders({ baseUrl, base, workspace }: Place): Contender[] {
  const flags = ['--provider', 'openai-compatible', '--model', 'fake', '--base-url', baseUrl, '--workspace', workspace];
  const env = { LAINCLAW_HOME: join(base, 'home'), LAINCLAW_API_KEY: 'none' };
  return [1, STEPS + 1].flatMap((steps) => [
    { name: `floor ${steps}`, args: [FLOOR, baseUrl, String(steps)] },
    ...Object.entries(COMMANDS).map(([name, command]) => ({
      name: `${name} ${steps}`,
      args: [
        ...[LAINCLAW, 'ask', `steps ${steps}: ${command}`, ...flags],
        ...['--approve=auto', '--tool-max-steps', '50', '--new-session'],
      ],
      env,
    })),
  ]);
}

/** Nothing but the program and its namespaces. */
function bubblewrapStart(rounds: number): number {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    execFileSync(BUBBLEWRAP, ['--ro-bind', '/', '/', '--unshare-all', 'true']);
    times.push(performance.now() - started);
  }
  return median(times.slice(1));
}
