// A turn's events as a browser gets them: what a page shows, without what it has already or what would only be large.
import type { TurnFacts } from '../gateway/turns/turn-hub.ts';
import { shownQuestion } from '../operations/shown-question.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { ToolResult } from '../tools/tool.ts';

export type ShownEvent = { type: string } & Record<string, unknown>;

/** A result's data beyond it is left out; the transcript has it. */
const LARGEST_DATA = 100_000;

/** `n` is the number of the event within its turn. */
export function shownEvent({ id, sessionKey, parentId }: TurnFacts, n: number, event: RunEvent): ShownEvent {
  const { type, ...rest } = shownRun(event);
  return { type, session: sessionKey, turn: id, ...(parentId !== undefined && { parent: parentId }), n, ...rest };
}

function shownRun(event: RunEvent): ShownEvent {
  switch (event.type) {
    case 'permission-request':
    case 'form-request':
      return { type: event.type, question: shownQuestion(event.question) };
    case 'tool-output':
      // The call was shown when it started.
      return { type: event.type, callId: event.call.id, text: event.text };
    case 'tool-end':
      return { ...event, result: withinLimit(event.result) };
    case 'run-end': {
      // Each call and result was an event of its own.
      const { toolCalls: _calls, toolResults: _results, ...result } = event.result;
      return { type: event.type, result };
    }
    case 'run-start':
      return {
        type: event.type,
        provider: event.provider,
        ...(event.origin !== undefined && { origin: event.origin }),
      };
    default:
      return { ...event };
  }
}

function withinLimit(result: ToolResult): Record<string, unknown> {
  const { data, ...rest } = result;
  if (data === undefined) return rest;
  const json = JSON.stringify(data);
  return json !== undefined && json.length > LARGEST_DATA ? { ...rest, isCut: true } : { ...rest, data };
}
