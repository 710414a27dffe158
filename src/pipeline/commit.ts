// Commit: the outcome goes to disk, then becomes the result. Nothing is reported before it is stored.
import type { Adapter, AnsweredBy } from '../adapters/adapter.ts';
import type { TurnOutcome } from '../sessions/lines.ts';
import type { Turn } from '../sessions/turn.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { CalledTool } from './call-tools.ts';
import type { ContextSize } from './context-size.ts';
import type { AskResult, Stage, ToolErrorReport } from './events.ts';
import type { RunRequest, TurnContext } from './turn-context.ts';

export const CANCELLED = { code: 'CANCELLED', message: 'the turn was cancelled' };

export interface Outcome {
  stage: Stage;
  /** The answer; absent when there is none to keep. */
  text: string | undefined;
  called: CalledTool[];
  usage?: Usage;
  /** The conversation after the last answer of the model. */
  context?: ContextSize;
  /** An error of the turn's own (a limit, an unreadable call); otherwise the first failing tool's counts. */
  toolError?: ToolErrorReport;
  /** The turn could not be run. */
  failure?: { code: string; message: string };
  /** Instead of the provider's, when the model was not asked. */
  route?: string;
  /** Calls that the caller is to run. */
  callerCalls?: AskResult['callerCalls'];
  /** Instead of the provider asked, when a fallback answered. */
  answeredBy?: AnsweredBy;
}

export async function commit(context: TurnContext, outcome: Outcome): Promise<AskResult> {
  const { turn, request, adapter, debugSource } = context;
  const { stage, text, called, usage, failure, answeredBy, callerCalls } = outcome;
  const route = outcome.route ?? answeredBy?.route ?? adapter.route;
  const model = answeredBy ? answeredBy.model : context.model.model;
  const { sessionContextUpdated } = await turn.end({
    outcome: stage satisfies TurnOutcome,
    text,
    answeredBy,
    model,
    route,
    stage,
    error: failure,
    usage,
    context: outcome.context,
    taintedBy: context.taint.sources(),
  });

  const { sessionId, memoryEnabled = false } = turn.entry;
  const provider = answeredBy?.provider ?? adapter.provider;
  const profileId = answeredBy ? answeredBy.profileId : context.model.profileId;
  const source = debugSource ? sourceMark(provider, profileId) : '';
  const facts = {
    requestId: request.requestId,
    createdAt: request.createdAt,
    route,
    stage,
    result: text === undefined ? '' : source + text,
    sessionKey: request.sessionKey,
    sessionId,
    provider,
    profileId,
    model,
    memoryEnabled,
    memoryUpdated: false,
    toolCalls: called.map(({ call }) => call),
    toolResults: called.map(({ call, executed }) => ({ call, result: executed.result })),
    toolError: firstError(outcome),
    sessionContextUpdated,
    usage,
    ...(callerCalls && { callerCalls }),
  };
  return failure ? { success: false, ...facts, error: failure } : { success: true, ...facts };
}

/** Who answered, in front of the answer. */
export function sourceMark(provider: string, profileId: string | undefined): string {
  return `[${provider}${profileId ? `:${profileId}` : ''}] `;
}

/** The skeleton of a turn that could not be begun or stored. */
export function failedResult(
  request: RunRequest,
  adapter: Adapter,
  turn: Turn | undefined,
  error: { code: string; message: string },
): AskResult {
  return {
    success: false,
    requestId: request.requestId,
    createdAt: request.createdAt,
    route: adapter.route,
    stage: error.code === 'CANCELLED' ? 'cancelled' : 'failed',
    result: '',
    sessionKey: request.sessionKey,
    sessionId: turn?.entry.sessionId ?? '',
    provider: adapter.provider,
    memoryEnabled: turn?.entry.memoryEnabled ?? request.memory ?? false,
    memoryUpdated: false,
    toolCalls: [],
    toolResults: [],
    sessionContextUpdated: false,
    error,
  };
}

function firstError({ called, toolError }: Outcome): ToolErrorReport | undefined {
  if (toolError) return toolError;
  for (const { call, executed } of called) {
    if (!executed.result.ok)
      return { tool: call.name, code: executed.result.error.code, message: executed.result.error.message };
  }
  return undefined;
}
