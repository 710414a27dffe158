// The audit log: what a line costs the call that waits for it, and how fast the whole log is checked. In processor time, which other
// programs on the machine change less than the clock on the wall.
import { createLocalAudit } from '../src/storage/local/audit/local-audit.ts';
import { createLocks } from '../src/storage/local/locks.ts';
import { createHome } from '../test/support/home.ts';
import { type Bench, median } from './bench.ts';

const CALL = {
  kind: 'tool-call',
  who: 'owner',
  what: 'bash',
  about: 'npm test -- --run src/storage/local',
  outcome: 'allowed',
  why: 'the mode auto allows it',
  session: 'main',
  turn: 'turn-0123456789abcdef',
  call: 'call-0123456789abcdef',
} as const;

export const audit: Bench = {
  name: 'audit',
  async run(scale) {
    const calls = scale === 'full' ? 3_000 : 50;
    const lines = scale === 'full' ? 500_000 : 5_000;
    const home = createHome();
    const log = createLocalAudit({
      home: home.path,
      locks: createLocks(`${home.path}/locks`),
      now: Date.now,
      secrets: () => ['a secret of the environment'],
      keptBytes: 1e9,
    });
    try {
      await log.append([CALL]);
      const appended = await processorMs(async () => {
        for (let call = 0; call < calls; call += 1) await log.append([CALL]);
      });
      for (let done = 0; done < lines; done += 1_000) await log.append(Array(1_000).fill(CALL));
      const checks: number[] = [];
      for (let round = 0; round < 3; round += 1) checks.push(await processorMs(async () => void (await log.verify())));
      const { lines: checked, isSound } = await log.verify();
      const seconds = isSound ? median(checks) / 1_000 : Number.NaN;
      return [
        {
          name: 'a line of a call',
          value: appended / calls,
          unit: 'ms',
          limit: 0.3,
          detail: `${calls} calls, each waits for its line`,
        },
        {
          name: 'verify 200,000 lines',
          value: (seconds / checked) * 200_000,
          unit: 's',
          limit: 1,
          detail: `${Math.round(checked / seconds)} lines a second of ${checked}`,
        },
      ];
    } finally {
      await log.close();
      home.remove();
    }
  },
};

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
