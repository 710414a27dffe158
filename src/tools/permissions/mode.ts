// The mode of a turn. One place holds it: the policy reads it for every call, so a change holds from the next call on.
import type { Mode } from '../../config/mode.ts';

/** Of a turn, or of a conversation whose turns share it. */
export interface TurnMode {
  current(): Mode;
  change(mode: Mode): void;
}

export function createTurnMode(mode: Mode, onChange?: (mode: Mode) => void): TurnMode {
  let current = mode;
  return {
    current: () => current,
    change(next) {
      current = next;
      onChange?.(next);
    },
  };
}

export function asTurnMode(mode: Mode | TurnMode): TurnMode {
  return typeof mode === 'string' ? createTurnMode(mode) : mode;
}
