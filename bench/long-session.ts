// A turn on a session of a million messages against a turn on one of ten.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { cleanEnvironment, LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';

const SHORT = 10;
const LIMIT = 1.2;
const LINES_PER_WRITE = 5_000;

export const longSession: Bench = {
  name: 'long-session',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const long = scale === 'full' ? 1_000_000 : 2_000;
      grow(home, 'short', SHORT);
      grow(home, 'long', long);
      const contenders = ['short', 'long'].map((name) => ({
        name,
        args: [LAINCLAW, 'ask', 'hello', '--session', name],
        env: { LAINCLAW_HOME: home },
      }));
      const timings = timeCommands(contenders, scale === 'full' ? 31 : 2);
      const [shortMs = Number.NaN, longMs = Number.NaN] = ['short', 'long'].map((name) => timings.get(name)?.ms);
      return [
        {
          name: `ask on ${long} messages`,
          value: longMs / shortMs,
          unit: `× ask on ${SHORT}`,
          limit: LIMIT,
          detail: `${longMs.toFixed(1)} ms, ${shortMs.toFixed(1)} ms`,
        },
      ];
    }),
};

/** Begins a session through the program, then appends turns of the same form. */
function grow(home: string, key: string, messages: number): void {
  const env = cleanEnvironment({ LAINCLAW_HOME: home });
  const { stdout } = spawnSync(process.execPath, [LAINCLAW, 'ask', 'hello', '--session', key], {
    env,
    encoding: 'utf8',
  });
  const { sessionId } = JSON.parse(stdout) as { sessionId: string };
  const path = join(home, 'sessions', `${sessionId}.jsonl`);
  const turn = readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);
  for (let count = 2; count < messages; ) {
    const lines: string[] = [];
    for (let index = 0; index < LINES_PER_WRITE && count < messages; index += 1) {
      count += 2;
      lines.push(...turn.slice(0, -1), JSON.stringify({ ...JSON.parse(turn.at(-1) ?? '{}'), messageCount: count }));
    }
    appendFileSync(path, `${lines.join('\n')}\n`);
  }
}
