import { createHash } from 'node:crypto';
import type { MemoryScope } from './memory-scope.ts';
import { INBOX, INBOX_OF_OTHERS } from './received-files.ts';

/** The folder of the workspace for files that come with turns of this scope. */
export function inboxOf(scope: MemoryScope): string {
  if (scope === 'owner') return INBOX;
  return `${INBOX_OF_OTHERS}/${createHash('sha256').update(scope).digest('hex').slice(0, 16)}`;
}
