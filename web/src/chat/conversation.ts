// One conversation as the chat shows it: its turns from the transcript, and those that run from the stream. Events that arrive
// while it loads are kept and applied afterwards; an event that is in it already changes nothing.
import { type Signal, signal } from '@preact/signals';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { ApiProblem } from '../api/problem.ts';
import { pictureAddress, readTurnEvents } from '../api/turns.ts';
import type { StreamEvent } from '../events/event-reader.ts';
import {
  messageIds,
  newTurn,
  replayedTurn,
  type SentFile,
  type TurnEvent,
  type TurnView,
  type WaitingMessage,
  withEvent,
  withoutWaiting,
} from './turn-view.ts';

const LOADED_TURNS = 60;
const EARLIER_TURNS = 200;
const FRAME_MS = 16;
/** Events with which a question that was not found yet is looked for again. */
const RETOLD = ['model-start', 'run-end'];

export interface Conversation {
  readonly key: string;
  readonly turns: Signal<readonly TurnView[]>;
  readonly state: Signal<'loading' | 'ready' | 'failed'>;
  readonly problem: Signal<unknown>;
  /** Loads it again, for example after the stream was reset. */
  load(): Promise<void>;
  hasEarlier(): boolean;
  loadEarlier(): Promise<void>;
  take(event: StreamEvent): void;
  /** A turn that was asked for here. */
  expect(turnId: string, question: string, files: readonly SentFile[]): void;
  /** A message that was written to a turn here, and was accepted. */
  expectMessage(turnId: string, message: WaitingMessage): void;
  /** Texts of messages that were taken back here, until they are in the field: the page may have been left meanwhile. */
  readonly returned: Signal<readonly string[]>;
  /** They were taken back here; each comes back once, however often that was asked for. */
  giveBack(messages: readonly WaitingMessage[]): void;
}

export interface ConversationOptions {
  /** Nothing of it is stored yet, so there is nothing to load. */
  isNew?: boolean;
  now?(): number;
}

