// Whose conversations are whose. Those of a person who was invited to the console have their id in the key; all others are the owner's.

const PREFIX = 'console:';

/** The keys of a person's conversations begin with it. */
export function sessionPrefix(person: string): `console:${string}:` {
  return `${PREFIX}${person}:`;
}

/** `person`: undefined for the owner. */
export function newSessionKey(person: string | undefined, id: string): string {
  return person === undefined ? `${PREFIX}${id}` : `${sessionPrefix(person)}${id}`;
}

/** The chat that turns of a person answer in: sub-agents and questions of these turns are found by it. */
export function personChat(person: string): string {
  return `${PREFIX}${person}`;
}

/** The person that a turn is of; undefined: the owner's, or a chat's. */
export function personOfTurn({ chat }: { chat?: string }): string | undefined {
  return chat?.startsWith(PREFIX) ? chat.slice(PREFIX.length) : undefined;
}
