// The gateway as a service, on both platforms: how long until it is ready, and what it takes while nobody writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFeishuServer } from '../test/fakes/feishu-server/feishu-server.ts';
import { startTelegramServer } from '../test/fakes/telegram-server/telegram-server.ts';
import { type Bench, median } from './bench.ts';
import { cleanEnvironment, LAINCLAW, withTemporaryHome } from './commands.ts';
import { runNode } from './processes.ts';

const READY_LIMIT = 6;
const IDLE_MEGABYTES = 110;
/** Of one core, in thousandths: looking at a file now and then. */
const IDLE_CPU = 5;

interface Run {
  readyMs: number;
  idleMb: number;
  /** Thousandths of a core. */
  idleCpu: number;
}

export const gatewayService: Bench = {
  name: 'gateway-service',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const [feishu, telegram] = await Promise.all([startFeishuServer(), startTelegramServer()]);
      const settings = {
        feishu: { appId: feishu.appId, appSecret: feishu.appSecret, domain: feishu.url },
        telegram: { botToken: telegram.token, apiRoot: telegram.url },
      };
      writeFileSync(join(home, 'gateway.json'), JSON.stringify({ version: 1, channels: settings }));
      const rounds = scale === 'full' ? 15 : 2;
      const idleMs = scale === 'full' ? 10_000 : 500;
      const floors: number[] = [];
      const runs: Run[] = [];
      // One unmeasured round, then in turns.
      await startGateway(home, 0);
      for (let round = 0; round < rounds; round += 1) {
        floors.push(await timeNothing());
        runs.push(await startGateway(home, round === 0 ? idleMs : 0));
      }
      await Promise.all([feishu.close(), telegram.close()]);
      const floor = median(floors);
      const ready = median(runs.map(({ readyMs }) => readyMs));
      const { idleMb, idleCpu } = runs[0] ?? { idleMb: Number.NaN, idleCpu: Number.NaN };
      return [
        {
          name: 'gateway start, until ready',
          value: ready / floor,
          unit: '× node -e 0',
          limit: READY_LIMIT,
          detail: `${ready.toFixed(0)} ms, floor ${floor.toFixed(0)} ms`,
        },
        { name: 'gateway, idle memory', value: idleMb, unit: 'MB', limit: IDLE_MEGABYTES, detail: 'resident' },
        {
          name: 'gateway, idle processor',
          value: idleCpu,
          unit: '‰ of a core',
          limit: scale === 'full' ? IDLE_CPU : Number.MAX_VALUE,
          detail: `over ${idleMs / 1000} s`,
        },
      ];
    }),
};

async function timeNothing(): Promise<number> {
  const started = performance.now();
  await runNode('-e', '0');
  return performance.now() - started;
}

async function startGateway(home: string, idleMs: number): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, [LAINCLAW, 'gateway', 'start', '--channel=feishu', '--channel=telegram'], {
    env: cleanEnvironment({ LAINCLAW_HOME: home }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    if (said.includes('"event":"ready"')) break;
  }
  const readyMs = performance.now() - started;
  if (child.pid === undefined || !said.includes('"event":"ready"'))
    throw new Error(`the gateway did not start: ${said}`);
  const before = ticksOf(child.pid);
  if (idleMs > 0) await sleep(idleMs);
  // Ticks are hundredths of a second.
  const idleCpu = idleMs > 0 ? ((ticksOf(child.pid) - before) * 10_000) / idleMs : Number.NaN;
  const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  child.kill('SIGTERM');
  await once(child, 'exit');
  return { readyMs, idleMb: Number(kilobytes) / 1024, idleCpu };
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