export function createConversation(
  key: string,
  { isNew = false, now = Date.now }: ConversationOptions = {},
): Conversation {
  const turns = signal<readonly TurnView[]>([]);
  const state = signal<'loading' | 'ready' | 'failed'>(isNew ? 'ready' : 'loading');
  const problem = signal<unknown>(undefined);
  let waiting: StreamEvent[] | undefined = isNew ? undefined : [];
  let frame: StreamEvent[] = [];
  let flushedAt = 0;
  let loading: Promise<void> = Promise.resolve();
  let isLoadingEarlier = false;
  /** Turns that were asked for here and may not be stored yet. */
  const expected = new Map<string, TurnView>();
  /** Messages that were asked or taken back: the answer to who wrote one can come after that. */
  const settled = new Set<string>();
  const returned = signal<readonly string[]>([]);
  const givenBack = new Set<string>();

  function withExpected(turn: TurnView): TurnView {
    const known = expected.get(turn.id);
    return known ? { ...turn, question: turn.question || known.question, files: known.files } : turn;
  }

  function missing(loaded: readonly TurnView[]): TurnView[] {
    return [...expected.values()].filter(({ id }) => !loaded.some((turn) => turn.id === id));
  }

  /** One after the other: an older state must not replace what was applied to a newer one. */
  function load(): Promise<void> {
    loading = loading.then(loadNow);
    return loading;
  }

  async function loadNow(): Promise<void> {
    waiting ??= [];
    try {
      const running = await call('turns.list', {});
      const own = running.filter((turn) => turn.sessionKey === key && turn.state !== 'ended');
      const stored = await storedTurns(key, LOADED_TURNS, own.length > 0);
      const live = await Promise.all(own.map((turn) => runningTurn(turn, stored, now())));
      // What ran a moment ago can have ended meanwhile, and later turns can be in the transcript: its order counts.
      const begun = live.filter(({ id }) => !stored.some((turn) => turn.id === id));
      const loaded = [...stored.map((turn) => live.find(({ id }) => id === turn.id) ?? turn), ...begun];
      // What has ended is in the transcript, or was taken out of the conversation.
      for (const { id, state: reached } of turns.value) if (reached === 'ended') expected.delete(id);
      turns.value = [...loaded.map(withExpected), ...missing(loaded)];
      state.value = 'ready';
    } catch (error) {
      problem.value = error;
      state.value = 'failed';
    }
    const kept = waiting ?? [];
    waiting = undefined;
    apply(kept);
  }

  /** Events of one frame become one change, so that the page is drawn once; the first one after a pause is shown at once. */
  function take(event: StreamEvent): void {
    if (event.session !== key) return;
    if (waiting) {
      waiting.push(event);
      return;
    }
    frame.push(event);
    if (frame.length > 1) return;
    if (now() - flushedAt >= FRAME_MS) flush();
    else nextFrame(flush);
  }

  function flush(): void {
    const events = frame;
    frame = [];
    flushedAt = now();
    if (waiting) waiting.push(...events);
    else apply(events);
  }

  function apply(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    const changed = new Map<string, TurnView>();
    const unknown: string[] = [];
    for (const { turn: id, n, session: _session, parent: _parent, ...event } of events) {
      if (typeof id !== 'string' || typeof n !== 'number') continue;
      const before = changed.get(id) ?? turns.value.find((turn) => turn.id === id);
      // It may be in the transcript only a moment later.
      if (!before || (before.question === '' && RETOLD.includes(event.type))) unknown.push(id);
      const asked = takeAsked(event as TurnEvent, changed);
      const turn = before ?? { ...newTurn(id, asked), startedAt: new Date(now()).toISOString() };
      // It has ended in the transcript, which has no numbers.
      if (turn.end && turn.lastNumber === 0) continue;
      if (n > turn.lastNumber) changed.set(id, { ...withEvent(turn, event as TurnEvent, now()), lastNumber: n });
    }
    const known = new Set(turns.value.map(({ id }) => id));
    const added = [...changed.values()].filter(({ id }) => !known.has(id));
    turns.value = [...turns.value.map((turn) => changed.get(turn.id) ?? turn), ...added];
    for (const id of new Set(unknown)) void findQuestion(id);
  }

  /** A turn that begins with messages that an earlier one did not take up: they wait there no more. Returns what they say. */
  function takeAsked(event: TurnEvent, changed: Map<string, TurnView>): string {
    const origins = (event.type === 'run-start' && event.origin?.split(' ')) || [];
    for (const id of event.type === 'steer-withdrawn' ? [event.messageId] : origins) settled.add(id);
    const texts: string[] = [];
    for (const { id } of origins.length > 0 ? turns.value : []) {
      const turn = changed.get(id) ?? turns.value.find((each) => each.id === id);
      const taken = turn?.waiting.filter((message) => origins.includes(message.id)) ?? [];
      if (turn && taken.length > 0) changed.set(id, withoutWaiting(turn, origins));
      texts.push(...taken.map(({ text }) => text));
    }
    return texts.join('\n\n');
  }

  /** Events that came before this conversation was known here. */
  async function catchUp(id: string): Promise<void> {
    waiting ??= [];
    const told = await readTurnEvents(id).catch(() => []);
    const kept = waiting;
    waiting = undefined;
    apply([...told.map((event) => ({ ...event, turn: id })), ...kept]);
  }

  /** Asked elsewhere: the transcript knows with which words. */
  async function findQuestion(id: string): Promise<void> {
    const stored = await storedTurns(key, 3).catch(() => []);
    const found = stored.find((turn) => turn.id === id);
    if (!found) return;
    const { question, number, pictures } = found;
    change(id, (turn) => ({ ...turn, question: turn.question || question, number, ...(pictures && { pictures }) }));
  }

  function change(id: string, work: (turn: TurnView) => TurnView): void {
    turns.value = turns.value.map((turn) => (turn.id === id ? work(turn) : turn));
  }

  return {
    key,
    turns,
    state,
    problem,
    returned,
    load,
    take,
    hasEarlier: () => (turns.value[0]?.number ?? 1) > 1,
    async loadEarlier() {
      const first = turns.value[0]?.number ?? 1;
      if (isLoadingEarlier || first <= 1) return;
      isLoadingEarlier = true;
      try {
        turns.value = [...(await storedTurns(key, EARLIER_TURNS, false, first - 1)), ...turns.value];
      } finally {
        isLoadingEarlier = false;
      }
    },
    expect(id, question, files) {
      const turn = { ...newTurn(id, question), files, startedAt: new Date(now()).toISOString() };
      expected.set(id, turn);
      if (turns.value.some((each) => each.id === id)) change(id, withExpected);
      else turns.value = [...turns.value, turn];
      if (!isNew) return;
      waiting ??= [];
      loading = loading.then(() => catchUp(id));
    },
    expectMessage(turnId, message) {
      const isKnown = settled.has(message.id) || turns.value.some((turn) => messageIds(turn).includes(message.id));
      if (!isKnown) change(turnId, (turn) => withEvent(turn, { type: 'steer-waiting', message }));
    },
    giveBack(messages) {
      const others = messages.filter(({ id }) => !givenBack.has(id));
      for (const { id } of others) givenBack.add(id);
      if (others.length > 0) returned.value = [...others.map(({ text }) => text), ...returned.value];
    },
  };
}

/** `mayBeNew`: a turn of it runs, which may not be in a transcript yet. */
async function storedTurns(key: string, last: number, mayBeNew = false, to?: number): Promise<TurnView[]> {
  try {
    const { turns = [] } = await call('sessions.replay', { key, last, ...(to !== undefined && { to }) });
    return turns.map((turn) => replayedTurn(turn, { pictureAt: (path) => pictureAddress(key, path) }));
  } catch (error) {
    if (mayBeNew && error instanceof ApiProblem && error.code === 'SESSION_NOT_FOUND') return [];
    throw error;
  }
}

/** A turn that has not ended: what it told so far is read from the gateway, what was asked from the transcript. */
async function runningTurn(
  { id, startedAt }: Output<'turns.list'>[number],
  stored: readonly TurnView[],
  now: number,
): Promise<TurnView> {
  const known = stored.find((turn) => turn.id === id);
  const turn = { ...newTurn(id, known?.question), number: known?.number, startedAt };
  return (await readTurnEvents(id)).reduce<TurnView>(
    (view, { n, ...event }) => ({ ...withEvent(view, event as TurnEvent, now), lastNumber: n }),
    turn,
  );
}

/** With the next frame, or soon where the page is hidden and draws none. */
function nextFrame(work: () => void): void {
  if (document.hidden) setTimeout(work, 100);
  else requestAnimationFrame(work);
}
