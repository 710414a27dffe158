// One turn of a session, from the user's message to the answer. What is appended becomes durable at three points: before
// a call that has an effect, whenever the caller checkpoints, and at the end, before the answer is shown.
import type { Lock } from '../storage/locks.ts';
import type { SessionEntry, Transcript, TranscriptLine } from '../storage/storage.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import type { RecalledItem } from '../vocabulary/recalled.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import type { HistoryPicture, HistoryTurn } from './history.ts';
import {
  asSessionLine,
  type HistorySummaryLine,
  type JournalledCall,
  type JournalledContext,
  type JournalledPermission,
  type SessionLine,
  type SessionMessage,
  STEERING,
  type SummaryRefusedLine,
  type TurnOutcome,
} from './lines.ts';
import { titleFrom } from './title.ts';
import { toolContext, unfinishedCall } from './tool-context.ts';

export interface TurnDependencies {
  entry: SessionEntry;
  history: TurnHistory;
  taintedBy: readonly TaintSource[];
  messageCount: number;
  turnId?: string;
  origin?: string;
  transcript: Transcript;
  /** Enters the session in the index; durable when it resolves. */
  enter(entry: SessionEntry): Promise<void>;
  /** Of a session that the index does not know: enters it, without waiting for the disk. */
  announce?(entry: SessionEntry): Promise<void>;
  lock: Lock;
  now(): number;
  newId(prefix: string): string;
}

/** The conversation before a turn. */
export interface TurnHistory {
  /** What replaces everything before `turns`. */
  summary?: HistorySummaryLine;
  /** A later summary could not be used. */
  refusal?: SummaryRefusedLine;
  /** Oldest first. */
  turns: readonly HistoryTurn[];
  /** Older messages exist that are neither in `turns` nor in the summary: too many to be read. */
  hasOlder: boolean;
}

/** An answer of the model that calls tools. */
export interface ModelStep {
  text: string;
  native?: unknown;
  context?: JournalledContext;
}

export interface EndedCall {
  callId: string;
  ok: boolean;
  text: string;
  error?: unknown;
  meta?: unknown;
  /** Where its pictures are kept: paths, never their content. */
  pictures?: unknown;
}

export interface TurnEnd {
  outcome: TurnOutcome;
  /** The answer, when there is one. */
  text?: string;
  /** Who gave it, when it was not the one the session is with. */
  answeredBy?: { provider: string; profileId?: string };
  /** The model that gave it, where its name is known. */
  model?: string;
  route: string;
  stage: string;
  error?: { code: string; message: string };
  usage?: unknown;
  context?: JournalledContext;
  /** Where content from outside came from that became part of the conversation. */
  taintedBy?: readonly TaintSource[];
}

export interface Turn {
  readonly id: string;
  readonly entry: SessionEntry;
  /** Where content from outside in that conversation came from. */
  readonly taintedBy: readonly TaintSource[];
  readonly history: TurnHistory;
  /** The session's lock. Once it is lost, nothing more of this turn is journalled: every write rejects. */
  readonly lock: Omit<Lock, 'release'>;
  /**
   * Journals the user's message and enters the session in the index. `taintedBy`: where it came from, when that is outside. `continues`: there is no
   * message; the turn of this id is continued where it stopped. `scope`: whose memory it has, the owner's by default.
   */
  start(
    input: string,
    options?: { taintedBy?: readonly TaintSource[]; continues?: string; scope?: MemoryScope },
  ): Promise<void>;
  /** Journals where the pictures that came with the question are kept. */
  attached(pictures: readonly HistoryPicture[]): Promise<void>;
  /** Journals what was recalled for the question. */
  recalled(recall: { items: readonly RecalledItem[]; tokens: number }): Promise<void>;
  /** Journals an answer that calls tools, before the first of its calls starts. */
  stepAnswered(step: ModelStep): Promise<void>;
  /** Resolves before the call may run: durable when it has an effect. */
  callStarts(call: JournalledCall, effect: string): Promise<void>;
  /** A person is about to be asked about the call. */
  permissionAsked(call: JournalledCall): Promise<void>;
  /** A person allowed the call; durable when it resolves, so before the call runs. */
  callPermitted(call: JournalledCall, granted: JournalledPermission): Promise<void>;
  callEnded(ended: EndedCall): Promise<void>;
  /** Journals what a person wrote to the turn while it ran, and what came with it; durable when it resolves. */
  steered(
    text: string,
    more?: { attached: readonly string[]; pictures: readonly HistoryPicture[]; origin?: string },
  ): Promise<void>;
  /** Something besides tool results that later turns should know. */
  addContext(text: string): void;
  /** Begins to make what is journalled so far durable; the next effect and the end wait for it. */
  checkpoint(): void;
  /** Resolves only after everything, the answer included, is durable. Returns whether tool results became context. */
  end(end: TurnEnd): Promise<{ sessionContextUpdated: boolean }>;
  /** The messages of this turn so far. */
  ownMessages(): readonly SessionMessage[];
  /** Messages in the whole transcript so far. */
  messageCount(): number;
  /** The newest messages, this turn's included, oldest first. */
  newestMessages(count: number): Promise<SessionMessage[]>;
  /** Everything up to this message is summarised; durable when it resolves. */
  recordCompaction(compactedMessageCount: number): Promise<void>;
  /** The model sees this summary in place of the messages it covers, from the next turn on; durable when it resolves. */
  recordSummary(summary: Omit<HistorySummaryLine, 'type' | 'timestamp'>): Promise<void>;
  /** A summary could not be used; later turns wait before they ask for another. */
  recordRefusal(refusal: Omit<SummaryRefusedLine, 'type' | 'timestamp'>): Promise<void>;
  /** Lets the next turn begin. */
  close(): Promise<void>;
}

