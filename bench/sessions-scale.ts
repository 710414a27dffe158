// What a turn and a list of sessions cost with a hundred thousand sessions, against few. The index is given as an earlier
// version has left it; the first command takes it over, which is not measured.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSessions, type Sessions } from '../src/sessions/sessions.ts';
import { createLocalStorage } from '../src/storage/local/local-storage.ts';
import type { SessionEntry, Storage } from '../src/storage/storage.ts';
import { type Bench, type Figure, median } from './bench.ts';
import { LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';

const FEW = 10;
const HUNDRED = 100;
const TURN_LIMIT = 1.2;
const LIST_LIMIT = 1.5;

export const sessionsScale: Bench = {
  name: 'sessions-scale',
  run: (scale) =>
    withTemporaryHome(async (base) => {
      const many = scale === 'full' ? 100_000 : 500;
      const homes = new Map([FEW, HUNDRED, many].map((count) => [count, homeWith(base, count)]));
      const homeOf = (count: number): string => homes.get(count) ?? '';
      const inProcess = await timeTurns([homeOf(FEW), homeOf(many)], scale === 'full' ? 400 : 5);
      const command = (count: number, ...args: string[]) => ({
        name: `${args[0]} ${count}`,
        args: [LAINCLAW, ...args],
        env: { LAINCLAW_HOME: homeOf(count) },
      });
      const timings = timeCommands(
        [
          ...[FEW, many].map((count) => command(count, 'ask', 'hello', '--session', 'key-5')),
          ...[HUNDRED, many].map((count) => command(count, 'sessions', 'list', '--limit', '20')),
        ],
        scale === 'full' ? 31 : 2,
      );
      const ms = (name: string): number => timings.get(name)?.ms ?? Number.NaN;
      return [
        figure(`a turn in one process, ${many} sessions`, FEW, inProcess, TURN_LIMIT),
        figure(`lainclaw ask, ${many} sessions`, FEW, [ms(`ask ${FEW}`), ms(`ask ${many}`)], TURN_LIMIT),
        figure(
          `sessions list --limit 20, ${many} sessions`,
          HUNDRED,
          [ms(`sessions ${HUNDRED}`), ms(`sessions ${many}`)],
          LIST_LIMIT,
        ),
      ];
    }),
};

function figure(
  name: string,
  floorCount: number,
  [floor = Number.NaN, ms = Number.NaN]: number[],
  limit: number,
): Figure {
  const detail = `${ms.toFixed(1)} ms, ${floor.toFixed(1)} ms`;
  return { name, value: ms / floor, unit: `× with ${floorCount}`, limit, detail };
}

function homeWith(base: string, count: number): string {
  const home = join(base, String(count));
  const entries = Array.from({ length: count }, (_, index): [string, SessionEntry] => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString();
    const entry = {
      sessionKey: `key-${index}`,
      sessionId: `session-${index}`,
      createdAt: timestamp,
      updatedAt: timestamp,
    };
    return [entry.sessionKey, { ...entry, provider: 'stub', route: 'stub' }];
  });
  mkdirSync(join(home, 'sessions'), { recursive: true });
  writeFileSync(
    join(home, 'sessions', 'sessions.json'),
    JSON.stringify({ version: 1, sessions: Object.fromEntries(entries) }),
  );
  return home;
}

/** The median of a turn's storage on each home: its lock, its transcript and the index. The homes take turns. */
async function timeTurns(homes: readonly string[], rounds: number): Promise<number[]> {
  const opened = homes.map((home) => openSessions(home));
  const times = homes.map(() => [] as number[]);
  for (let round = -5; round < rounds; round += 1) {
    for (const [index, { sessions }] of opened.entries()) {
      const ms = await timeTurn(sessions, `key-${Math.abs(round) % FEW}`);
      if (round >= 0) times[index]?.push(ms);
    }
  }
  for (const { storage } of opened) await storage.close();
  return times.map(median);
}

function openSessions(home: string): { sessions: Sessions; storage: Storage } {
  const storage = createLocalStorage({ home, now: Date.now });
  let ids = 0;
  const newId = (prefix: string): string => {
    ids += 1;
    return `${prefix}-${ids}`;
  };
  return { storage, sessions: createSessions({ ...storage, now: Date.now, newId }) };
}

async function timeTurn(sessions: Sessions, sessionKey: string): Promise<number> {
  const started = performance.now();
  const { signal } = new AbortController();
  const turn = await sessions.begin({ sessionKey, newSession: false, state: { provider: 'stub' }, signal });
  await turn.start('hello');
  await turn.end({ outcome: 'answered', text: 'hello', route: 'stub', stage: 'answered' });
  await turn.close();
  return performance.now() - started;
}
