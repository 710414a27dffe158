import { SessionChangeError } from './session-change-error.ts';

const NAMED = 5;

/** The place of a turn by its id, or by the beginning of one. Throws where that names none, or several. */
export function chooseTurn(turnIds: readonly string[], wanted: string): number {
  const exact = turnIds.indexOf(wanted);
  if (exact >= 0) return exact;
  const alike = turnIds.flatMap((turnId, index) => (wanted !== '' && turnId.startsWith(wanted) ? [index] : []));
  if (alike.length === 1) return alike[0] ?? 0;
  const shown = turnIds.slice(-NAMED).join(', ');
  const advice = shown === '' ? 'no turn of it has ended yet' : `its last turns are ${shown}`;
  const why = alike.length > 1 ? `${alike.length} turns begin with "${wanted}"` : `there is no turn "${wanted}"`;
  throw new SessionChangeError('TURN_NOT_FOUND', `${why} in this session; ${advice}`);
}
