// The conversation: one turn at a time, and what was sent meanwhile waits in order. After a turn that was cancelled or has failed,
// what waits is given back instead of being sent: it was written for another answer.
import type { AskRequest, Gateway } from '../../gateway/gateway.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { AskResult } from '../../pipeline/events.ts';
import type { ReadCommand } from './commands.ts';
import type { Entry, NewEntry } from './entries.ts';
import { NEW_TURN, type TurnView, withEvent } from './turn-view.ts';

export interface ConversationDependencies {
  ask: Gateway['ask'];
  /** How the next turn is asked. */
  request(): Promise<Omit<AskRequest, 'input' | 'attachments'>>;
  /** What a text names; rejects with why it cannot be had. */
  attachments(text: string): Promise<Attachment[]>;
  readCommand(text: string): ReadCommand | undefined;
  add(entry: NewEntry): number;
  put(entry: Entry): void;
  remove(id: number): void;
  nextId(): number;
  /** A text that was not sent: back to where it was written. */
  giveBack(text: string): void;
  /** A turn has begun or ended, or something waits. */
  onChange(): void;
  onEnd(result: AskResult): void;
  now(): number;
}

export interface RunningTurn {
  view: TurnView;
  startedAt: number;
  isCancelling: boolean;
}

export interface Conversation {
  send(text: string): void;
  /** What is sent before this settles waits for it. */
  holdUntil(ready: Promise<void>): void;
  /** False when nothing is running. */
  cancel(): boolean;
  readonly turn: RunningTurn | undefined;
  /** Something is going on, a turn or a command. */
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  /** Cards of calls that are running, out of the way and back. */
  hideRunning(): void;
  showRunning(): void;
  /** Cancels what runs, sends nothing more; resolves with what was not sent. */
  end(): Promise<string[]>;
}

export function createConversation(dependencies: ConversationDependencies): Conversation {
  const { ask, request, attachments, readCommand, add, put, remove, nextId, giveBack, onChange, onEnd, now } =
    dependencies;
  let turn: (RunningTurn & { control: AbortController }) | undefined;
  let queued: string[] = [];
  let busy: Promise<void> | undefined;
  let isOver = false;
  let isHeld = false;

  function send(text: string): void {
    const command = readCommand(text);
    const mustWait = busy !== undefined || isHeld;
    if (command && (command.command.isImmediate || !mustWait))
      return void begin(runCommand(command, text), command.command.isImmediate);
    if (mustWait) queued.push(text);
    else begin(runTurn(text), false);
    onChange();
  }

  /** Work that others wait for, unless it is done beside a turn. */
  function begin(work: Promise<void>, isBeside: boolean): void {
    if (isBeside && busy) return;
    busy = work.finally(() => {
      busy = undefined;
      onChange();
      sendNext();
    });
    onChange();
  }

  function sendNext(): void {
    const next = isOver || isHeld || busy ? undefined : queued.shift();
    if (next !== undefined) send(next);
  }

  async function runCommand({ command, argument }: ReadCommand, text: string): Promise<void> {
    add({ kind: 'user', text, attached: [] });
    try {
      const reply = await command.run(argument);
      if (reply !== undefined) add({ kind: 'reply', text: reply });
    } catch (error) {
      if (!isOver) add({ kind: 'failure', text: `/${command.name} failed: ${messageOf(error)}` });
    }
  }

  async function runTurn(input: string): Promise<void> {
    const control = new AbortController();
    const running = { view: NEW_TURN, startedAt: now(), isCancelling: false, control };
    turn = running;
    let isWell = false;
    try {
      let attached: Attachment[];
      try {
        attached = await attachments(input);
      } catch (error) {
        add({ kind: 'failure', text: messageOf(error) });
        return giveBack(input);
      }
      add({ kind: 'user', text: input, attached: attached.map(({ name }) => name) });
      const events = await ask({ ...(await request()), input, attachments: attached }, control.signal);
      for await (const event of events) {
        const before = running.view;
        running.view = withEvent(before, event, nextId);
        show(before.entries, running.view.entries);
      }
      const { result } = running.view;
      isWell = result?.success ?? false;
      if (result) onEnd(result);
    } catch (error) {
      if (!control.signal.aborted) add({ kind: 'failure', text: messageOf(error) });
    } finally {
      turn = undefined;
      if (!isWell) returnQueued();
    }
  }

  function show(before: readonly Entry[], after: readonly Entry[]): void {
    if (before === after) return;
    const kept = new Set(after.map(({ id }) => id));
    const known = new Set(before);
    for (const { id } of before) if (!kept.has(id)) remove(id);
    for (const entry of after) if (!known.has(entry)) put(entry);
  }

  function returnQueued(): void {
    if (isOver || queued.length === 0) return;
    const texts = queued;
    queued = [];
    giveBack(texts.join('\n'));
  }

  const runningCards = (): Entry[] =>
    (turn?.view.entries ?? []).filter((entry) => entry.kind === 'tool' && entry.end.state === 'running');

  function cancel(): boolean {
    if (!turn || turn.isCancelling) return turn !== undefined;
    turn.isCancelling = true;
    turn.control.abort();
    onChange();
    return true;
  }

  return {
    send,
    holdUntil(ready) {
      isHeld = true;
      const release = (): void => {
        isHeld = false;
        sendNext();
      };
      ready.then(release, release);
    },
    cancel,
    get turn() {
      return turn;
    },
    get isBusy() {
      return busy !== undefined;
    },
    get queued() {
      return queued;
    },
    hideRunning() {
      for (const { id } of runningCards()) remove(id);
    },
    showRunning() {
      for (const entry of runningCards()) put(entry);
    },
    async end() {
      isOver = true;
      cancel();
      await busy;
      return queued;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
