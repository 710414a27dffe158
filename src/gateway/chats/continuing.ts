// Continuing after the limit of steps: the chat says that it was reached, and `/continue` continues the turn where it stopped.
// Beside other messages it is a question like them.
import type { AskResult } from '../../pipeline/events.ts';

const CONTINUE = /^\/continue(@\S+)?$/i;

/** Its row in `/help`; it is a turn, not a command. */
export const CONTINUE_HELP = { usage: '/continue', about: 'continue after the limit of steps was reached' };

export function isContinue(text: string): boolean {
  return CONTINUE.test(text.trim());
}

/** What the model reads for a `/continue` that came together with other messages. */
export const CONTINUE_PROMPT = 'Continue with what you were doing when the limit of steps ended your last turn.';

export function askedText(text: string): string {
  return isContinue(text) ? CONTINUE_PROMPT : text;
}

/** The answer as a chat shows it: at the limit of steps it says how to continue. */
export function withLimitNote(
  { result, stage }: Pick<AskResult & { success: true }, 'result' | 'stage'>,
  steps: number,
): string {
  if (stage !== 'tool-limit') return result;
  return `${result}\n\n_The limit of ${steps} steps was reached. Send \`/continue\` to continue._`;
}
