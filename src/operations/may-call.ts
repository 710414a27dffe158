// Who may call which operation. This is the one place that decides it, from the class of the operation, whom it concerns, and
// who asks from where:
//   terminal, program   everything: the person who runs them has the home
//   console             its owner everything; people what is about their own conversations and memory (`people` of an operation)
//   chat, its owner     everything; what cannot be taken back only alone with the bot, where nobody else reads along
//   chat, others        what concerns only that chat, or only what they asked for themselves, and is not `danger`;
//                       in a group nothing that changes it for the others

import { newSessionKey, personChat, sessionPrefix } from '../gateway/console-access/own-sessions.ts';
import type { Answerer } from '../gateway/turns/answerer.ts';
import { newId } from '../lib/new-id.ts';
import { NotAllowed } from '../vocabulary/not-allowed.ts';
import type { Operation } from './operation.ts';

type Judged = Pick<Operation, 'name' | 'class' | 'concerns' | 'people'>;

const FOR_OWNER = 'for the owner';
const ALONE = 'for the owner alone with the bot: in a group others read along';
const OF_GROUP = 'for the owner in a group, where it concerns everybody';

/** Throws NotAllowed. */
export function checkMayCall(operation: Judged, by: Answerer): void {
  const reason = refusalOf(operation, by);
  if (reason !== undefined) throw new NotAllowed(operation.name, reason);
}

export function mayCall(operation: Judged, by: Answerer): boolean {
  return refusalOf(operation, by) === undefined;
}

/** Completes "this is …"; undefined when it may be called. */
function refusalOf({ class: kind, concerns, people }: Judged, by: Answerer): string | undefined {
  if (by.place === 'terminal' || by.place === 'program') return undefined;
  if (by.place === 'console') return by.isOwner || (people && by.person !== undefined) ? undefined : FOR_OWNER;
  const isGroup = by.isGroup ?? false;
  if (by.isOwner) return kind === 'danger' && isGroup ? ALONE : undefined;
  if (kind === 'danger' || concerns === undefined) return FOR_OWNER;
  return isGroup && concerns === 'chat' && kind !== 'read' ? OF_GROUP : undefined;
}

/** The fields of an input that name a session. */
const SESSION_FIELDS = ['key', 'session', 'as'];

/**
 * The input as the caller may use it: for a person of the console it names only what is theirs, also where they named
 * nothing. Throws NotAllowed.
 */
export function ownInput(
  operation: Pick<Operation, 'name' | 'people' | 'input'>,
  input: Record<string, unknown>,
  by: Answerer,
): Record<string, unknown> {
  if (by.place !== 'console' || by.isOwner || by.person === undefined) return input;
  const { person } = by;
  const refused = (): NotAllowed => new NotAllowed(operation.name, 'only for your own conversations');
  if (operation.people === 'scope') {
    const scope = `person:${personChat(person)}`;
    if (input.scope !== undefined && input.scope !== scope) throw refused();
    return { ...input, scope };
  }
  for (const field of SESSION_FIELDS)
    if (input[field] !== undefined && !String(input[field]).startsWith(sessionPrefix(person))) throw refused();
  // Earlier sessions are found by their id alone, whosever they are.
  if (input.sessionId !== undefined) throw refused();
  if (operation.people === 'session' && input.key === undefined && input.session === undefined) throw refused();
  // A copy that is not named gets a name among their own.
  const isCopied = 'as' in operation.input.properties && input.as === undefined;
  return isCopied ? { ...input, as: newSessionKey(person, newId('').slice(1, 11)) } : input;
}
