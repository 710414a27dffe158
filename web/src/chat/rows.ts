// The rows of the list: what a person asked, each part of the answer, and how the turn ended.
import type { Part, TurnView } from './turn-view.ts';

export type Row =
  | { kind: 'question'; key: string; turn: TurnView }
  | { kind: 'part'; key: string; turn: TurnView; part: Part; isLast: boolean }
  | { kind: 'end'; key: string; turn: TurnView };

const made = new WeakMap<TurnView, readonly Row[]>();

export function rowsOf(turns: readonly TurnView[]): Row[] {
  return turns.flatMap((turn) => {
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
    ...(turn.question === '' ? [] : [{ kind: 'question' as const, key: `${id}-question`, turn }]),
    ...parts.map((part, index) => ({
      kind: 'part' as const,
      key: `${id}-${part.kind}-${part.id}`,
      turn,
      part,
      isLast: index === parts.length - 1 && turn.state !== 'ended',
    })),
    { kind: 'end' as const, key: `${id}-end`, turn },
  ];
}
