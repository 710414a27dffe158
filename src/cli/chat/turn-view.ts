// A turn as it is shown: its events, one by one, become entries. Pure, so that tests can know what is on the screen without one.
import { type AskResult, CALLED_BY_HAND, type RunEvent } from '../../pipeline/events.ts';
import { checklistOf } from '../../tools/checklist.ts';
import { describeRecalled } from '../../vocabulary/recalled.ts';
import { withThought } from '../folded-thought.ts';
import type { Entry, NewEntry, ThoughtEntry, ToolEntry } from './entries.ts';

/** Of what a running call shows, the end is kept. */
const OUTPUT_KEPT = 8_000;
/** Of what the model thinks in one go, the end is kept. */
const THOUGHT_KEPT = 20_000;
const AGAIN = '↻ ';

export type Activity =
  /** `thought`: the end of what the model has thought so far, when its thinking is sent. */
  | { kind: 'thinking'; thought?: string }
  /** For another turn of the session. */
  | { kind: 'waiting' }
  | { kind: 'writing' }
  | { kind: 'calling'; names: readonly string[] };

export interface TurnView {
  readonly entries: readonly Entry[];
  readonly activity: Activity;
  readonly result: AskResult | undefined;
}

export const NEW_TURN: TurnView = { entries: [], activity: { kind: 'thinking' }, result: undefined };

/** `nextId` names a new entry. */
export function withEvent(before: TurnView, event: RunEvent, nextId: () => number): TurnView {
  const view = ENDS_THOUGHT.has(event.type) ? withoutOpenThought(before, event.type === 'text-restart') : before;
  const { entries } = view;
  const added = (entry: NewEntry): Entry[] => [...entries, { ...entry, id: nextId() } as Entry];
  switch (event.type) {
    case 'run-start':
      return { ...view, activity: { kind: 'thinking' } };
    case 'waiting':
      return {
        ...view,
        activity: { kind: 'waiting' },
        entries: added({ kind: 'notice', text: 'another turn of this session is running; waiting for it' }),
      };
    case 'notice':
      return { ...view, entries: added({ kind: 'notice', text: event.text }) };
    case 'recalled':
      return { ...view, entries: added({ kind: 'notice', text: `recalled ${describeRecalled(event.items)}` }) };
    case 'text-delta': {
      const open = openAnswer(entries);
      const activity: Activity = { kind: 'writing' };
      if (!open) return { ...view, activity, entries: added({ kind: 'answer', text: event.text, isPlain: false }) };
      return { ...view, activity, entries: replaced(entries, { ...open, text: open.text + event.text }) };
    }
    case 'text-restart': {
      const void_ = openAnswer(entries);
      const kept = void_ ? entries.filter((entry) => entry !== void_) : entries;
      const last = kept.at(-1);
      // Asked again and again: one line that changes.
      const rest = last?.kind === 'notice' && last.text.startsWith(AGAIN) ? kept.slice(0, -1) : kept;
      const text = `${AGAIN}${event.reason}; asking again in ${Math.ceil(event.waitMs / 1000)} s`;
      return { ...view, activity: { kind: 'thinking' }, entries: [...rest, { kind: 'notice', text, id: nextId() }] };
    }
    case 'tool-start':
      return calling({
        ...view,
        entries: added({ kind: 'tool', call: event.call, output: '', end: { state: 'running' } }),
      });
    case 'tool-output':
      return changedCall(view, event.call.id, (entry) => ({
        ...entry,
        output: (entry.output + event.text).slice(-OUTPUT_KEPT),
      }));
    case 'tool-end': {
      const current = checklistOf(event.result) ? withoutChecklist(view) : view;
      return calling(
        changedCall(current, event.call.id, (entry) => ({ ...entry, end: { state: 'ended', result: event.result } })),
      );
    }
    case 'steered':
      return {
        ...view,
        entries: added({ kind: 'user', text: event.message.text, attached: event.message.attached ?? [] }),
      };
    case 'thinking-delta': {
      const sofar = view.activity.kind === 'thinking' ? view.activity.thought : undefined;
      const activity: Activity = { kind: 'thinking', thought: withThought(sofar ?? '', event.text) };
      const open = openThought(entries);
      if (!open) return { ...view, activity, entries: added({ kind: 'thought', text: event.text, isOver: false }) };
      const text = (open.text + event.text).slice(-THOUGHT_KEPT);
      return { ...view, activity, entries: replaced(entries, { ...open, text }) };
    }
    // What the model says shows its work; whatever asks a question shows it.
    case 'model-start':
    case 'model-end':
    // What waits is listed beside the input.
    case 'steer-waiting':
    case 'steer-withdrawn':
    case 'permission-request':
    case 'permission-resolved':
    case 'form-request':
    case 'form-resolved':
      return view;
    case 'run-end':
      return { ...ended(view, event.result, nextId), result: event.result };
  }
}

