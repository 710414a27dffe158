// The same questions to another model: what it answered then and now, turn by turn.

import type { ComparedSide, ComparedTurn, ReplayEnd } from '../../../gateway/replay-against.ts';
import { newId } from '../../../lib/new-id.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import type { HistoryTurn } from '../../../sessions/history.ts';
import { sessionKeyProblem } from '../../../sessions/session-key.ts';
import type { Usage } from '../../../vocabulary/usage.ts';
import { type Colors, colorsFor } from '../../colors.ts';
import { EXIT, printable, type Terminal, UsageError, warn, writeJson } from '../../terminal.ts';
import { chosenTurns } from './chosen-turns.ts';
import type { FoundSession } from './find.ts';

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
const MAX_STEPS = 3;
/** The most turns that a model sees of any conversation. */
const TURNS_BEFORE = 12;

export async function compareAgainst(
  runtime: Runtime,
  session: FoundSession,
  flags: AgainstFlags & { against: string },
  asJson: boolean,
  terminal: Terminal,
): Promise<number> {
  const [provider, model] = splitAgainst(flags.against);
  if (flags.baseUrl !== undefined && provider !== COMPATIBLE)
    throw new UsageError(`--base-url goes with --against ${COMPATIBLE}, not with ${provider}`);
  const workspace = await runtime.openWorkspace({ baseUrl: flags.baseUrl });
  const { gateway, recorded, providerNames } = await workspace.recordedGateway();
  const names = await providerNames();
  if (!names.includes(provider)) {
    const message = `--against: there is no provider "${provider}"; accepted: ${names.join(', ')}`;
    throw new UsageError(message, { code: 'UNSUPPORTED_PROVIDER' });
  }
  const { replayAgainst } = await import('../../../gateway/replay-against.ts');
  const { config } = runtime;
  const own = (config.modelFor ?? config.provider) === provider ? config : undefined;
  const sessionKey = replayKey(session.sessionKey);
  const before: HistoryTurn[] = [];
  const onSkipped = (turn: HistoryTurn): void => {
    before.push(turn);
    if (before.length > TURNS_BEFORE) before.shift();
  };
  const replaying = replayAgainst(
    {
      turns: chosenTurns(runtime.sessions, session, { ...flags, onSkipped }, terminal),
      before: () => before,
      sessionKey,
      provider,
      model: model ?? own?.model,
      profileId: flags.profile ?? own?.profile,
      toolMaxSteps: flags.toolMaxSteps ?? MAX_STEPS,
      caps: {
        maxTokens: flags.maxTokens ?? config.maxTokens,
        maxCostUsd: flags.maxCostUsd ?? config.maxCostUsd,
        dailyMaxTokens: config.dailyMaxTokens,
        dailyMaxCostUsd: config.dailyMaxCostUsd,
      },
      onNotice: (line) => warn(terminal, line),
    },
    { gateway, recorded, sessions: runtime.sessions },
    terminal.signal,
  );
  const turns: ComparedTurn[] = [];
  let end: ReplayEnd;
  for (;;) {
    const next = await replaying.next();
    if (next.done) {
      end = next.value;
      break;
    }
    turns.push(next.value);
    for (const picture of next.value.missingPictures)
      warn(terminal, `turn ${next.value.turn} had a picture (${picture}), which is not kept: asked without it`);
    if (!asJson) showTurn(next.value, terminal);
  }
  if (end.kind === 'capped') warn(terminal, `a cap is reached: turn ${end.turn} and what follows were not asked`);
  const summary = summaryOf(turns);
  if (asJson) {
    const about = { sessionKey: session.sessionKey, sessionId: session.sessionId, replayedAs: sessionKey };
    writeJson(terminal, { success: end.kind !== 'failed', ...about, end, ...summary, turns });
  } else if (turns.length > 0) {
    showSummary(summary, turns.length, sessionKey, terminal);
  }
  const failed = end.kind === 'failed' ? turns.at(-1)?.replayed.error : undefined;
  if (failed) terminal.err.write(`error ${failed.code}: ${printable(failed.message)}\n`);
  if (terminal.signal.aborted) return terminal.cancelledExit();
  return end.kind === 'failed' ? EXIT.failed : EXIT.done;
}

/** Names of models may hold slashes themselves. */
function splitAgainst(against: string): [provider: string, model: string | undefined] {
  const [, provider, model] = /^([^/]+)(?:\/(.+))?$/.exec(against) ?? [];
  if (provider === undefined)
    throw new UsageError(`--against ${against} is not accepted. Accepted: a provider, or provider/model`);
  return [provider, model];
}

function replayKey(sessionKey: string): string {
  const key = newId(`replay:${sessionKey}`);
  return sessionKeyProblem(key) === undefined ? key : newId('replay');
}

interface Summary {
  sameAnswers: number;
  sameCalls: number;
  recordedUsage?: Usage;
  replayedUsage?: Usage;
}

function summaryOf(turns: readonly ComparedTurn[]): Summary {
  return {
    sameAnswers: turns.filter(({ isSameAnswer }) => isSameAnswer).length,
    sameCalls: turns.filter(({ isSameCalls }) => isSameCalls).length,
    recordedUsage: sumOf(turns.map(({ recorded }) => recorded.usage)),
    replayedUsage: sumOf(turns.map(({ replayed }) => replayed.usage)),
  };
}

/** The price is shown only where every part has one. */
function sumOf(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const known = usages.flatMap((usage) => usage ?? []);
  if (known.length === 0) return undefined;
  const isPriced = known.every(({ costUsd }) => costUsd !== undefined);
  const sum = (part: (usage: Usage) => number): number => known.reduce((total, usage) => total + part(usage), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
  };
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

function showSummary(summary: Summary, asked: number, sessionKey: string, terminal: Terminal): void {
  const { sameAnswers, sameCalls, recordedUsage, replayedUsage } = summary;
  terminal.out.write(
    `same answers: ${sameAnswers} of ${asked}, same calls: ${sameCalls} of ${asked}; then ${used(recordedUsage)}, now ${used(replayedUsage)}\n` +
      `the new conversation is the session ${printable(sessionKey)}\n`,
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
