// Commands that are questions to the model. `/continue` continues the turn that the limit of steps ended; the chat says that it was reached.
// Beside other messages it is a question like them. `/queue` asks what is behind it, and lets it wait for the end of the turn.
import type { AskResult } from '../../pipeline/events.ts';

const CONTINUE = /^\/continue(@\S+)?$/i;

/** Its row in `/help`; it is a turn, not a command. */
export const CONTINUE_HELP = { usage: '/continue', about: 'continue after the limit of steps was reached' };

export function isContinue(text: string): boolean {
  return CONTINUE.test(text.trim());
}

const QUEUE = /^\/queue(?:@\S+)?\s+(\S[\s\S]*)$/i;

/** Its row in `/help`; it is a question, not a command. */
export const QUEUE_HELP = {
  usage: '/queue <message>',
  about: 'asks it when the turn has ended, instead of sending it into the turn',
};

/** What is behind `/queue`; undefined for everything else. */
export function queuedText(text: string): string | undefined {
  return QUEUE.exec(text.trim())?.[1];
}

/** What the model reads for a `/continue` that came together with other messages. */
export const CONTINUE_PROMPT = 'Continue with what you were doing when the limit of steps ended your last turn.';

export function askedText(text: string): string {
  return isContinue(text) ? CONTINUE_PROMPT : (queuedText(text) ?? text);
}

/** The answer as a chat shows it: at the limit of steps it says how to continue. */
export function withLimitNote(
  { result, stage }: Pick<AskResult & { success: true }, 'result' | 'stage'>,
  steps: number,
): string {
  if (stage !== 'tool-limit') return result;
  return `${result}\n\n_The limit of ${steps} steps was reached. Send \`/continue\` to continue._`;
}
