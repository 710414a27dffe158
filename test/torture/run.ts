// npm run torture [-- part …] [--seed n] [--scale n] [--only words] [--quick]: breaks the built program in every way that this machine allows, and
// counts what was lost, repeated, corrupt or wrong. Runs one thing at a time, at low priority. The exit code is 1 when anything was.
import { spawnSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { canMount } from '../support/mounts.ts';
import { seededRandom } from '../support/random.ts';
import { jumpClock } from './clock.ts';
import { breakCluster, FAULTS, type Fault } from './cluster.ts';
import { damageHomes } from './damage.ts';
import { fillDisk } from './disk.ts';
import { killGateway } from './gateway.ts';
import { hasTracer, type KillMethod, killCommand } from './kills.ts';
import { cutPower, powerCutProblem } from './power-cuts.ts';
import { killSandboxes, sandboxProblem } from './sandboxes.ts';
import type { Scenario } from './scenario.ts';
import { allScenarios } from './scenarios.ts';

const PARTS = ['kills', 'syscalls', 'gateway', 'sandbox', 'power', 'disk', 'damage', 'clock', 'cluster'] as const;
type Part = (typeof PARTS)[number];

/** At scale 1: kills, cuts and runs of each command; deaths of the gateway and of sandboxes; damaged files; jumps of the clock. */
const TIMES: Record<Part, number> = {
  kills: 10,
  syscalls: 10,
  gateway: 20,
  sandbox: 100,
  power: 5,
  disk: 5,
  damage: 50,
  clock: 300,
  cluster: 10,
};

const QUICK_TIMES = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    'in-namespace': { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((part) => !PARTS.includes(part as Part));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed);
const random = seededRandom(seed);
const timesOf = (part: Part): number =>
  values.quick ? QUICK_TIMES : Math.max(1, Math.round(TIMES[part] * Number(values.scale)));
/** A quick run has every part, with one command each. */
function scenarios(): Scenario[] {
  const named = allScenarios().filter(({ name, keys }) => name.includes(values.only) && !(values.quick && keys));
  if (!values.quick) return named;
  const at = Math.floor(random() * named.length);
  return named.slice(at, at + 1);
}
let problems = 0;

function tell(part: Part, line: string, found: readonly string[]): void {
  console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'}  ${part}: ${line}, ${found.length} problems`);
  for (const problem of found) console.log(`      ${problem}`);
  problems += found.length;
}

/** These mount file systems: in a namespace of their own, which ends with the process. */
function inNamespace(part: Part): void {
  const args = [...process.execArgv, import.meta.filename, part, '--in-namespace', '--seed', values.seed];
  const { status } = spawnSync(
    'unshare',
    [
      '-m',
      process.execPath,
      ...args,
      '--scale',
      values.scale,
      '--only',
      values.only,
      ...(values.quick ? ['--quick'] : []),
    ],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) problems += 1;
}

async function killAll(part: Part, method: KillMethod): Promise<void> {
  // On a terminal the tracer would follow the terminal's own program.
  for (const scenario of scenarios().filter(({ keys }) => method === 'writes' || !keys)) {
    const { places, kills, problems: found } = await killCommand({ scenario, method, kills: timesOf(part), random });
    tell(part, `${scenario.name}: ${kills} kills at ${places} places`, found);
  }
}

const withoutTerminal = () => scenarios().filter(({ keys }) => !keys);

const RUN: Record<Part, () => Promise<void>> = {
  kills: () => killAll('kills', 'writes'),
  async syscalls() {
    if (hasTracer()) await killAll('syscalls', 'syscalls');
    else console.log('--    syscalls: not run, there is no strace');
  },
  async gateway() {
    const size = values.quick ? { chats: 4, messages: 3 } : { chats: 20, messages: 10 };
    const { line, problems: found } = await killGateway({ kills: timesOf('gateway'), seed, ...size });
    tell('gateway', line, found);
  },
  async sandbox() {
    const reason = await sandboxProblem();
    if (reason !== undefined) return console.log(`--    sandbox: not run, ${reason}`);
    for (const way of ['prepared', 'direct'] as const) {
      const kills = timesOf('sandbox');
      tell('sandbox', `${way}: ${kills} kills while sandboxes start`, await killSandboxes(way, kills, random));
    }
  },
  async power() {
    const reason = powerCutProblem();
    if (reason !== undefined) return console.log(`--    power: not run, ${reason}`);
    if (!values['in-namespace']) return inNamespace('power');
    for (const scenario of withoutTerminal()) {
      const { cuts, shown, problems: found } = await cutPower(scenario, timesOf('power'), random);
      tell('power', `${scenario.name}: ${cuts} power cuts, ${shown} of them after the result`, found);
    }
  },
  async disk() {
    if (!canMount || process.getuid?.() !== 0) return console.log('--    disk: not run, it needs root');
    if (!values['in-namespace']) return inNamespace('disk');
    for (const scenario of withoutTerminal()) {
      const { runs, refused, problems: found } = await fillDisk(scenario, timesOf('disk'), random);
      tell('disk', `${scenario.name}: ${runs} runs on a full disk, ${refused} refused`, found);
    }
  },
  async damage() {
    const { line, problems: found } = await damageHomes(timesOf('damage'), random);
    tell('damage', line, found);
  },
  async clock() {
    const { line, problems: found } = await jumpClock(timesOf('clock'), random);
    tell('clock', line, found);
  },
  async cluster() {
    // `--only kill` breaks in that way alone.
    const named = FAULTS.filter((fault) => fault.includes(values.only));
    const times = values.quick ? 1 : timesOf('cluster');
    const faults = Object.fromEntries(named.map((fault) => [fault, times])) as Record<Fault, number>;
    const size = values.quick ? { chats: 3 } : { chats: 10, mostTakeoverMs: 5_000 };
    const { line, problems: found } = await breakCluster({ faults, random, ...size });
    tell('cluster', line, found);
  },
};

setPriority(15);
if (!values['in-namespace']) console.log(`seed ${seed}, scale ${values.scale}`);
for (const part of PARTS) if (positionals.length === 0 || positionals.includes(part)) await RUN[part]();
if (!values['in-namespace'])
  console.log(problems === 0 ? 'nothing lost, repeated, corrupt or wrong' : `${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
