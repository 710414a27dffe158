// Exporting: a conversation as the text of a document, piece by piece, so that its length does not matter. What a format
// looks like is the exporter's; which turns are in it is decided here.
import type { HistoryItem } from '../history.ts';

/** Line numbers are kept up to here; beyond, they are only counted. */
const DAMAGED_LINES_NAMED = 1_000;

export interface ExportedSession {
  sessionKey: string;
  sessionId: string;
  createdAt?: string;
  isCurrent: boolean;
}

export interface Damage {
  count: number;
  /** The first of them. */
  lines: number[];
}

/** What is in a document. A compaction comes with its summary, when the session's memory still has it. */
export type ExportItem = Exclude<HistoryItem, { kind: 'damaged' }> & { summary?: string };

/** One document. Its pieces in the order of the calls are the whole of it. */
export interface Exporter {
  begin(): string;
  beginSession(session: ExportedSession): string;
  item(item: ExportItem): string;
  endSession(damage: Damage): string;
  end(): string;
}

export interface Selection {
  /** Only turns that began at this moment or later. */
  since?: number;
  /** Only the newest turns, of each session. */
  last?: number;
}

export interface ExportOptions {
  sessions: readonly ExportedSession[];
  exporter: Exporter;
  selection: Selection;
  history(sessionId: string): AsyncIterable<HistoryItem>;
  summaries(session: ExportedSession): Promise<ReadonlyMap<number, string>>;
  signal: AbortSignal;
}

export interface ExportedCounts {
  turns: number;
  messages: number;
  damage: ({ sessionId: string } & Damage)[];
}

export async function* exportSessions(options: ExportOptions): AsyncGenerator<string, ExportedCounts> {
  const { sessions, exporter, signal } = options;
  const counts: ExportedCounts = { turns: 0, messages: 0, damage: [] };
  yield exporter.begin();
  for (const session of sessions) {
    yield exporter.beginSession(session);
    const damage: Damage = { count: 0, lines: [] };
    for await (const item of selected(session, options, damage)) {
      signal.throwIfAborted();
      if (item.kind === 'turn') {
        counts.turns += 1;
        counts.messages += item.turn.messages.length;
      }
      yield exporter.item(item);
    }
    if (damage.count > 0) counts.damage.push({ sessionId: session.sessionId, ...damage });
    yield exporter.endSession(damage);
  }
  yield exporter.end();
  return counts;
}

/** What lies between the turns that are left out is left out with them. */
async function* selected(session: ExportedSession, options: ExportOptions, damage: Damage): AsyncGenerator<ExportItem> {
  const { history, summaries, selection } = options;
  const { since, last } = selection;
  const skipped = last === undefined ? 0 : Math.max(0, (await turnsIn(history(session.sessionId), since)) - last);
  let known: ReadonlyMap<number, string> | undefined;
  let seen = 0;
  let isTold = since === undefined && skipped === 0;
  for await (const told of history(session.sessionId)) {
    if (told.kind === 'damaged') {
      damage.count += 1;
      if (damage.lines.length < DAMAGED_LINES_NAMED) damage.lines.push(told.line);
      continue;
    }
    if (told.kind === 'turn' && isSince(told, since)) {
      seen += 1;
      isTold = seen > skipped;
    } else if (told.kind === 'turn') {
      isTold = false;
    }
    if (!isTold) continue;
    if (told.kind !== 'compaction') {
      yield told;
      continue;
    }
    known ??= await summaries(session);
    const summary = known.get(told.compactedMessageCount);
    yield summary === undefined ? told : { ...told, summary };
  }
}

async function turnsIn(told: AsyncIterable<HistoryItem>, since: number | undefined): Promise<number> {
  let count = 0;
  for await (const item of told) if (item.kind === 'turn' && isSince(item, since)) count += 1;
  return count;
}

function isSince({ turn }: Extract<HistoryItem, { kind: 'turn' }>, since: number | undefined): boolean {
  if (since === undefined) return true;
  const began = Date.parse(turn.startedAt ?? turn.messages[0]?.timestamp ?? '');
  return began >= since;
}
