/**
 * How a turn treats what would ask for permission:
 *   ask           what does more than read asks a person
 *   accept-edits  edits of ordinary files of the workspace run; the rest asks
 *   plan          nothing but reading runs, until a person approves the plan
 *   auto          what would ask runs; in a tainted turn only what stays contained, the rest asks
 *   never         nobody is asked: what would ask is refused
 */
export const MODES = ['ask', 'accept-edits', 'plan', 'auto', 'never'] as const;
export type Mode = (typeof MODES)[number];

/** What `approve`, the older name of the mode, takes. */
export const APPROVALS = ['ask', 'auto', 'never'] as const satisfies readonly Mode[];
export type Approval = (typeof APPROVALS)[number];

/** The modes that a person goes through with one key, in this order. */
const CHOSEN_MODES: readonly Mode[] = ['ask', 'accept-edits', 'plan', 'auto'];

export function nextMode(mode: Mode): Mode {
  const at = CHOSEN_MODES.indexOf(mode);
  return CHOSEN_MODES[(at + 1) % CHOSEN_MODES.length] ?? 'ask';
}
