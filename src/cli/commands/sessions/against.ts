// The same questions to another model: what it answered then and now, turn by turn.

import type { ComparedSide, ComparedTurn } from '../../../gateway/replay-against.ts';
import type { OutputOf } from '../../../operations/operation.ts';
import { replayAgainstModel } from '../../../operations/session-replay.ts';
import { CodedError } from '../../../vocabulary/coded-error.ts';
import type { Usage } from '../../../vocabulary/usage.ts';
import { type Colors, colorsFor } from '../../colors.ts';
import { runOperation } from '../../run-operation.ts';
import { EXIT, printable, type Terminal, UsageError, writeJson } from '../../terminal.ts';
import { warnOfDamage } from './export.ts';

export interface AgainstFlags {
  against?: string;
  turn?: number;
  from?: number;
  profile?: string;
  baseUrl?: string;
  toolMaxSteps?: number;
  maxTokens?: number;
  maxCostUsd?: number;
}

const COMPATIBLE = 'openai-compatible';

type Replayed = OutputOf<typeof replayAgainstModel>;

/** Resolves with the exit code. */
export async function compareAgainst(
  key: string,
  flags: AgainstFlags & { against: string; sessionId?: string },
  asJson: boolean,
  terminal: Terminal,
): Promise<number> {
  const [provider, model] = splitAgainst(flags.against);
  if (flags.baseUrl !== undefined && provider !== COMPATIBLE)
    throw new UsageError(`--base-url goes with --against ${COMPATIBLE}, not with ${provider}`);
  const { sessionId, turn, from, profile, baseUrl, toolMaxSteps, maxTokens, maxCostUsd } = flags;
  let end: Replayed['end'] | undefined;
  const replaying = runOperation(
    terminal,
    replayAgainstModel,
    { key, sessionId, turn, from, provider, model, profile, baseUrl, toolMaxSteps, maxTokens, maxCostUsd },
    (replayed) => {
      end = replayed.end;
      showEnd(replayed, asJson, terminal);
    },
    asJson ? {} : { onComparedTurn: (compared) => showTurn(compared, terminal) },
  );
  await asAgainstFlag(replaying);
  if (terminal.signal.aborted) return terminal.cancelledExit();
  return end?.kind === 'failed' ? EXIT.failed : EXIT.done;
}

function showEnd(replayed: Replayed, asJson: boolean, terminal: Terminal): void {
  const { damage, error, asked, ...rest } = replayed;
  if (damage) warnOfDamage([{ sessionId: replayed.sessionId, ...damage }], terminal);
  if (asJson) writeJson(terminal, { success: replayed.end.kind !== 'failed', ...rest });
  else if (asked > 0) showSummary(replayed, terminal);
  else terminal.err.write('there is no turn in this session yet\n');
  if (error) terminal.err.write(`error ${error.code}: ${printable(error.message)}\n`);
}

async function asAgainstFlag(replaying: Promise<void>): Promise<void> {
  try {
    await replaying;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'UNSUPPORTED_PROVIDER') throw error;
    throw new UsageError(`--against: ${error.message}`, { code: error.code });
  }
}

/** Names of models may hold slashes themselves. */
function splitAgainst(against: string): [provider: string, model: string | undefined] {
  const [, provider, model] = /^([^/]+)(?:\/(.+))?$/.exec(against) ?? [];
  if (provider === undefined)
    throw new UsageError(`--against ${against} is not accepted. Accepted: a provider, or provider/model`);
  return [provider, model];
}

function showTurn(compared: ComparedTurn, terminal: Terminal): void {
  const { out } = terminal;
  const colors = colorsFor(out, terminal);
  const { turn, input, recorded, replayed, isSameAnswer, isSameCalls } = compared;
  out.write(`${colors.dim(`── turn ${turn}`)}\n${colors.bold('>')} ${indented(input)}\n`);
  for (const [label, side] of [
    ['then', recorded],
    ['now ', replayed],
  ] as const) {
    const who = [side.provider, side.model].filter(Boolean).join('/');
    out.write(`${colors.bold(label)}  ${colors.dim(`${printable(who)} · ${side.outcome} · ${used(side.usage)}`)}\n`);
    if (!isSameCalls) for (const call of side.calls) out.write(`  ${callLine(call, colors)}\n`);
    if (!isSameAnswer && side.answer !== '') out.write(`  ${indented(side.answer.trim())}\n`);
    if (side.error) out.write(`  ${colors.red(indented(`${side.error.code}: ${side.error.message}`))}\n`);
  }
  if (isSameAnswer) out.write(`${colors.green('=')} the same answer\n`);
  if (isSameCalls && recorded.calls.length > 0) out.write(`${colors.green('=')} the same calls\n`);
  out.write('\n');
}

function showSummary(replayed: Replayed, terminal: Terminal): void {
  const { asked, sameAnswers, sameCalls, recordedUsage, replayedUsage, replayedAs } = replayed;
  terminal.out.write(
    `same answers: ${sameAnswers} of ${asked}, same calls: ${sameCalls} of ${asked}; then ${used(recordedUsage)}, now ${used(replayedUsage)}\n` +
      `the new conversation is the session ${printable(replayedAs)}\n`,
  );
}

function callLine({ name, args, ok, isRecorded }: ComparedSide['calls'][number], colors: Colors): string {
  const mark = ok ? colors.green('✓') : colors.red('✗');
  return `${mark} ${printable(name)} ${printable(JSON.stringify(args ?? {})).slice(0, 200)}${isRecorded ? '' : colors.yellow(' (not on record)')}`;
}

function used(usage: Usage | undefined): string {
  if (!usage) return 'no tokens on record';
  const cost = usage.costUsd === undefined ? '' : `, ${usage.costUsd.toFixed(6)} USD`;
  return `${usage.inputTokens} tokens in, ${usage.outputTokens} out${cost}`;
}

function indented(text: string): string {
  return printable(text).replaceAll('\n', '\n  ');
}
