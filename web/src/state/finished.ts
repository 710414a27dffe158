// Long turns that ended while nobody looked at their conversation. Which turn was looked at last is kept in the browser; the rest
// comes from the transcripts, so that neither a restart nor a closed page loses one.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { type SessionEntry, sessions } from './conversations.ts';
import { me } from './me.ts';
import { newestOf } from './newest.ts';
import { LONG_TURN_MS } from './notifications.ts';

export interface FinishedTurn {
  id: string;
  sessionKey: string;
  endedAt: string;
  tookMs: number;
}

/** Undefined until it is known. */
export const finishedTurns = signal<readonly FinishedTurn[] | undefined>(undefined);

/** A conversation that is not among the last used is not asked about. */
const MOST_ASKED = 12;
const MOST_KEPT = 300;

interface Seen {
  /** Conversations that were used last before this, by the gateway's clock, have nothing new. */
  since: string;
  sessions: Record<string, SeenTurn>;
}

interface SeenTurn {
  turn: string;
  /** When its conversation was last used: without a later use it has nothing new. */
  used: string;
}

/** The last turn of a session, by when the session was last used: it does not change before the next turn. */
const lastTurns = new Map<string, FinishedTurn | undefined>();

export const loadFinished = newestOf(lastOfEach, (turns) => {
  // Somebody may have looked meanwhile.
  const { sessions: seen } = readSeen();
  finishedTurns.value = turns.filter(({ sessionKey, id }) => seen[sessionKey]?.turn !== id);
});

/** The last turns of the conversations in which something may be new. */
async function lastOfEach(): Promise<FinishedTurn[]> {
  const { since, sessions: before } = readSeen();
  const mayBeNew = ({ sessionKey, updatedAt }: SessionEntry): boolean =>
    updatedAt > since && before[sessionKey]?.used !== updatedAt;
  const asked = (sessions.value ?? []).filter(mayBeNew).slice(0, MOST_ASKED);
  const turns = await Promise.all(asked.map(lastTurn));
  return turns.filter((turn) => turn !== undefined);
}

/** The turn was looked at, and so was everything before it. */
export function markSeen(sessionKey: string, turn: string): void {
  const seen = readSeen();
  const used = sessions.value?.find((entry) => entry.sessionKey === sessionKey)?.updatedAt ?? '';
  const before = seen.sessions[sessionKey];
  if (before?.turn === turn && before.used === used) return;
  keep({ ...seen, sessions: { ...seen.sessions, [sessionKey]: { turn, used } } });
  finishedTurns.value = finishedTurns.value?.filter((finished) => finished.sessionKey !== sessionKey);
}

/** Undefined where it was short, or still runs. */
async function lastTurn({ sessionKey, updatedAt }: SessionEntry): Promise<FinishedTurn | undefined> {
  const key = `${sessionKey} ${updatedAt}`;
  if (lastTurns.has(key)) return lastTurns.get(key);
  const { turns = [] } = await call('sessions.replay', { key: sessionKey, last: 1 });
  const { turnId: id = '', startedAt = '', endedAt = '' } = turns.at(-1) ?? ({} as Partial<(typeof turns)[number]>);
  // It was used for a turn that has not ended.
  if (endedAt < updatedAt) return undefined;
  const tookMs = Date.parse(endedAt) - Date.parse(startedAt);
  const turn = tookMs >= LONG_TURN_MS ? { id, sessionKey, endedAt, tookMs } : undefined;
  lastTurns.set(key, turn);
  return turn;
}

function storageKey(): string {
  return `lainclaw-seen:${me.value?.person.id ?? ''}`;
}

/** A browser that is new here begins with now: what ended before it came is not waiting for it. */
function readSeen(): Seen {
  const kept = localStorage.getItem(storageKey());
  if (kept !== null) return JSON.parse(kept) as Seen;
  const since =
    (sessions.value ?? [])
      .map(({ updatedAt }) => updatedAt)
      .toSorted()
      .at(-1) ?? '';
  const begun = { since, sessions: {} };
  if (sessions.value) keep(begun);
  return begun;
}

function keep({ since, sessions: seen }: Seen): void {
  const newestFirst = Object.entries(seen).toSorted(([, one], [, other]) => (one.used > other.used ? -1 : 1));
  const dropped = newestFirst[MOST_KEPT]?.[1].used ?? '';
  const kept: Seen = {
    since: dropped > since ? dropped : since,
    sessions: Object.fromEntries(newestFirst.slice(0, MOST_KEPT)),
  };
  localStorage.setItem(storageKey(), JSON.stringify(kept));
}
