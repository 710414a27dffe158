// What becomes of messages whose turn had begun in a process that ended: an answer that was given is given, a turn
// that had done nothing yet is asked again, and one that had is explained. No effect is ever repeated by itself.
import type { FoundCall, FoundTurn } from '../../sessions/find-turn.ts';
import type { HistoryPicture } from '../../sessions/history.ts';

export type Taken =
  | { kind: 'ask' }
  | {
      kind: 'answer';
      markdown: string;
      pictures?: HistoryPicture[];
      /** Ids of messages that joined the turn: the answer is theirs too. */
      joined?: string[];
    };

export function takeUp(found: FoundTurn): Taken {
  const { outcome, text, error, calls, pictures, joined } = found;
  if (outcome !== 'interrupted' && outcome !== 'cancelled') {
    const markdown = text ?? failure(error?.message ?? 'the answer is not on record');
    return { kind: 'answer', markdown, ...(text !== undefined && pictures && { pictures }), ...(joined && { joined }) };
  }
  const effects = effectsOf(calls);
  if (effects.length === 0) return { kind: 'ask' };
  return { kind: 'answer', markdown: explanation(effects) };
}

export function failure(message: string): string {
  return `⚠️ I could not answer: ${message}`;
}

/** What a person is told who opens a conversation whose last turn was cut short. */
export function interruption({ calls }: FoundTurn): string {
  const effects = effectsOf(calls);
  return effects.length > 0
    ? explanation(effects)
    : '⚠️ I was interrupted before I had answered, and nothing had been changed. Ask again, or continue with something else.';
}

function effectsOf(calls: readonly FoundCall[]): FoundCall[] {
  return calls.filter(({ effect, neverStarted }) => effect !== 'read' && !neverStarted);
}

function explanation(effects: readonly FoundCall[]): string {
  const lines = effects.map(({ call, isEnded }) => {
    const state = isEnded ? 'was done' : '**was running: the outcome is unknown**';
    return `- ${call.name} \`${shown(call.args)}\` ${state}`;
  });
  return [
    '⚠️ I was interrupted while working on this.',
    lines.join('\n'),
    'Nothing of it was repeated. Check what is there, then tell me how to continue.',
  ].join('\n\n');
}

function shown(args: unknown): string {
  const text = (JSON.stringify(args) ?? '').replaceAll('`', "'");
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
