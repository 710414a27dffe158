// The rows of the list: what a person asked, each part of the answer, and how the turn ended.
import type { Part, TurnView, WaitingMessage } from './turn-view.ts';

export type Row =
  | { kind: 'question'; key: string; turn: TurnView; isFolded?: true }
  /** `isAsked`: a call that a person is asked about. */
  | { kind: 'part'; key: string; turn: TurnView; part: Part; isLast: boolean; isAsked: boolean }
  | { kind: 'end'; key: string; turn: TurnView }
  | { kind: 'waiting'; key: string; turn: TurnView; message: WaitingMessage };

const made = new WeakMap<TurnView, readonly Row[]>();

/** `folded`: ids of turns that show only their question. */
export function rowsOf(turns: readonly TurnView[], folded: ReadonlySet<string> = new Set()): Row[] {
  return turns.flatMap((turn): readonly Row[] => {
    if (folded.has(turn.id)) return [{ kind: 'question', key: `${turn.id}-question`, turn, isFolded: true }];
    const known = made.get(turn);
    if (known) return known;
    const rows = rowsOfTurn(turn);
    made.set(turn, rows);
    return rows;
  });
}

function rowsOfTurn(turn: TurnView): Row[] {
  const { id, parts } = turn;
  return [
    ...(hasQuestion(turn) ? [{ kind: 'question' as const, key: `${id}-question`, turn }] : []),
    ...parts.map((part, index) => ({
      kind: 'part' as const,
      key: `${id}-${part.kind}-${part.id}`,
      turn,
      part,
      isLast: index === parts.length - 1 && turn.state !== 'ended',
      isAsked: part.kind === 'tool' && part.result === undefined && isOpenQuestion(parts[index + 1]),
    })),
    { kind: 'end' as const, key: `${id}-end`, turn },
    ...turn.waiting.map((message) => ({ kind: 'waiting' as const, key: `${id}-waiting-${message.id}`, turn, message })),
  ];
}

/** A message may be files alone. */
function hasQuestion({ question, files = [] }: TurnView): boolean {
  return question !== '' || files.length > 0;
}

export function isOpenQuestion(part: Part | undefined): boolean {
  return part?.kind === 'question' && part.resolution === undefined;
}