export function createTurn(dependencies: TurnDependencies): Turn {
  const { origin, transcript, enter, lock, now, newId } = dependencies;
  const { turnId = newId('turn') } = dependencies;
  const entry: SessionEntry = { ...dependencies.entry };
  const calls: { call: JournalledCall; effect: string }[] = [];
  // In order of ending: small servers give several calls one id.
  const ended: { callId: string; text: string }[] = [];
  const contexts: string[] = [];
  const own: SessionMessage[] = [];
  let messageCount = dependencies.messageCount;
  // Both run beside the model's thinking; the next await reports a failure.
  let indexed: Promise<void> = Promise.resolve();
  let synced: Promise<void> = Promise.resolve();

  const timestamp = (): string => new Date(now()).toISOString();
  const append = async (...lines: SessionLine[]): Promise<void> => {
    lock.lost.throwIfAborted();
    await transcript.append(lines as unknown as TranscriptLine[]);
  };
  const message = (
    role: SessionMessage['role'],
    idPrefix: string,
    content: string,
    route: string,
    stage: string,
    by: { provider?: string; profileId?: string; model?: string } = entry,
  ): Extract<SessionLine, { type: 'message' }> => {
    messageCount += 1;
    const { provider, profileId, model } = by;
    const written: SessionMessage = {
      id: newId(idPrefix),
      role,
      timestamp: timestamp(),
      content,
      route,
      stage,
      ...(provider && { provider }),
      ...(profileId && { profileId }),
      ...(model && { model }),
    };
    own.push(written);
    return { type: 'message', message: written };
  };

  return {
    id: turnId,
    entry,
    taintedBy: dependencies.taintedBy,
    history: dependencies.history,
    lock,

    async start(input, { taintedBy = [], continues, scope = 'owner' } = {}) {
      const title = entry.title ?? titleFrom(firstQuestion(dependencies.history) ?? input);
      if (title !== undefined) entry.title = title;
      const { sessionKey: _key, sessionId: _id, createdAt: _created, ...state } = entry;
      const asked = continues === undefined ? [message('user', 'msg-user', input, entry.route ?? '', 'input')] : [];
      const start = {
        type: 'turn-start' as const,
        turnId,
        timestamp: timestamp(),
        entry: state,
        ...(origin !== undefined && { origin }),
        ...(taintedBy.length > 0 && { tainted: true as const, taintedBy }),
        ...(scope !== 'owner' && { scope }),
        ...(continues !== undefined && { continues }),
      };
      // Before the question is on record: a process that is killed here leaves no question that nobody finds.
      await dependencies.announce?.(entry);
      await append(start, ...asked);
      // The index is written while the model thinks; `end` waits for it.
      indexed = enter(entry);
      indexed.catch(() => {});
    },

    attached: (pictures) => append({ type: 'attached', turnId, pictures }),

    recalled: ({ items, tokens }) => append({ type: 'recall', turnId, timestamp: timestamp(), items, tokens }),

    async stepAnswered({ text, native, context }) {
      const step = { type: 'model-step' as const, turnId, timestamp: timestamp(), text };
      await append({ ...step, ...(native !== undefined && { native }), ...(context && { context }) });
    },

    async callStarts(call, effect) {
      calls.push({ call, effect });
      await append({ type: 'tool-call', turnId, timestamp: timestamp(), call, effect });
      if (effect === 'read') return;
      await Promise.all([indexed, synced]);
      await transcript.sync();
    },

    permissionAsked: ({ id: callId }) => append({ type: 'permission-asked', turnId, timestamp: timestamp(), callId }),

    async callPermitted({ id: callId }, granted) {
      await append({ type: 'permission', turnId, timestamp: timestamp(), callId, granted });
      await transcript.sync();
    },

    async steered(text, { attached, pictures, origin } = { attached: [], pictures: [] }) {
      const line = message('user', 'msg-user', text, entry.route ?? '', STEERING);
      if (attached.length > 0) line.message.attached = attached;
      if (pictures.length > 0) line.message.pictures = pictures;
      if (origin !== undefined) line.message.origin = origin;
      await append(line);
      await synced;
      await transcript.sync();
    },

    addContext: (text) => void contexts.push(text),

    checkpoint() {
      synced = synced.then(() => transcript.sync());
      synced.catch(() => {});
    },

    async callEnded({ callId, ok, text, error, meta, pictures }) {
      ended.push({ callId, text });
      await append({
        type: 'tool-result',
        turnId,
        callId,
        ok,
        text,
        ...(error !== undefined && { error }),
        ...(meta !== undefined && { meta }),
        ...(pictures !== undefined && { pictures }),
      });
    },

    async end({ outcome, text, answeredBy, model, route, stage, error, usage, context, taintedBy = [] }) {
      const lines: SessionLine[] = [];
      const pairs = calls.map(({ call, effect }) => {
        const at = ended.findIndex(({ callId }) => callId === call.id);
        const [found] = at < 0 ? [] : ended.splice(at, 1);
        return { call, text: found?.text ?? unfinishedCall(effect) };
      });
      if (pairs.length > 0) contexts.push(toolContext(pairs));
      if (contexts.length > 0) lines.push(message('system', 'msg-tool-context', contexts.join('\n\n'), route, 'tools'));
      if (text !== undefined)
        lines.push(message('assistant', 'msg-assistant', text, route, stage, { ...(answeredBy ?? entry), model }));
      lines.push({
        type: 'turn-end',
        turnId,
        timestamp: timestamp(),
        outcome,
        messageCount,
        ...(error && { error }),
        ...(usage !== undefined && { usage }),
        ...(context && { context }),
        ...(model && { model }),
        ...(taintedBy.length > 0 && { tainted: true as const, taintedBy }),
      });
      await synced;
      lock.lost.throwIfAborted();
      await Promise.all([transcript.append(lines as unknown as TranscriptLine[], { thenSync: true }), indexed]);
      return { sessionContextUpdated: contexts.length > 0 };
    },

    ownMessages: () => own,
    messageCount: () => messageCount,

    async newestMessages(count) {
      const newest: SessionMessage[] = [];
      for await (const raw of transcript.newestFirst()) {
        const line = asSessionLine(raw);
        if (line?.type === 'message') newest.push(line.message);
        if (newest.length >= count) break;
      }
      return newest.reverse();
    },

    async recordCompaction(compactedMessageCount) {
      await append({ type: 'compaction', timestamp: timestamp(), compactedMessageCount });
      await transcript.sync();
      await enter({ ...entry, compactedMessageCount });
    },

    async recordSummary(summary) {
      await append({ type: 'history-summary', timestamp: timestamp(), ...summary });
      await transcript.sync();
    },

    recordRefusal: (refusal) => append({ type: 'summary-refused', timestamp: timestamp(), ...refusal }),

    async close() {
      await Promise.allSettled([indexed, synced]);
      try {
        await transcript.close();
      } finally {
        await lock.release();
      }
    },
  };
}

/** Of what is read of the conversation before this turn. */
function firstQuestion({ turns }: TurnHistory): string | undefined {
  for (const { messages } of turns) {
    const asked = messages.find(({ role }) => role === 'user');
    if (asked) return asked.content;
  }
  return undefined;
}
