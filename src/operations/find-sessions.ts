// Which session is meant: by its key, and among those ever kept under it by id.
import type { KeptSession } from '../sessions/kept.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { TEXT } from './schemas.ts';
import { unknownSession } from './sessions.ts';

/** How many ids an error names. */
const NAMED = 10;

/** The part of a schema that names a session. */
export const SESSION_CHOICE = {
  key: TEXT,
  sessionId: { type: 'string', description: 'an earlier session under this key; by default the current one' },
} as const;

export interface FoundSession extends KeptSession {
  sessionKey: string;
}

/** The current one of the key, or the one that is named; with `all`, every one that was kept under it, oldest first. */
export async function findSessions(
  sessions: Sessions,
  key: string,
  { sessionId, all = false }: { sessionId?: string; all?: boolean },
): Promise<FoundSession[]> {
  if (key.trim() === '')
    throw new CodedError('EMPTY_KEY', 'the key of the session is empty: "lainclaw sessions list" shows them');
  if (all && sessionId !== undefined)
    throw new CodedError('INVALID_INPUT', 'all and sessionId exclude each other: give one of them');
  const entry = await sessions.get(key);
  if (entry && !all && (sessionId === undefined || sessionId === entry.sessionId))
    return [{ ...entry, isCurrent: true }];
  const byName = entry || all || sessionId !== undefined ? undefined : await sessions.find(key);
  if (byName) {
    const current = await sessions.get(byName.sessionKey);
    return [{ ...byName, isCurrent: current?.sessionId === byName.sessionId }];
  }

  const kept = await sessions.kept();
  if (!entry && !kept.some((one) => one.sessionKey === key)) {
    // An id alone says enough.
    const byId = kept.find((one) => one.sessionId === key);
    if (byId && sessionId === undefined) return [{ ...byId, sessionKey: byId.sessionKey ?? key }];
    throw await unknownSession(key, sessions);
  }
  const own = kept.filter((one) => one.sessionKey === key).map((one) => ({ ...one, sessionKey: key }));
  if (sessionId === undefined) return all ? own : own.slice(-1);
  const found = kept.find((one) => one.sessionId === sessionId && (one.sessionKey ?? key) === key);
  if (found) return [{ ...found, sessionKey: key }];
  const ids = own.map((one) => one.sessionId);
  const shown = ids.slice(-NAMED).join(', ') + (ids.length > NAMED ? ` and ${ids.length - NAMED} older ones` : '');
  throw new CodedError('SESSION_NOT_FOUND', `"${key}" has no session with the id "${sessionId}"; it has ${shown}`);
}

/** As `findSessions`, where one is meant. */
export async function findOneSession(sessions: Sessions, key: string, sessionId?: string): Promise<FoundSession> {
  const [session] = await findSessions(sessions, key, { sessionId });
  return session ?? Promise.reject(await unknownSession(key, sessions));
}
