// The kill harness: asks in a loop, ends each process at a random moment of its life, and verifies after every death
// that nothing acknowledged was lost. Acknowledged means: a complete JSON result with success:true came out of stdout.
// The moments are spread over the measured duration of a turn. It stops after the wanted number of deaths, then lets
// one more turn per session through and verifies the settled home strictly.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskResult } from '../../src/pipeline/events.ts';
import type { Home } from './home.ts';
import { parseLines } from './home.ts';
import { askBinary, type Finished, startLainclaw } from './lainclaw.ts';
import { seededRandom } from './random.ts';
import { type AcknowledgedTurn, acknowledgedProblems, structureProblems } from './transcript-rules.ts';

export interface KillOptions {
  home: Home;
  /** How many processes must die before their end. */
  kills: number;
  seed: number;
  sessionKeys?: readonly string[];
  /** Turns running at the same time, each with its own moment of death. */
  parallel?: number;
  signal?: 'SIGKILL' | 'SIGINT' | 'SIGTERM';
}

export interface KillReport {
  /** Processes that died before they had told a result. */
  killed: number;
  acknowledged: AcknowledgedTurn[];
  /** Of an undisturbed turn, as measured at the start. */
  turnMs: number;
  /** Half-written files that deaths left beside the index. */
  leftovers: number;
  /** Everything that was found wrong, in words; empty when nothing was lost and nothing is corrupt. */
  problems: string[];
}

const SPREAD = 1.1;
const MEASURED_TURNS = 3;

export async function runKills(options: KillOptions): Promise<KillReport> {
  const { home, kills, seed, sessionKeys = ['main'], parallel = 1, signal = 'SIGKILL' } = options;
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const acknowledged: AcknowledgedTurn[] = [];
  const problems: string[] = [];
  const turnMs = await measureTurn(home, pick(sessionKeys), seed, acknowledged);
  const inOrder = parallel === 1;
  let killed = 0;

  for (let round = 0; killed < kills && problems.length === 0; round += 1) {
    const asked = Array.from({ length: parallel }, async (_, lane) => {
      const sessionKey = pick(sessionKeys);
      const input = inputFor(`${seed}-${round}-${lane}`, random);
      const delayMs = random() * turnMs * SPREAD * parallel;
      const running = startLainclaw(['ask', '--session', sessionKey, '-'], { home, stdin: input });
      await Promise.race([sleep(delayMs), running.ended]);
      running.kill(signal);
      const finished = await running.ended;
      const result = resultOf(finished);
      if (result?.success) acknowledged.push({ sessionKey, sessionId: result.sessionId, input, result: result.result });
      else killed += 1;
      problems.push(...endingProblems(finished, result, signal));
    });
    await Promise.all(asked);
    problems.push(...homeProblems(home, acknowledged, { settled: false, inOrder }));
  }

  for (const sessionKey of sessionKeys) {
    const input = `the turn after all deaths of run ${seed}`;
    const { sessionId, result } = await askBinary(home, input, '--session', sessionKey);
    acknowledged.push({ sessionKey, sessionId, input, result });
  }
  problems.push(...homeProblems(home, acknowledged, { settled: true, inOrder }));
  return { killed, acknowledged, turnMs, leftovers: leftoversOf(home), problems };
}

/** What is wrong with a home, given what was acknowledged. Unsettled: the last turn may be open, the last line torn. */
export function homeProblems(
  home: Home,
  acknowledged: readonly AcknowledgedTurn[],
  { settled, inOrder = true }: { settled: boolean; inOrder?: boolean },
): string[] {
  const problems: string[] = [];
  for (const [sessionKey, turns] of Map.groupBy(acknowledged, (turn) => turn.sessionKey)) {
    const told = (problem: string): string => `${sessionKey}: ${problem}`;
    try {
      const { sessionId } = home.entry(sessionKey);
      const strangers = turns.filter((turn) => turn.sessionId !== sessionId);
      if (strangers.length > 0)
        problems.push(told(`${strangers.length} acknowledged turns are in another session than the index names`));
      const text = readFileSync(home.transcriptPath(sessionKey), 'utf8');
      const lines = parseLines(settled ? text : text.slice(0, text.lastIndexOf('\n') + 1));
      problems.push(...structureProblems(lines, { lastMayBeOpen: !settled }).map(told));
      problems.push(...acknowledgedProblems(lines, turns, { inOrder }).map(told));
    } catch (error) {
      problems.push(told((error as Error).message));
    }
  }
  return problems;
}

async function measureTurn(
  home: Home,
  sessionKey: string,
  seed: number,
  acknowledged: AcknowledgedTurn[],
): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < MEASURED_TURNS; turn += 1) {
    const input = `undisturbed turn ${turn} of run ${seed}`;
    const started = performance.now();
    const { sessionId, result } = await askBinary(home, input, '--session', sessionKey);
    times.push(performance.now() - started);
    acknowledged.push({ sessionKey, sessionId, input, result });
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** Short and long, with and without a tool, always unlike every other. */
function inputFor(name: string, random: () => number): string {
  const text = `turn ${name} ${'long '.repeat(Math.floor(random() ** 4 * 8_000))}`.trim();
  return random() < 0.5 ? text : `tool:tools.echo ${JSON.stringify({ name })}\n${text}`;
}

function resultOf({ stdout }: Finished): AskResult | undefined {
  try {
    return JSON.parse(stdout) as AskResult;
  } catch {
    return undefined;
  }
}

/** SIGKILL explains any ending without a result; after the other signals a turn must be whole or tell it was cancelled. */
function endingProblems({ code, signal, stderr }: Finished, result: AskResult | undefined, sent: string): string[] {
  if (result?.success || signal === sent) return [];
  if (sent !== 'SIGKILL' && code === 130 && result?.stage === 'cancelled') return [];
  return [`an ask ended with ${code ?? signal} after ${sent}: ${stderr.slice(0, 500)}`];
}

function leftoversOf(home: Home): number {
  const sessions = join(home.path, 'sessions');
  return existsSync(sessions) ? readdirSync(sessions).filter((name) => name.startsWith('.')).length : 0;
}
