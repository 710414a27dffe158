// A turn as the library shows it: the events that are promised, and the result.
import type { RunEvent } from '../pipeline/events.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { Turn, TurnEvent, TurnResult } from './surface.ts';

const SHOWN: Record<TurnEvent['type'], true> = {
  'run-start': true,
  waiting: true,
  notice: true,
  recalled: true,
  'model-start': true,
  'thinking-delta': true,
  'text-delta': true,
  'text-restart': true,
  'model-end': true,
  'tool-start': true,
  'tool-output': true,
  'tool-end': true,
  'run-end': true,
};

export function createTurn(events: AsyncIterable<RunEvent>): Turn {
  let result: TurnResult | undefined;
  const reading = (async function* (): AsyncGenerator<TurnEvent> {
    for await (const event of events) {
      if (event.type === 'run-end') result = event.result;
      if (isShown(event)) yield event;
    }
  })();
  return {
    [Symbol.asyncIterator]: () => reading,
    async result() {
      while (!(await reading.next()).done);
      if (!result) throw new CodedError('TURN_LEFT', 'the turn was left before its end, so it has no result');
      return result;
    },
  };
}

function isShown(event: RunEvent): event is Extract<RunEvent, { type: TurnEvent['type'] }> {
  return Object.hasOwn(SHOWN, event.type);
}
