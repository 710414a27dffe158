// The conversations of the sidebar and of the chat. Both follow the stream.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { type Conversation, createConversation } from '../chat/conversation.ts';
import { onStream } from '../events/stream.ts';
import { newestOf } from './newest.ts';

export type SessionEntry = Output<'sessions.list'>['sessions'][number];

const LISTED = 200;
const KEPT_OPEN = 8;
const RELOAD_MS = 400;

export const sessions = signal<readonly SessionEntry[] | undefined>(undefined);
/** As the person has sorted their conversations. */
export const folders = signal<Output<'folders.list'>>([]);
/** Keys of sessions with a turn that runs. */
export const runningSessions = signal<ReadonlySet<string>>(new Set());

const open = new Map<string, Conversation>();
let timer: ReturnType<typeof setTimeout> | undefined;

export const loadSessions = newestOf(
  () =>
    Promise.all([
      call('sessions.list', { limit: LISTED, firstWords: true }),
      call('turns.list', {}),
      call('folders.list', {}),
    ]),
  ([listed, turns, sorted]) => {
    folders.value = sorted;
    sessions.value = listed.sessions;
    runningSessions.value = new Set(turns.filter(({ state }) => state !== 'ended').map(({ sessionKey }) => sessionKey));
  },
);

/** The conversation of a key, loaded once and kept while it is among the last used. */
export function conversationOf(key: string): Conversation {
  const known = open.get(key);
  if (known) {
    open.delete(key);
    open.set(key, known);
    return known;
  }
  const made = createConversation(key);
  open.set(key, made);
  const [oldest] = open.keys();
  if (open.size > KEPT_OPEN && oldest !== undefined) open.delete(oldest);
  void made.load();
  return made;
}

/** A conversation that begins with the next turn: nothing of it is stored yet. */
export function beginConversation(key: string): Conversation {
  const made = createConversation(key, { isNew: true });
  open.set(key, made);
  return made;
}

export function forgetConversation(key: string): void {
  open.delete(key);
}

export function titleOf({ title, firstWords, sessionKey }: SessionEntry): string {
  return title ?? firstWords ?? sessionKey;
}

/** Begins to follow the stream. */
export function followConversations(): void {
  onStream((event) => {
    if (event.type === 'reset') {
      for (const conversation of open.values()) void conversation.load();
      soon();
      return;
    }
    if (typeof event.session === 'string') open.get(event.session)?.take(event);
    if (event.type === 'changed' && (event.noun === 'sessions' || event.noun === 'folders')) soon();
    if (event.type === 'run-start' || event.type === 'turn-ended') {
      setRunning(String(event.session), event.type === 'run-start');
      soon();
    }
  });
}

function setRunning(key: string, isRunning: boolean): void {
  const next = new Set(runningSessions.value);
  if (isRunning) next.add(key);
  else next.delete(key);
  runningSessions.value = next;
}

/** Several changes of a moment are one load. */
function soon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void loadSessions().catch(() => {}), RELOAD_MS);
}
