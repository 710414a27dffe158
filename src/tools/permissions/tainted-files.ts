// Which files of a workspace are certainly not the person's own: installed packages, what was received and what was
// downloaded. Reading them brings text from outside into the turn. Files that a tainted turn wrote are remembered (tainted-content/);
// everything else in a folder of the person's counts as theirs: the file does not say who wrote it.
import { INBOX, INBOX_OF_OTHERS } from '../../vocabulary/received-files.ts';

/** Anywhere in a path: package managers put other people's packages there. */
const PACKAGES = new Set(['node_modules', 'bower_components', 'vendor', 'third_party', 'site-packages', 'pods']);
/** First in a path. */
export const RECEIVED: readonly string[] = [INBOX, INBOX_OF_OTHERS, 'downloads'];

/** `path`: relative to the workspace, links resolved. */
export function isTaintedFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return RECEIVED.includes(parts[0] ?? '') || parts.some((part) => PACKAGES.has(part));
}
