import type { ModelEvent } from './adapter.ts';

export type Ending = Extract<ModelEvent, { type: 'finish' | 'failure' }>;

/**
 * Passes everything on but the ending, which it returns; calls are held back until the finish is certain. Undefined: the events
 * ended without one.
 */
export async function* untilEnding(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => {},
): AsyncGenerator<ModelEvent, Ending | undefined> {
  const calls: ModelEvent[] = [];
  for await (const event of events) {
    onEvent(event);
    if (event.type === 'failure') return event;
    if (event.type === 'finish') {
      yield* calls;
      return event;
    }
    if (event.type === 'tool-call') calls.push(event);
    else yield event;
    if (event.type === 'restart') calls.length = 0;
  }
  return undefined;
}
