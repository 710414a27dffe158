import type { Mode } from '../../config/mode.ts';

/** A mode that was chosen for the owner opens nothing for others. */
export function modeOfOthers(mode: Mode): Mode {
  return mode === 'plan' || mode === 'never' ? mode : 'ask';
}
