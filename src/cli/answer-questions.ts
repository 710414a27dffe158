import { type AnsweringOptions, createAnswering } from '../gateway/turns/answering.ts';
import type { RunEvent } from '../pipeline/events.ts';

/** The same events; while they are read, the person at the terminal answers what the turn asks. */
export async function* answerQuestions(
  events: AsyncIterable<RunEvent>,
  options: Omit<AnsweringOptions, 'by'>,
): AsyncGenerator<RunEvent> {
  const ask = createAnswering({ ...options, by: { place: 'terminal' } });
  for await (const event of events) {
    // The reader that shows the events has shown this one when it comes back here.
    yield event;
    ask(event);
  }
}
