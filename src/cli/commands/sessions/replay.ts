// Playing a conversation back: each turn goes through the renderer of `ask`, at the pace it had, or as JSON lines at once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RunEvent } from '../../../pipeline/events.ts';
import type { PlayedEvent } from '../../../pipeline/playback.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import type { HistoryTurn } from '../../../sessions/history.ts';
import { colorsFor } from '../../colors.ts';
import { amount, integerFrom, json, plainText, single, text, webAddress } from '../../flags.ts';
import { localTime } from '../../local-time.ts';
import {
  EXIT,
  jsonEscaped,
  type OutputFlags,
  printable,
  readerHasGone,
  type Terminal,
  UsageError,
  wantsJson,
} from '../../terminal.ts';
import type { AgainstFlags } from './against.ts';
import { chosenTurns } from './chosen-turns.ts';
import { addSessionChoice, type FoundSession, findSessions } from './find.ts';

const LONGEST_PAUSE_MS = 2_000;
/** A longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const ONLY_AGAINST: [keyof ReplayFlags, string][] = [
  ['profile', '--profile'],
  ['baseUrl', '--base-url'],
  ['toolMaxSteps', '--tool-max-steps'],
  ['maxTokens', '--max-tokens'],
  ['maxCostUsd', '--max-cost-usd'],
];

export interface ReplayFlags extends OutputFlags, AgainstFlags {
  sessionId?: string;
  speed?: number;
  instant?: boolean;
}

export function configureReplay(command: Command): Command {
  return addSessionChoice(command)
    .description('a conversation as it happened; no model is asked and no tool is run')
    .addOption(single('--turn <N>', 'only this turn, counted from 1', integerFrom(1)))
    .addOption(single('--from <N>', 'from this turn on', integerFrom(1)))
    .addOption(single('--speed <factor>', 'how many times as fast, e.g. 2 or 0.5 (default: 1)', amount))
    .option('--instant', 'without pauses')
    .addOption(
      single('--against <provider[/model]>', 'ask the questions again, of this one, with the tools on record', text),
    )
    .addOption(single('--profile <id>', 'with --against: the sign-in profile of the provider', text))
    .addOption(single('--base-url <url>', 'with --against: the address of an openai-compatible server', webAddress))
    .addOption(single('--tool-max-steps <N>', 'with --against: model calls in one turn (default: 3)', integerFrom(1)))
    .addOption(single('--max-tokens <N>', 'with --against: end when it has used this many tokens', integerFrom(1)))
    .addOption(single('--max-cost-usd <amount>', 'with --against: end when it has cost this much', amount))
    .addOption(json())
    .addOption(plainText());
}

export async function replay(key: string, flags: ReplayFlags, runtime: Runtime, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  refuseContradictions(flags);
  const { sessions } = runtime;
  const [session] = await findSessions(sessions, key, flags);
  if (!session) return EXIT.done;
  if (flags.against !== undefined) {
    const { compareAgainst } = await import('./against.ts');
    return compareAgainst(runtime, session, { ...flags, against: flags.against }, asJson, terminal);
  }
  try {
    const speed = speedOf(flags, asJson, terminal);
    let before: string | undefined;
    for await (const turn of chosenTurns(sessions, session, flags, terminal)) {
      const thought = Date.parse(turn.startedAt ?? '') - Date.parse(before ?? '');
      if (speed !== undefined && thought > 0) await pause(Math.min(thought, LONGEST_PAUSE_MS) / speed, terminal.signal);
      before = turn.endedAt;
      await play(turn, { session, asJson, speed }, terminal);
    }
  } catch (error) {
    if (!readerHasGone(terminal)) throw error;
  }
  return EXIT.done;
}

function refuseContradictions(flags: ReplayFlags): void {
  const exclude = (one: keyof ReplayFlags, other: keyof ReplayFlags): void => {
    if (flags[one] === undefined || flags[other] === undefined) return;
    throw new UsageError(`--${one} and --${other} exclude each other: give one of them`);
  };
  exclude('turn', 'from');
  exclude('speed', 'instant');
  exclude('against', 'speed');
  exclude('against', 'instant');
  if (flags.against !== undefined) return;
  const alone = ONLY_AGAINST.find(([name]) => flags[name] !== undefined);
  if (alone) throw new UsageError(`${alone[1]} goes with --against <provider[/model]>: a replay asks no model`);
}

/** Undefined: at once. A program does not watch. */
function speedOf({ speed, instant }: ReplayFlags, asJson: boolean, { out }: Terminal): number | undefined {
  if (asJson || instant) return undefined;
  return speed ?? (out.isTTY ? 1 : undefined);
}

interface Playing {
  session: FoundSession;
  asJson: boolean;
  speed: number | undefined;
}

async function play(turn: HistoryTurn, { session, asJson, speed }: Playing, terminal: Terminal): Promise<void> {
  const [{ playTurn }, { renderText }] = await Promise.all([
    import('../../../pipeline/playback.ts'),
    import('../../render.ts'),
  ]);
  const { sessionKey, sessionId } = session;
  const streams = speed !== undefined;
  const played = playTurn(turn, { sessionKey, sessionId, longestPauseMs: LONGEST_PAUSE_MS, streams });
  const input = turn.messages.find(({ role }) => role === 'user')?.content;
  if (asJson) {
    const { number, turnId, startedAt, endedAt, outcome } = turn;
    writeLine(terminal, { type: 'turn', turn: number, turnId, startedAt, endedAt, outcome, input });
    for (const { event } of played) writeLine(terminal, { turn: number, ...event });
    return;
  }
  const colors = colorsFor(terminal.out, terminal);
  const at = Number.isNaN(Date.parse(turn.startedAt ?? '')) ? '' : ` · ${localTime(turn.startedAt ?? '')}`;
  terminal.out.write(`${colors.dim(`── turn ${turn.number}${at}`)}\n`);
  if (input !== undefined) terminal.out.write(`${colors.bold('>')} ${printable(input).replaceAll('\n', '\n  ')}\n`);
  await renderText(paced(played, speed, terminal.signal), terminal, { showsGrants: true });
  terminal.out.write('\n');
}

async function* paced(
  played: Iterable<PlayedEvent>,
  speed: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  for (const { event, waitMs } of played) {
    signal.throwIfAborted();
    if (speed !== undefined && waitMs > 0) await pause(waitMs / speed, signal);
    yield event;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
}

function writeLine({ out }: Terminal, value: unknown): void {
  out.write(`${jsonEscaped(JSON.stringify(value))}\n`);
}
