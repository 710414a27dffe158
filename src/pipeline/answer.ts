// The model's part of a turn: what it is sent, and how its ending reads.
import type { ModelFailure, ModelMessage } from '../adapters/adapter.ts';
import { sizeOf } from '../adapters/request-size.ts';
import { counted } from '../lib/counted.ts';
import { localDay } from '../lib/local-day.ts';
import { toolContext } from '../sessions/tool-context.ts';
import type { WireCalls } from '../tools/folded-calls.ts';
import { attach } from './attach.ts';
import { contextOf, questionWith } from './attachments.ts';
import { priceIsUnknown } from './budget.ts';
import type { CalledTool } from './call-tools.ts';
import { createCallerTools } from './caller-tools.ts';
import { CANCELLED, type Outcome } from './commit.ts';
import type { RunEvent } from './events.ts';
import { createGuards } from './guards.ts';
import { historyFor } from './history.ts';
import { type LoopEnd, resultMessage, runLoop } from './loop.ts';
import { asToolResults, turnNote } from './prompt.ts';
import { promptParts } from './prompt-parts.ts';
import { recallFor } from './recall.ts';
import type { TurnContext } from './turn-context.ts';

export interface Question {
  question: string;
  /** Tools that were called by hand before the model is asked. */
  before: CalledTool[];
}

export async function* answerWithModel(
  context: TurnContext,
  { question, before }: Question,
): AsyncGenerator<RunEvent, Outcome> {
  const {
    adapter,
    request,
    turn,
    toolbox,
    registry,
    executor,
    budget,
    grants,
    steering,
    now,
    newId,
    model,
    ledger,
    signal,
  } = context;
  const room = await budget.room(request.caps);
  if (room.refused !== undefined) return overBudget(room.refused, before);
  const offered = toolbox.offer(
    registry,
    before.map(({ call }) => call.name),
  );
  const { wireNames } = offered;
  const { attachments, images, pictures } = await attach(context, request.attachments, turn.id);
  if (request.sentFiles?.length) await toolbox.shareSentFiles(turn.entry.sessionId, request.sentFiles, signal);
  for (const text of contextOf(attachments)) turn.addContext(text);
  const callerTools = createCallerTools(request.callerTools);
  const { system, instructions, coreMemory, notices, ...parts } = await promptParts(context, offered);
  const tools = callerTools.withOurs(parts.tools);
  // A provider that was offered no tools accepts no calls either: it gets the results in the question.
  const toldAsText = adapter.callsTools && tools.length === 0;
  const told = toldAsText && before.length > 0 ? `\n\n${asToolResults(resultsOf(before))}` : '';
  if (pictures.length > 0) await turn.attached(pictures);
  const asked = {
    role: 'user' as const,
    text: questionWith(question, attachments) + told,
    ...(images.length > 0 && { images }),
  };
  for (const text of notices) yield { type: 'notice', text };
  const isContinuing = request.continues === true;
  const recalled = isContinuing ? [] : yield* recallFor(context, question);
  const memories = coreMemory === '' ? recalled : [coreMemory, ...recalled];
  const note = turnNote({ today: localDay(now()), memories, isPlanning: context.mode.current() === 'plan' });
  const fixed = { system: [system, ...instructions], tools, turnNote: note };
  const besides = sizeOf(fixed, isContinuing ? [] : [asked]);
  const written = { wireNames, callsAsText: toldAsText, isContinuing, besides };
  const history = request.history ? { messages: [], pinned: 0 } : yield* historyFor(context, written);

  const end = yield* runLoop({
    adapter,
    request: {
      model: model.model,
      profileId: request.profileId ?? model.profileId,
      ...fixed,
      messages: request.history
        ? [...request.history]
        : [
            ...history.messages,
            ...(isContinuing ? [] : [asked]),
            ...(toldAsText ? [] : await calledByHand(before, wireNames)),
          ],
      effort: request.effort,
      sessionId: turn.entry.sessionId,
    },
    pinned: history.pinned,
    // Of a turn that is continued, what was done is part of the history; of a conversation that the caller keeps, nothing is summarised.
    ...(!isContinuing &&
      !request.history && {
        shorten: (contextWindow: number) => historyFor({ ...context, model: { ...model, contextWindow } }, written),
      }),
    contextWindow: model.contextWindow,
    withTools: request.withTools,
    maxSteps: request.toolMaxSteps,
    guards: createGuards(request.caps),
    reserveDay: (questionTokens) => budget.reserve(request.caps, questionTokens, signal),
    registry,
    executor,
    wireNames,
    turn,
    grants,
    steering,
    attach: (given) => attach(context, given, newId('steered')),
    callerTools,
    ledger,
    callSource: request.callSource,
    newId,
    signal,
  });
  if (priceIsUnknown(end.usage, request.caps)) {
    yield {
      type: 'notice',
      text: `the price of ${model.model ?? 'this model'} is unknown: only its tokens are counted`,
    };
  }
  return outcomeOf(end, before, request.toolMaxSteps, signal);
}

/** Each result has its call, as every provider demands: the calls are in an assistant message of their own. */
async function calledByHand(before: CalledTool[], wireNames: WireCalls): Promise<ModelMessage[]> {
  if (before.length === 0) return [];
  const toolCalls = before.map(({ call }) => ({ id: call.id, ...wireNames.callToWire(call) }));
  const results = await Promise.all(before.map(resultMessage(wireNames)));
  return [{ role: 'assistant', text: '', toolCalls }, ...results];
}

function resultsOf(before: CalledTool[]): string {
  return toolContext(before.map(({ call, executed: { text } }) => ({ call, text })));
}

function outcomeOf(
  { ending, text, called, usage, context, answeredBy }: LoopEnd,
  before: CalledTool[],
  maxSteps: number,
  signal: AbortSignal,
): Outcome {
  const base = { called: [...before, ...called], usage, context, answeredBy };
  const tool = called.at(-1)?.call.name ?? '';
  switch (ending.kind) {
    case 'answered':
      return { ...base, stage: 'answered', text: text || '(The model answered with no text.)' };
    case 'caller-calls': {
      const calls = ending.calls.map(({ id, name, args }) => ({ id, name, args }));
      const told = text || `(called ${calls.map(({ name }) => name).join(', ')})`;
      return { ...base, stage: 'answered', text: told, callerCalls: calls };
    }
    case 'tool-limit': {
      const message = `tool call loop exceeded max steps (${maxSteps})`;
      const told =
        text ||
        `Stopped after ${counted(maxSteps, 'step')} because the model still wanted tools; raise --tool-max-steps to let it continue.`;
      return { ...base, stage: 'tool-limit', text: told, toolError: { tool, code: 'execution_error', message } };
    }
    case 'guarded': {
      const { message } = ending;
      const told = text ? `${text}\n\n(${message})` : `Stopped: ${message}.`;
      return { ...base, stage: 'stopped', text: told, toolError: { tool, code: 'execution_error', message } };
    }
    case 'refused':
      return overBudget(ending.message, base.called);
    case 'failed': {
      if (ending.failure.code === 'cancelled' || signal.aborted) {
        return { ...base, stage: 'cancelled', text: undefined, failure: CANCELLED };
      }
      return { ...base, stage: 'failed', text: undefined, failure: providerFailure(ending.failure) };
    }
  }
}

function overBudget(message: string, called: CalledTool[]): Outcome {
  return { stage: 'failed', text: undefined, called, failure: { code: 'BUDGET_EXCEEDED', message } };
}

function providerFailure({ code, message }: ModelFailure): { code: string; message: string } {
  return { code: `PROVIDER_${code.toUpperCase()}`, message };
}
