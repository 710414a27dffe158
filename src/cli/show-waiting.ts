// While a model is asked and has said nothing yet, a line on stderr tells whom one waits for, how long, what the turn has used,
// and the end of what the model thinks. It is gone before anything else is shown, and never on stdout.
import type { RunEvent } from '../pipeline/events.ts';
import { addUsage, type Usage } from '../vocabulary/usage.ts';
import { tokenCount } from './chat/status.ts';
import { colorsFor } from './colors.ts';
import { foldedThought, withThought } from './folded-thought.ts';
import { printable, type Terminal } from './terminal.ts';
import { createWaitingLine } from './waiting-line.ts';

export interface ShowWaitingOptions {
  /** Whether the text of the answer is shown as it comes: then the line ends with the first word. */
  isTextShown: boolean;
}

/** What is answered at once needs no line. */
const AFTER_MS = 250;

/** The same events. Their reader may write to the terminal: the line is away by then. */
export async function* showWaiting(
  events: AsyncIterable<RunEvent>,
  terminal: Terminal,
  { isTextShown }: ShowWaitingOptions,
): AsyncGenerator<RunEvent> {
  const { err, environment } = terminal;
  const { dim } = colorsFor(err, terminal);
  const line = createWaitingLine({ err, now: environment.now, afterMs: AFTER_MS });
  let used: Usage | undefined;
  try {
    let thought = '';
    for await (const event of events) {
      switch (event.type) {
        case 'model-start': {
          const who = event.model === undefined ? event.provider : `${event.provider}/${event.model}`;
          thought = '';
          line.start((elapsedMs) => dim(waitingText({ who, elapsedMs, used, thought })));
          break;
        }
        case 'thinking-delta':
          thought = withThought(thought, event.text);
          break;
        case 'text-delta':
          if (isTextShown) line.stop();
          break;
        case 'model-end':
          used = addUsage(used, event.usage);
          line.stop();
          break;
        default:
          line.stop();
      }
      yield event;
    }
  } finally {
    line.stop();
  }
}

export interface Waited {
  who: string;
  elapsedMs: number;
  used: Usage | undefined;
  thought: string;
}

export function waitingText({ who, elapsedMs, used, thought }: Waited): string {
  const folded = foldedThought(thought);
  return [
    `${printable(who)} · ${Math.floor(elapsedMs / 1000)} s`,
    used && `${tokenCount(used.inputTokens)} in, ${tokenCount(used.outputTokens)} out`,
    folded && `thinking: ${folded}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
