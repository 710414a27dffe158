// A recorded conversation asked again of another model, to see what differs. Each question is a turn like any other, through
// the same door, in a session of its own that begins with what was said before; its tools answer from the recording. The
// caps are those of the whole replay. It ends with the last question, with the first turn that fails, or at a cap.
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { AskResult } from '../pipeline/events.ts';
import { recordedResult } from '../pipeline/playback.ts';
import { attachedPicture, attachedText, type KeptAttachment } from '../sessions/attached.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { contextParts } from '../sessions/turn-context.ts';
import type { RecordedCall, RecordedTools } from '../tools/recorded-tools.ts';
import type { ToolArgs } from '../tools/tool.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { AskRequest, Gateway } from './gateway.ts';

export interface ReplayAgainst extends Pick<AskRequest, 'provider' | 'model' | 'profileId' | 'toolMaxSteps'> {
  turns: AsyncIterable<HistoryTurn>;
  /** The turns right before the first of them, oldest first: sent to the model as they were. Asked for when it is known. */
  before(): readonly HistoryTurn[];
  /** Of the new session; nobody else's. */
  sessionKey: string;
  caps: Caps;
  /** Told what the person should know. */
  onNotice(text: string): void;
}

export interface ComparedSide {
  provider?: string;
  model?: string;
  outcome: string;
  answer: string;
  calls: { name: string; args: unknown; ok: boolean; isRecorded: boolean }[];
  usage?: Usage;
  error?: { code: string; message: string };
}

export interface ComparedTurn {
  turn: number;
  input: string;
  recorded: ComparedSide;
  replayed: ComparedSide;
  isSameAnswer: boolean;
  isSameCalls: boolean;
  /** Pictures that came with the question and are not kept. */
  missingPictures: string[];
}

export interface ReplayServices {
  gateway: Gateway;
  recorded: RecordedTools;
  sessions: Pick<Sessions, 'begin'>;
}

export type ReplayEnd = { kind: 'done' } | { kind: 'capped'; turn: number } | { kind: 'failed'; turn: number };

export async function* replayAgainst(
  { turns, before, sessionKey, caps, onNotice, ...request }: ReplayAgainst,
  { gateway, recorded, sessions }: ReplayServices,
  signal: AbortSignal,
): AsyncGenerator<ComparedTurn, ReplayEnd> {
  const spent = { tokens: 0, costUsd: 0 };
  let isBegun = false;
  for await (const turn of turns) {
    const input = questionOf(turn);
    if (input === undefined || input.trim() === '') continue;
    if (!isBegun) for (const earlier of before()) await tellAgain(earlier, { sessionKey, sessions, recorded }, signal);
    isBegun = true;
    const left = roomLeft(caps, spent);
    if (!left) return { kind: 'capped', turn: turn.number };
    const { attachments, missingPictures } = attachedTo(turn);
    recorded.turn(callsOf(turn));
    const events = await gateway.ask(
      {
        ...request,
        input,
        attachments,
        sessionKey,
        newSession: false,
        memory: false,
        withTools: true,
        mode: 'never',
        taintedBy: turn.taintedBy,
        caps: left,
      },
      signal,
    );
    let result: AskResult | undefined;
    for await (const event of events) {
      if (event.type === 'notice') onNotice(event.text);
      if (event.type === 'run-end') result = event.result;
    }
    if (!result) throw new Error('the turn ended without a result');
    spent.tokens += (result.usage?.inputTokens ?? 0) + (result.usage?.outputTokens ?? 0);
    spent.costUsd += result.usage?.costUsd ?? 0;
    yield compared({ turn, input, result, missingPictures });
    if (!result.success) return { kind: 'failed', turn: turn.number };
  }
  return { kind: 'done' };
}

