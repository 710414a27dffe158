// Who may call which operation. This is the one place that decides it, from the class of the operation, whom it concerns, and
// who asks from where:
//   terminal, program   everything: whoever runs them has the home
//   console             its owner everything, others nothing
//   chat, its owner     everything; what cannot be taken back only alone with the bot, where nobody else reads along
//   chat, others        what concerns only that chat, or only what they asked for themselves, and is not `danger`;
//                       in a group nothing that changes it for the others
import type { Answerer } from '../gateway/turns/answerer.ts';
import { NotAllowed } from '../vocabulary/not-allowed.ts';
import type { Operation } from './operation.ts';

type Judged = Pick<Operation, 'name' | 'class' | 'concerns'>;

const FOR_OWNER = 'for the owner';
const ALONE = 'for the owner alone with the bot: in a group others read along';
const OF_GROUP = 'for the owner in a group, where it concerns everybody';

/** Throws NotAllowed. */
export function checkMayCall(operation: Judged, by: Answerer): void {
  const reason = refusalOf(operation, by);
  if (reason !== undefined) throw new NotAllowed(operation.name, reason);
}

/** Completes "this is …"; undefined when it may be called. */
function refusalOf({ class: kind, concerns }: Judged, by: Answerer): string | undefined {
  if (by.place === 'terminal' || by.place === 'program') return undefined;
  if (by.place === 'console') return by.isOwner ? undefined : FOR_OWNER;
  const isGroup = by.isGroup ?? false;
  if (by.isOwner) return kind === 'danger' && isGroup ? ALONE : undefined;
  if (kind === 'danger' || concerns === undefined) return FOR_OWNER;
  return isGroup && concerns === 'chat' && kind !== 'read' ? OF_GROUP : undefined;
}
