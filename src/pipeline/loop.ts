// The loop: ask the model, run the tools it calls, give it the results, until it answers without calling any.
// A step is one model call. It stops when an answer has no calls, when step N (the limit) still asked for tools (they
// are run and recorded), when a guard speaks, or when the provider fails.
import type { AnsweredBy, ModelFailure, ModelMessage, ModelToolCall } from '../adapters/adapter.ts';
import type { WireCalls } from '../tools/folded-calls.ts';
import { readPictures } from '../tools/pictures.ts';
import type { ToolCall, ToolSource } from '../tools/tool.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { Answer } from './ask-model.ts';
import { askWithinWindow, type Conversation, type WindowOptions } from './ask-within-window.ts';
import type { Attached } from './attach.ts';
import { type Attachment, contextOf, nameOf, questionWith } from './attachments.ts';
import { type CalledTool, type CallToolsOptions, callTools } from './call-tools.ts';
import type { CallerTools } from './caller-tools.ts';
import type { ContextSize } from './context-size.ts';
import type { RunEvent } from './events.ts';
import type { Guards } from './guards.ts';
import { hasMalformed, malformedAsText, refuseMalformed } from './malformed-calls.ts';
import type { Steering } from './steering.ts';
import type { UsageLedger } from './usage.ts';

export interface LoopOptions extends Omit<CallToolsOptions, 'calls' | 'steering'>, WindowOptions {
  /** How many of the first messages are never left out. */
  pinned?: number;
  contextWindow: number | undefined;
  withTools: boolean;
  maxSteps: number;
  guards: Guards;
  wireNames: WireCalls;
  ledger: UsageLedger;
  callSource?: ToolSource;
  steering?: Steering;
  /** Prepares what came with a message to the turn. */
  attach(given: readonly Attachment[]): Promise<Attached>;
  callerTools: CallerTools;
  newId(prefix: string): string;
}

export type LoopEnding =
  | { kind: 'answered' }
  /** The caller is to run these. */
  | { kind: 'caller-calls'; calls: readonly ModelToolCall[] }
  | { kind: 'tool-limit' }
  | { kind: 'guarded'; message: string }
  /** The day's cap left nothing for the first call. */
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; failure: ModelFailure };

export interface LoopEnd {
  ending: LoopEnding;
  /** The model's last text. */
  text: string;
  called: CalledTool[];
  usage?: Usage;
  /** The conversation after the last answer. */
  context?: ContextSize;
  /** Who answered last, when it was not the one asked. */
  answeredBy?: AnsweredBy;
}

const CANCELLED_MEANWHILE: ModelFailure = {
  code: 'cancelled',
  message: 'the turn was cancelled while tools were running',
};

export async function* runLoop(options: LoopOptions): AsyncGenerator<RunEvent, LoopEnd> {
  const { withTools, maxSteps, guards, wireNames, turn, ledger } = options;
  let conversation: Conversation = {
    messages: options.request.messages,
    questionAt: questionIndex(options.request.messages),
    pinned: options.pinned ?? 0,
    window: options.contextWindow,
  };
  const called: CalledTool[] = [];
  let answer: Answer | undefined;
  let context: ContextSize | undefined;
  let wasMalformed = false;
  const end = (ending: LoopEnding): LoopEnd => ({
    ending,
    text: answer?.text ?? '',
    called,
    usage: ledger.total(),
    context,
    answeredBy: answer?.answeredBy,
  });

  for (let step = 1; ; step += 1) {
    const asked = yield* askWithinWindow(options, conversation);
    if (asked.refused !== undefined) return end({ kind: answer ? 'guarded' : 'refused', message: asked.refused });
    conversation = asked.sent;
    answer = asked.answer;
    ledger.add(answer.usage);
    context = answer.context ?? context;
    if (answer.failure) return end({ kind: 'failed', failure: answer.failure });
    if (hasMalformed(answer) && (wasMalformed || !withTools)) {
      const { added, ...asText } = malformedAsText(answer);
      answer = asText;
      yield { type: 'text-delta', text: added };
    }
    wasMalformed = hasMalformed(answer);
    if (!withTools || answer.calls.length === 0) return end({ kind: 'answered' });

    if (!wasMalformed && options.callerTools.areAll(answer.calls))
      return end({
        kind: 'caller-calls',
        calls: answer.calls.map((call) => ({ ...call, id: call.id || options.newId('call') })),
      });
    const calls = answer.calls.map((call) => toToolCall(call, options));
    const message = askedFor(answer, calls, wireNames);
    await turn.stepAnswered({ text: message.text, native: message.native, context });
    const ids = calls.map(({ id }) => id);
    const executor = refuseMalformed(
      options.callerTools.refusing(options.executor, answer.calls, ids),
      answer.calls,
      ids,
    );
    const round = yield* callTools({ ...options, executor, calls });
    turn.checkpoint();
    called.push(...round);
    if (options.signal.aborted) return end({ kind: 'failed', failure: CANCELLED_MEANWHILE });
    if (step >= maxSteps) return end({ kind: 'tool-limit' });
    const guarded = guards.afterRound(round, ledger.spent());
    if (guarded) return end({ kind: 'guarded', message: guarded });
    conversation.messages.push(message, ...(await Promise.all(round.map(resultMessage(wireNames)))));
    conversation.messages.push(...(yield* joinWaiting(options)));
  }
}

/** What people wrote to the turn meanwhile: journalled, then told, then sent. */
async function* joinWaiting({ steering, turn, attach }: LoopOptions): AsyncGenerator<RunEvent, ModelMessage[]> {
  const messages: ModelMessage[] = [];
  for (const { id, text, attachments: given = [], origin } of steering?.take() ?? []) {
    const { attachments, images, pictures } = await attach(given);
    await turn.steered(text, { attached: contextOf(attachments), pictures, origin });
    const attached = attachments.map(nameOf);
    yield { type: 'steered', message: { id, text, ...(attached.length > 0 && { attached }) } };
    messages.push({
      role: 'user',
      text: questionWith(text, attachments),
      ...(images.length > 0 && { images }),
    });
  }
  return messages;
}

function toToolCall(call: Answer['calls'][number], { wireNames, newId, callSource = 'model' }: LoopOptions): ToolCall {
  return { id: call.id || newId('call'), ...wireNames.callFromWire(call), source: callSource };
}

/** The answer as it goes back: names legal on the wire, ids as the results have them, else the service refuses it. */
function askedFor(
  { text, calls, native }: Answer,
  made: readonly ToolCall[],
  wireNames: WireCalls,
): Extract<ModelMessage, { role: 'assistant' }> {
  const toolCalls = made.map(({ id, name, args }) => ({ id, ...wireNames.callToWire({ name, args }) }));
  const isUnchanged = calls.every(
    ({ id, name }, index) => toolCalls[index]?.id === id && toolCalls[index]?.name === name,
  );
  return { role: 'assistant', text, toolCalls, ...(isUnchanged && { native }) };
}

export function resultMessage(wireNames: WireCalls): (called: CalledTool) => Promise<ModelMessage> {
  return async ({ call, executed: { result, text } }) => {
    const images = result.pictures ? await readPictures(result.pictures) : [];
    return {
      role: 'tool',
      callId: call.id,
      toolName: wireNames.toWire(call.name),
      text,
      ...(images.length > 0 && { images }),
      isError: !result.ok,
    };
  };
}

function questionIndex(messages: readonly ModelMessage[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  );
}