/** Puts a recorded turn into the new session as it was, for the model to know what was said. */
async function tellAgain(
  told: HistoryTurn,
  { sessionKey, sessions, recorded }: Omit<ReplayServices, 'gateway'> & { sessionKey: string },
  signal: AbortSignal,
): Promise<void> {
  recorded.turn(callsOf(told));
  const input = questionOf(told);
  if (input === undefined) return;
  const answer = told.messages.findLast(({ role }) => role === 'assistant');
  const state = { provider: told.provider, memoryEnabled: false };
  const turn = await sessions.begin({ sessionKey, newSession: false, state, signal });
  try {
    await turn.start(input, { taintedBy: told.taintedBy });
    for (const message of told.messages) {
      if (message.role !== 'system') continue;
      const { attachments, rest } = contextParts(message, told);
      for (const text of [...attachments.map(keptText), rest]) if (text !== '') turn.addContext(text);
    }
    for (const { text, calls } of told.steps) {
      await turn.stepAnswered({ text });
      for (const { call, result } of calls) {
        // Nothing is run: no call of the new session has an effect.
        await turn.callStarts(call, 'read');
        if (result) await turn.callEnded({ callId: call.id, ...result });
      }
    }
    const outcome = told.outcome === 'unfinished' ? 'interrupted' : (told.outcome ?? 'answered');
    await turn.end({
      outcome,
      text: answer?.content,
      answeredBy: answer?.provider === undefined ? undefined : { provider: answer.provider },
      route: answer?.route ?? '',
      stage: answer?.stage ?? outcome,
      taintedBy: told.taintedBy,
    });
  } finally {
    await turn.close();
  }
}

function keptText(attachment: KeptAttachment): string {
  return attachment.kind === 'text' ? attachedText(attachment) : attachedPicture(attachment.name);
}

function questionOf({ messages }: HistoryTurn): string | undefined {
  return messages.find(({ role }) => role === 'user')?.content;
}

function roomLeft(caps: Caps, spent: { tokens: number; costUsd: number }): Caps | undefined {
  const { maxTokens, maxCostUsd } = caps;
  const tokens = maxTokens === undefined ? undefined : maxTokens - spent.tokens;
  const costUsd = maxCostUsd === undefined ? undefined : maxCostUsd - spent.costUsd;
  if ((tokens ?? 1) <= 0 || (costUsd ?? 1) <= 0) return undefined;
  return { ...caps, maxTokens: tokens, maxCostUsd: costUsd };
}

/** What was attached as text is in the transcript; pictures are only named there. */
function attachedTo(turn: HistoryTurn): { attachments: Attachment[]; missingPictures: string[] } {
  const kept = turn.messages
    .filter(({ role }) => role === 'system')
    .flatMap((message) => contextParts(message, turn).attachments);
  return {
    attachments: kept.flatMap((one) => (one.kind === 'text' ? [one] : [])),
    missingPictures: kept.flatMap((one) => (one.kind === 'image' ? [one.name] : [])),
  };
}

function callsOf({ calls }: HistoryTurn): RecordedCall[] {
  return calls.flatMap((told) => {
    // What was cut short has no result that could be given again.
    if (!told.result || told.result.error?.reason === 'interrupted') return [];
    const { name, args } = told.call;
    return [
      { call: { name, args: args as ToolArgs }, executed: { result: recordedResult(told), text: told.result.text } },
    ];
  });
}

interface Asked {
  turn: HistoryTurn;
  input: string;
  result: AskResult;
  missingPictures: string[];
}

function compared({ turn, input, result, missingPictures }: Asked): ComparedTurn {
  const answer = turn.messages.findLast(({ role }) => role === 'assistant');
  const recorded: ComparedSide = {
    provider: answer?.provider ?? turn.provider,
    outcome: turn.outcome ?? 'answered',
    answer: answer?.content ?? '',
    calls: turn.calls.map(({ call, result: had }) => ({
      name: call.name,
      args: call.args,
      ok: had?.ok ?? false,
      isRecorded: had !== undefined,
    })),
    usage: turn.usage,
    error: turn.error,
  };
  const replayed: ComparedSide = {
    provider: result.provider,
    model: result.model,
    outcome: result.stage,
    answer: result.result,
    calls: result.toolResults.map(({ call, result: got }) => ({
      name: call.name,
      args: call.args,
      ok: got.ok,
      isRecorded: got.meta.notRecorded !== true,
    })),
    usage: result.usage,
    ...(!result.success && { error: { code: result.error.code, message: result.error.message } }),
  };
  const made = ({ calls }: ComparedSide): string => canonicalJson(calls.map(({ name, args }) => [name, args]));
  return {
    turn: turn.number,
    input,
    recorded,
    replayed,
    isSameAnswer: recorded.answer.trim() === replayed.answer.trim(),
    isSameCalls: made(recorded) === made(replayed),
    missingPictures,
  };
}
