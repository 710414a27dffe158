// JSON for programs: one value, written turn by turn; or a line for each message, call, end of a turn and summary.
// docs/sessions.md describes both. Fields are added, never renamed; otherwise the version changes.
import { type HistoryCall, type HistoryStep, type HistoryTurn, wasSteered } from '../history.ts';
import type { ExportedSession, Exporter, ExportItem } from './exporter.ts';

export const EXPORT_VERSION = 1;

export function createJsonExporter(head: { exportedAt: string; sessionKey: string }): Exporter {
  let sessions = 0;
  let items = 0;
  const comma = (count: number): string => (count > 1 ? ',' : '');
  return {
    begin: () => `${opened({ version: EXPORT_VERSION, ...head })},"sessions":[`,
    beginSession(session) {
      sessions += 1;
      items = 0;
      return `${comma(sessions)}\n${opened({ ...session })},"entries":[`;
    },
    item(item) {
      items += 1;
      return `${comma(items)}\n${JSON.stringify(entryOf(item))}`;
    },
    endSession: ({ count, lines }) => `\n],"damagedLineCount":${count},"damagedLines":${JSON.stringify(lines)}}`,
    end: () => '\n]}\n',
  };
}

/** An object with more to come. */
function opened(value: Record<string, unknown>): string {
  return JSON.stringify(value).slice(0, -1);
}

function entryOf(item: ExportItem): Record<string, unknown> {
  if (item.kind !== 'turn') return asEntry(item);
  const { number, messages, calls, steps, ...facts } = item.turn;
  const said = wordsBetween(steps);
  return {
    type: 'turn',
    turn: number,
    ...facts,
    messages,
    toolCalls: calls.map(flatCall),
    ...(said.length > 0 && { said }),
  };
}

/** A `summary` is one of the session's memory; the other kind took the place of older messages for the model. */
const ENTRY_TYPES = { compaction: 'summary', summary: 'history-summary', repair: 'repair' } as const;

function asEntry({ kind, ...facts }: Exclude<ExportItem, { kind: 'turn' }>): Record<string, unknown> {
  return { type: ENTRY_TYPES[kind], ...facts };
}

/** What the model said beside its calls, each with the ids of the calls it came with. */
function wordsBetween(steps: readonly HistoryStep[]): { text: string; callIds: string[] }[] {
  return steps.flatMap(({ text, calls }) => (text === '' ? [] : [{ text, callIds: calls.map(({ call }) => call.id) }]));
}

function flatCall({ call, effect, timestamp, granted, result }: HistoryCall): Record<string, unknown> {
  return { ...call, effect, timestamp, ...(granted && { granted }), result: result ?? null };
}

export function createJsonLinesExporter(): Exporter {
  let about: Pick<ExportedSession, 'sessionKey' | 'sessionId'> = { sessionKey: '', sessionId: '' };
  const line = (type: string, facts: Record<string, unknown>): string =>
    `${JSON.stringify({ type, ...about, ...facts })}\n`;
  return {
    begin: () => '',
    beginSession({ sessionKey, sessionId, createdAt, isCurrent }) {
      about = { sessionKey, sessionId };
      return line('session', { version: EXPORT_VERSION, createdAt, isCurrent });
    },
    item(item) {
      if (item.kind === 'turn') return turnLines(item.turn, line);
      const { type, ...facts } = asEntry(item);
      return line(String(type), facts);
    },
    endSession: ({ count, lines }) =>
      count > 0 ? line('damage', { damagedLineCount: count, damagedLines: lines }) : '',
    end: () => '',
  };
}

/** In the order of the turn: the question, the calls, what was left of them, the answer, the end. */
function turnLines(turn: HistoryTurn, line: (type: string, facts: Record<string, unknown>) => string): string {
  const { number, steps, turnId, startedAt, endedAt, outcome, model, error, usage } = turn;
  const of = { turn: number, turnId };
  const messages = turn.messages.filter((message) => !wasSteered(turn, message));
  const question = messages.findIndex(({ role }) => role === 'user') + 1;
  const said = (message: HistoryTurn['messages'][number]): string => line('message', { ...of, ...message });
  return [
    ...messages.slice(0, question).map(said),
    ...steps.flatMap(({ text, calls, steered = [] }) => [
      ...(text === '' ? [] : [line('said', { ...of, text })]),
      ...calls.map((call) => line('tool-call', { ...of, ...flatCall(call) })),
      ...steered.map(said),
    ]),
    ...messages.slice(question).map(said),
    ...(turnId === undefined ? [] : [line('turn-end', { ...of, startedAt, endedAt, outcome, model, error, usage })]),
  ].join('');
}
