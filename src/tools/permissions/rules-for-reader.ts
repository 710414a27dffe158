import { inboxOf } from '../../vocabulary/inbox-of.ts';
import type { MemoryReader } from '../../vocabulary/memory-scope.ts';
import { reasonText } from '../../vocabulary/reasons.ts';
import { INBOX, isSentByOthers } from '../../vocabulary/received-files.ts';
import type { ParsedRules, Rule } from './rules.ts';

/** The owner's rules for turns of other people, with one more: nothing that somebody else has sent is read. */
export function rulesForReader(parsed: ParsedRules, { scope }: MemoryReader): ParsedRules {
  if (!parsed.ok) return parsed;
  const own = inboxOf(scope);
  const sentByOthers: Rule = {
    text: `fs.read_file(${INBOX}/**)`,
    tool: 'fs.read_file',
    reason: reasonText('sent-by-others'),
    pattern: {
      kind: 'path',
      path: { source: `${INBOX}/**`, allows: () => false, touches: (path) => isSentByOthers(path, own) },
    },
    governs: 'read',
  };
  return { ok: true, rules: { ...parsed.rules, deny: [...parsed.rules.deny, sentByOthers] } };
}
