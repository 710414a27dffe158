// The turns of this process as spans of OpenTelemetry, by its conventions for generative AI: a turn is `invoke_agent`, within it each model call is `chat` and each
// tool call `execute_tool`. No text of a person, a model or a tool is in them, nor the name of a tool that a model invented. The id of a trace is made from what the turn answers, which the message carries in the
// storage: where another gateway takes the turn up, its spans join the same trace.
import { createHash, randomBytes } from 'node:crypto';
import type { RunEvent } from '../../../pipeline/events.ts';
import type { TurnFacts, TurnSummary, TurnWatcher } from '../../turns/turn-hub.ts';

/** As OTLP writes it in JSON. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1: internal, 3: a request to a server. */
  kind: 1 | 3;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  /** 2: an error. 0 otherwise: "ok" is set by those who judge a span, and not by those who make it. */
  status: { code: 0 | 2 };
}

interface Attribute {
  key: string;
  value: { stringValue: string } | { intValue: string };
}

interface RunningTurn {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  sessionKey: string;
  startedAt: number;
  modelStartedAt?: number;
  /** When each call of a tool started, by its id; small servers give several calls one id. */
  tools: Map<string, number[]>;
}

/** Names of providers that the conventions write in another way. */
const CONVENTIONAL_NAMES: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  'openai-codex': 'openai',
  xai: 'x_ai',
};

function conventionalName(provider: string): string {
  return CONVENTIONAL_NAMES[provider] ?? provider;
}

/** `onSpan` gets each span when it has ended. */
export function createTurnSpans(now: () => number, onSpan: (span: Span) => void): TurnWatcher {
  const running = new Map<string, RunningTurn>();

  function begin({ id, sessionKey, parentId, origin }: TurnFacts): RunningTurn {
    const parent = parentId === undefined ? undefined : running.get(parentId);
    const turn: RunningTurn = {
      traceId: parent?.traceId ?? traceIdOf(origin ?? id),
      spanId: newSpanId(),
      ...(parent && { parentSpanId: parent.spanId }),
      sessionKey,
      startedAt: now(),
      tools: new Map(),
    };
    running.set(id, turn);
    return turn;
  }

  function endModelCall(turn: RunningTurn, event: Extract<RunEvent, { type: 'model-end' }>): void {
    const { provider, model, usage, durationMs, failure } = event;
    const endedAt = now();
    onSpan(
      spanOf(turn, {
        name: model === undefined ? 'chat' : `chat ${model}`,
        kind: 3,
        startedAt: turn.modelStartedAt ?? endedAt - durationMs,
        endedAt,
        failure: failure?.code,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': conventionalName(provider),
          'gen_ai.request.model': model,
          'gen_ai.conversation.id': turn.sessionKey,
          'gen_ai.usage.input_tokens': usage?.inputTokens,
          'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
          'gen_ai.usage.output_tokens': usage?.outputTokens,
        },
      }),
    );
    turn.modelStartedAt = undefined;
  }

  function endToolCall(turn: RunningTurn, { call, result }: Extract<RunEvent, { type: 'tool-end' }>): void {
    const endedAt = now();
    const failure = result.ok ? undefined : result.error.code;
    const tool = failure === 'tool_not_found' ? undefined : call.name;
    onSpan(
      spanOf(turn, {
        name: tool === undefined ? 'execute_tool' : `execute_tool ${tool}`,
        kind: 1,
        startedAt: turn.tools.get(call.id)?.shift() ?? endedAt,
        endedAt,
        failure,
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': call.id,
        },
      }),
    );
  }

  return {
    onEvent(facts, number, event) {
      const turn = number === 1 ? begin(facts) : running.get(facts.id);
      if (!turn) return;
      if (event.type === 'model-start') turn.modelStartedAt = now();
      else if (event.type === 'model-end') endModelCall(turn, event);
      else if (event.type === 'tool-start')
        turn.tools.set(event.call.id, [...(turn.tools.get(event.call.id) ?? []), now()]);
      else if (event.type === 'tool-end') endToolCall(turn, event);
    },
    onEnd({ id, sessionKey, provider, stage = 'failed' }: TurnSummary) {
      const turn = running.get(id);
      running.delete(id);
      if (!turn) return;
      const { traceId, spanId, parentSpanId, startedAt } = turn;
      const attributes = {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'lainclaw',
        'gen_ai.provider.name': conventionalName(provider),
        'gen_ai.conversation.id': sessionKey,
        'lainclaw.turn.id': id,
        'lainclaw.turn.stage': stage,
      };
      const failure = stage === 'failed' ? 'failed' : undefined;
      const span = { name: 'invoke_agent lainclaw', kind: 1 as const, startedAt, endedAt: now(), failure, attributes };
      onSpan({ ...spanOf({ traceId, spanId: parentSpanId }, span), spanId });
    },
  };
}

interface EndedSpan {
  name: string;
  kind: Span['kind'];
  startedAt: number;
  endedAt: number;
  failure: string | undefined;
  attributes: Record<string, string | number | undefined>;
}

function spanOf(parent: { traceId: string; spanId?: string }, span: EndedSpan): Span {
  const { name, kind, startedAt, endedAt, failure, attributes } = span;
  return {
    traceId: parent.traceId,
    spanId: newSpanId(),
    ...(parent.spanId !== undefined && { parentSpanId: parent.spanId }),
    name,
    kind,
    startTimeUnixNano: nanoseconds(startedAt),
    // A clock that was set back must not make a span end before it began.
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: Object.entries({ ...attributes, 'error.type': failure }).flatMap(([key, value]) =>
      value === undefined
        ? []
        : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
    ),
    status: { code: failure === undefined ? 0 : 2 },
  };
}

function traceIdOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}
