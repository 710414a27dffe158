// Recall: what was found in memory for a question and given to the model in the note of the turn.
import type { MemoryScope } from './memory-scope.ts';

/** Where a recalled text is. The text itself stays where it is, so that it can be forgotten in one place. */
export interface RecalledItem {
  /** Id of the document in the archive; absent for the notes of a session. */
  id?: string;
  /** Position of the chunk in its document, from 0. */
  position?: number;
  source: string;
  scope: MemoryScope;
  /** ISO 8601: when it was said or written; absent where nothing says. */
  date?: string;
  /** Somebody else than the owner had a part in it. */
  tainted?: true;
}

/** About the tokens of everything that is recalled for one question. */
export const RECALL_TOKENS = 800;

/** "3 memories: 2 from conversations, 1 from notes". */
export function describeRecalled(items: readonly RecalledItem[]): string {
  const counts = new Map<string, number>();
  for (const { source } of items) {
    const kind = kindOf(source);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].map(([kind, count]) => (counts.size === 1 ? kind : `${count} from ${kind}`));
  const total = items.length === 1 ? '1 memory' : `${items.length} memories`;
  return counts.size === 1 ? `${total} from ${kinds.join('')}` : `${total}: ${kinds.join(', ')}`;
}

function kindOf(source: string): string {
  if (source === 'facts') return 'facts';
  if (source.startsWith('session:')) return 'conversations';
  if (source.startsWith('/')) return 'files';
  return 'notes';
}
