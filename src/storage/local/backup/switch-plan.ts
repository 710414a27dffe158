// The plan of a switch to a restored home is a file of the home while the switch is not finished.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RESTORE_FOLDER } from './home-contents.ts';

export const planPath = (home: string): string => join(home, RESTORE_FOLDER, 'switch.json');

/** Costs one look. */
export function isRestoreUnfinished(home: string): boolean {
  return existsSync(planPath(home));
}
