// Playing a conversation back: each turn goes through the renderer of `ask`, at the pace it had, or as JSON lines at once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { RunEvent } from '../../../pipeline/events.ts';
import type { PlayedEvent } from '../../../pipeline/playback.ts';
import type { Damage } from '../../../sessions/export/exporter.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import type { ToldTurn } from '../../../sessions/told.ts';
import { colorsFor } from '../../colors.ts';
import { amount, integerFrom, json, plainText, single, text } from '../../flags.ts';
import { localTime } from '../../local-time.ts';
import {
  jsonEscaped,
  type OutputFlags,
  printable,
  readerHasGone,
  type Terminal,
  UsageError,
  wantsJson,
} from '../../terminal.ts';
import { sayDamage } from './export.ts';
import { type FoundSession, findSessions } from './find.ts';

const LONGEST_PAUSE_MS = 2_000;

export interface ReplayFlags extends OutputFlags {
  sessionId?: string;
  turn?: number;
  from?: number;
  speed?: number;
  instant?: boolean;
}

export function configureReplay(command: Command): Command {
  return command
    .description('a conversation as it happened; no model is asked and no tool is run')
    .argument('<key>', 'the session')
    .addOption(single('--session-id <id>', 'an earlier session under this key (default: the current one)', text))
    .addOption(single('--turn <N>', 'only this turn, counted from 1', integerFrom(1)))
    .addOption(single('--from <N>', 'from this turn on', integerFrom(1)))
    .addOption(single('--speed <factor>', 'how many times as fast, e.g. 2 or 0.5 (default: 1)', amount))
    .option('--instant', 'without pauses')
    .addOption(json())
    .addOption(plainText());
}

export async function replay(key: string, flags: ReplayFlags, sessions: Sessions, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  if (flags.speed !== undefined && flags.instant)
    throw new UsageError('--speed and --instant exclude each other: give one of them');
  const [session] = await findSessions(sessions, key, flags);
  if (!session) return;
  try {
    const speed = speedOf(flags, asJson, terminal);
    let before: string | undefined;
    for await (const turn of chosenTurns(sessions, session, flags, terminal)) {
      const thought = Date.parse(turn.startedAt ?? '') - Date.parse(before ?? '');
      if (speed !== undefined && thought > 0)
        await sleep(Math.min(thought, LONGEST_PAUSE_MS) / speed, undefined, { signal: terminal.signal });
      before = turn.endedAt;
      await play(turn, { session, asJson, speed }, terminal);
    }
  } catch (error) {
    if (!readerHasGone(terminal)) throw error;
  }
}

/** Undefined: at once. A program does not watch. */
function speedOf({ speed, instant }: ReplayFlags, asJson: boolean, { out }: Terminal): number | undefined {
  if (asJson || instant) return undefined;
  return speed ?? (out.isTTY ? 1 : undefined);
}

/** The turns that were asked for; one that does not exist is wrong usage, known when the last one was read. */
export async function* chosenTurns(
  sessions: Sessions,
  { sessionKey, sessionId }: FoundSession,
  { turn, from }: Pick<ReplayFlags, 'turn' | 'from'>,
  terminal: Terminal,
): AsyncGenerator<ToldTurn> {
  if (turn !== undefined && from !== undefined)
    throw new UsageError('--turn and --from exclude each other: give one of them');
  const damage: Damage = { count: 0, lines: [] };
  const first = turn ?? from ?? 1;
  let count = 0;
  for await (const told of sessions.tell(sessionId)) {
    terminal.signal.throwIfAborted();
    if (told.kind === 'damaged') {
      damage.count += 1;
      if (damage.lines.length < 20) damage.lines.push(told.line);
    }
    if (told.kind !== 'turn') continue;
    count = told.turn.number;
    if (count >= first) yield told.turn;
    if (count === turn) break;
  }
  if (damage.count > 0) sayDamage({ damage: [{ sessionId, ...damage }] }, terminal);
  if (count >= first) return;
  if (turn === undefined && from === undefined)
    return void terminal.err.write('there is no turn in this session yet\n');
  const flag = turn === undefined ? `--from ${from}` : `--turn ${turn}`;
  const has = count === 0 ? 'no turn yet' : count === 1 ? 'one turn' : `turns 1 to ${count}`;
  throw new UsageError(`${flag} is out of range: "${sessionKey}" has ${has}`);
}

interface Playing {
  session: FoundSession;
  asJson: boolean;
  speed: number | undefined;
}

async function play(turn: ToldTurn, { session, asJson, speed }: Playing, terminal: Terminal): Promise<void> {
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
  await renderText(paced(played, speed, terminal.signal), terminal);
  terminal.out.write('\n');
}

async function* paced(
  played: Iterable<PlayedEvent>,
  speed: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  for (const { event, waitMs } of played) {
    signal.throwIfAborted();
    if (speed !== undefined && waitMs > 0) await sleep(waitMs / speed, undefined, { signal });
    yield event;
  }
}

function writeLine({ out }: Terminal, value: unknown): void {
  out.write(`${jsonEscaped(JSON.stringify(value))}\n`);
}