const ENDS_THOUGHT: ReadonlySet<RunEvent['type']> = new Set([
  'text-delta',
  'text-restart',
  'tool-start',
  'model-end',
  'run-end',
]);

function openThought(entries: readonly Entry[]): ThoughtEntry | undefined {
  const last = entries.findLast(({ kind }) => kind === 'thought');
  return last?.kind === 'thought' && !last.isOver ? last : undefined;
}

/** It is over, or void with the answer that it was for. */
function withoutOpenThought(view: TurnView, isVoid: boolean): TurnView {
  const open = openThought(view.entries);
  if (!open) return view;
  const entries = isVoid
    ? view.entries.filter((entry) => entry !== open)
    : replaced(view.entries, { ...open, isOver: true });
  return { ...view, entries };
}

/** A newer checklist takes the place of the one before it. */
function withoutChecklist(view: TurnView): TurnView {
  const isChecklist = (entry: Entry): boolean =>
    entry.kind === 'tool' && entry.end.state === 'ended' && checklistOf(entry.end.result) !== undefined;
  return { ...view, entries: view.entries.filter((entry) => !isChecklist(entry)) };
}

/** The answer that text is still added to: nothing was called since. */
function openAnswer(entries: readonly Entry[]): Extract<Entry, { kind: 'answer' }> | undefined {
  const last = entries.findLast(({ kind }) => kind === 'answer' || kind === 'tool');
  return last?.kind === 'answer' ? last : undefined;
}

function changedCall(view: TurnView, callId: string, change: (entry: ToolEntry) => ToolEntry): TurnView {
  const entry = view.entries.findLast((each): each is ToolEntry => each.kind === 'tool' && each.call.id === callId);
  return entry ? { ...view, entries: replaced(view.entries, change(entry)) } : view;
}

function calling(view: TurnView): TurnView {
  const running = view.entries.filter((entry) => entry.kind === 'tool' && entry.end.state === 'running');
  const names = running.flatMap((entry) => (entry.kind === 'tool' ? [entry.call.name] : []));
  return { ...view, activity: names.length > 0 ? { kind: 'calling', names } : { kind: 'thinking' } };
}

function replaced(entries: readonly Entry[], entry: Entry): Entry[] {
  return entries.map((each) => (each.id === entry.id ? entry : each));
}

/** What the result says that was not streamed, and how the turn ended where that is not by an answer. */
function ended(view: TurnView, result: AskResult, nextId: () => number): TurnView {
  let entries = view.entries.map((entry) =>
    entry.kind === 'tool' && entry.end.state === 'running' ? { ...entry, end: { state: 'cut-short' as const } } : entry,
  );
  const add = (entry: NewEntry): void => {
    entries = [...entries, { ...entry, id: nextId() } as Entry];
  };
  // A limit repeats the last text as the result.
  const streamed = entries.findLast((entry) => entry.kind === 'answer');
  if (streamed && result.result.startsWith(streamed.text)) {
    if (openAnswer(entries)) entries = replaced(entries, { ...streamed, text: result.result });
    else if (result.result.length > streamed.text.length)
      add({ kind: 'answer', text: result.result.slice(streamed.text.length).trimStart(), isPlain: false });
  } else if (result.result !== '') {
    add({ kind: 'answer', text: result.result, isPlain: result.route === CALLED_BY_HAND });
  }
  if (!result.success && result.stage === 'cancelled') add({ kind: 'notice', text: '⏹ cancelled' });
  else if (!result.success) add({ kind: 'failure', text: `${result.error.code}: ${result.error.message}` });
  else if (result.toolError && result.stage !== 'answered') add({ kind: 'warning', text: result.toolError.message });
  return { ...view, entries };
}
