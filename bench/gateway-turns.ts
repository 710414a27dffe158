// How many turns a gateway does when sixteen chats write at once and the model needs no time, against plain requests to the same
// model: what is left is ours, with everything stored and synced.
import { join, resolve } from 'node:path';
import type { Bench } from './bench.ts';
import { bundleWorker } from './bundle.ts';
import { withTemporaryHome } from './commands.ts';
import { runLasting, startModel } from './processes.ts';
import { timeRequests, turnsFigure } from './turns-at-once.ts';

const CHATS = 16;
const TURNS_A_SECOND = 400;
const RESIDENT_MEGABYTES = 130;
/** These two hardly depend on what else the machine does. */
const PROCESSOR_MS = 2.5;
const SYNCS = 3;

interface Result {
  ms: number;
  cpuMs: number;
  residentMb: number;
  syncs: number;
}

export const gatewayTurns: Bench = {
  name: 'gateway-turns',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const turns = scale === 'full' ? 4_000 : 64;
      const worker = await bundleWorker('bench/gateway-turns-worker.ts', join(home, 'bundle'));
      const { baseUrl, stop } = await startModel('zero-latency-model.ts');
      try {
        const floor = await timeRequests(baseUrl, { count: turns, atOnce: CHATS });
        const counted = ['--import', resolve('bench/count-syncs.mjs'), worker];
        const output = await runLasting(...counted, home, baseUrl, String(CHATS), String(turns));
        const { ms, cpuMs, residentMb, syncs } = JSON.parse(output) as Result;
        const name = `${CHATS} chats at once`;
        return [
          turnsFigure({ name, turns, ms, floor, turnsASecond: TURNS_A_SECOND }),
          {
            name,
            value: cpuMs / turns,
            unit: 'ms of processor',
            limit: PROCESSOR_MS,
            detail: 'for a turn, in all threads of the gateway',
          },
          {
            name,
            value: syncs / turns,
            unit: 'waits for the disk',
            limit: SYNCS,
            detail: 'for a turn; turns of one moment share them',
          },
          {
            name,
            value: residentMb,
            unit: 'MB resident',
            limit: RESIDENT_MEGABYTES,
            detail: 'the median while it runs',
          },
        ];
      } finally {
        stop();
      }
    }),
};
