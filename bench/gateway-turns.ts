// How many turns a gateway does when sixteen chats write at once and the model needs no time, against plain requests to the same
// model: what is left is ours, with everything stored and synced.
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bundleWorker } from './bundle.ts';
import { withTemporaryHome } from './commands.ts';
import { runLasting, startModel } from './processes.ts';

const CHATS = 16;
const TURNS_A_SECOND = 400;
const RESIDENT_MEGABYTES = 130;

interface Result {
  ms: number;
  cpuMs: number;
  residentMb: number;
}

export const gatewayTurns: Bench = {
  name: 'gateway-turns',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const turns = scale === 'full' ? 4_000 : 64;
      const worker = await bundleWorker('bench/gateway-turns-worker.ts', join(home, 'bundle'));
      const { baseUrl, stop } = await startModel('zero-latency-model.ts');
      try {
        const floor = await timeRequests(`${baseUrl}/chat/completions`, turns);
        const output = await runLasting(worker, home, baseUrl, String(CHATS), String(turns));
        const { ms, cpuMs, residentMb } = JSON.parse(output) as Result;
        const name = `${CHATS} chats at once`;
        const each = (total: number): string => `${(total / turns).toFixed(2)} ms`;
        return [
          {
            name,
            value: ms / turns,
            unit: 'ms a turn',
            limit: 1_000 / TURNS_A_SECOND,
            detail: `${((turns * 1_000) / ms).toFixed(0)} turns/s, ${each(cpuMs)} of processor, ${(ms / floor).toFixed(1)} × a plain request`,
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

/** The same number of requests, as many at once, each read to its end. */
async function timeRequests(url: string, count: number): Promise<number> {
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content: 'steps 0' }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
  let left = count;
  const started = performance.now();
  const askOn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await (await fetch(url, { method: 'POST', headers, body })).text();
    }
  };
  await Promise.all(Array.from({ length: CHATS }, askOn));
  return performance.now() - started;
}
