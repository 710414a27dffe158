// Playing a conversation back: each turn goes through the renderer of `ask`, at the pace it had, or as JSON lines at once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { localTime } from '../../../lib/local-time.ts';
import { replaySession } from '../../../operations/session-replay.ts';
import type { RunEvent } from '../../../pipeline/events.ts';
import type { PlayedTurn } from '../../../pipeline/playback.ts';
import { CodedError } from '../../../vocabulary/coded-error.ts';
import { colorsFor } from '../../colors.ts';
import { amount, integerFrom, json, plainText, single, text, webAddress } from '../../flags.ts';
import { runOperation } from '../../run-operation.ts';
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
import { addSessionChoice, checkKey } from './choose-session.ts';
import { warnOfDamage } from './export.ts';

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
    .description('Play a conversation again as it happened; no model is asked and no tool is run')
    .addOption(single('--turn <N>', 'only this turn, counted from 1', integerFrom(1)))
    .addOption(single('--from <N>', 'from this turn on', integerFrom(1)))
    .addOption(single('--speed <factor>', 'how many times as fast, e.g. 2 or 0.5 (default: 1)', amount))
    .option('--instant', 'without pauses')
    .addOption(
      single(
        '--against <provider[/model]>',
        'ask this model the questions again, with the recorded results of tools',
        text,
      ),
    )
    .addOption(single('--profile <id>', 'with --against: the sign-in profile of the provider', text))
    .addOption(single('--base-url <url>', 'with --against: the address of an openai-compatible server', webAddress))
    .addOption(single('--tool-max-steps <N>', 'with --against: model calls in one turn (default: 3)', integerFrom(1)))
    .addOption(single('--max-tokens <N>', 'with --against: end when it has used this many tokens', integerFrom(1)))
    .addOption(single('--max-cost-usd <amount>', 'with --against: end when it has cost this much', amount))
    .addOption(json())
    .addOption(plainText());
}

/** Resolves with the exit code. */
export async function replay(key: string, flags: ReplayFlags, terminal: Terminal): Promise<number> {
  const asJson = wantsJson(terminal, flags);
  checkKey(key);
  refuseContradictions(flags);
  if (flags.against !== undefined) {
    const { compareAgainst } = await import('./against.ts');
    return asTurnFlags(flags, compareAgainst(key, { ...flags, against: flags.against }, asJson, terminal));
  }
  const { sessionId, turn, from } = flags;
  const speed = speedOf(flags, asJson, terminal);
  const { renderText } = await import('../../render.ts');
  let before: string | undefined;
  const onPlayedTurn = async (played: PlayedTurn): Promise<void> => {
    const thought = Date.parse(played.startedAt ?? '') - Date.parse(before ?? '');
    if (speed !== undefined && thought > 0) await pause(Math.min(thought, LONGEST_PAUSE_MS) / speed, terminal.signal);
    before = played.endedAt;
    if (asJson) return writeTurn(played, terminal);
    writeHeading(played, terminal);
    await renderText(paced(played, speed, terminal.signal), terminal, { showsGrants: true });
    terminal.out.write('\n');
  };
  const input = { key, sessionId, turn, from, streams: speed !== undefined };
  const playing = runOperation(
    terminal,
    replaySession,
    input,
    (done) => {
      if (done.damage) warnOfDamage([{ sessionId: done.sessionId, ...done.damage }], terminal);
      if (done.played === 0) terminal.err.write('there is no turn in this session yet\n');
    },
    { onPlayedTurn },
  );
  try {
    await asTurnFlags(flags, playing);
  } catch (error) {
    if (!readerHasGone(terminal)) throw error;
  }
  return EXIT.done;
}

/** A turn that does not exist is wrong usage when a flag chose it. */
async function asTurnFlags<T>({ turn, from }: ReplayFlags, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'TURN_OUT_OF_RANGE') throw error;
    const flag = turn === undefined ? `--from ${from}` : `--turn ${turn}`;
    throw new UsageError(error.message.replace(/^turn \d+/, flag));
  }
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

function writeTurn({ number, events, ...facts }: PlayedTurn, terminal: Terminal): void {
  writeLine(terminal, { type: 'turn', turn: number, ...facts });
  for (const { event } of events) writeLine(terminal, { turn: number, ...event });
}

function writeHeading({ number, startedAt = '', input }: PlayedTurn, terminal: Terminal): void {
  const colors = colorsFor(terminal.out, terminal);
  const at = Number.isNaN(Date.parse(startedAt)) ? '' : ` · ${localTime(startedAt)}`;
  terminal.out.write(`${colors.dim(`── turn ${number}${at}`)}\n`);
  if (input !== undefined) terminal.out.write(`${colors.bold('>')} ${printable(input).replaceAll('\n', '\n  ')}\n`);
}

async function* paced(
  { events }: PlayedTurn,
  speed: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  for (const { event, waitMs } of events) {
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
