// The conversation: one turn at a time. What is written meanwhile is sent into the turn with the files that it names, and the turn takes it up
// before its next model request; what cannot be (a command), or comes after such a one, waits for the end, as does all that the turn did not take. After
// a turn that was cancelled or has failed, what waits is given back instead of being sent: it was written for another answer.
import type { AskRequest, Gateway } from '../../gateway/gateway.ts';
import { type Attachment, nameOf } from '../../pipeline/attachments.ts';
import type { AskResult } from '../../pipeline/events.ts';
import type { SteeringMessage } from '../../pipeline/steering.ts';
import type { ReadCommand } from './commands.ts';
import type { Entry, NewEntry } from './entries.ts';
import { shellCommandIn } from './shell-commands.ts';
import { NEW_TURN, type TurnView, withEvent } from './turn-view.ts';

export interface ConversationDependencies {
  ask: Gateway['ask'];
  /** How the next turn is asked. */
  request(): Promise<Omit<AskRequest, 'input' | 'attachments'>>;
  /** What goes with a text, and what to say about it; rejects with why it cannot be had. */
  attachments(text: string): Promise<{ attachments: Attachment[]; notices: readonly string[] }>;
  readCommand(text: string): ReadCommand | undefined;
  /** Runs a command that the person typed behind `!`; its output is theirs to show. */
  runShell(command: string, signal: AbortSignal): Promise<void>;
  /** The files that go with a text into a turn that runs; as `attachments`. */
  files(text: string): ReturnType<ConversationDependencies['attachments']>;
  /** Whether a text can join a turn that runs. */
  canSteer(text: string): boolean;
  /** Writes to a turn that runs; its `steered` event tells that it was taken up. */
  steer(turnId: string, message: SteeringMessage): void;
  add(entry: NewEntry): number;
  put(entry: Entry): void;
  remove(id: number): void;
  nextId(): number;
  /** A text that was not sent: back to where it was written. */
  giveBack(text: string): void;
  /** A turn has begun or ended, or something waits. */
  onChange(): void;
  onEnd(result: AskResult, tookMs: number): void;
  now(): number;
}

/** Waits for the turn's next model request, or for its end. */
export interface QueuedMessage {
  text: string;
  joinsTurn: boolean;
}

type Queued = QueuedMessage & { id: string };

export interface RunningTurn {
  view: TurnView;
  startedAt: number;
  isCancelling: boolean;
}

export interface Conversation {
  send(text: string): void;
  /** Sends it as a question of its own, once nothing runs. */
  sendLater(text: string): void;
  /** What is sent before this settles waits for it. */
  holdUntil(ready: Promise<void>): void;
  /** False when nothing is running. */
  cancel(): boolean;
  readonly turn: RunningTurn | undefined;
  /** Something is going on, a turn or a command. */
  readonly isBusy: boolean;
  readonly queued: readonly QueuedMessage[];
  /** Cards of calls that are running, out of the way and back. */
  hideRunning(): void;
  showRunning(): void;
  /** Cancels what runs, sends nothing more; resolves with what was not sent. */
  end(): Promise<string[]>;
}

export function createConversation(dependencies: ConversationDependencies): Conversation {
  const { ask, request, attachments, files, readCommand, runShell, canSteer, steer } = dependencies;
  const { add, put, remove, nextId, giveBack, onChange, onEnd, now } = dependencies;
  let turn: (RunningTurn & { control: AbortController; turnId?: string }) | undefined;
  let queued: Queued[] = [];
  let busy: Promise<void> | undefined;
  let shell: AbortController | undefined;
  let isOver = false;
  let isHeld = false;
  let joining: Promise<void> = Promise.resolve();

  function send(text: string): void {
    const command = readCommand(text);
    const mustWait = busy !== undefined || isHeld;
    // Until the chat is ready, not every command is known.
    if (command && ((command.command.isImmediate && !isHeld) || !mustWait))
      return void begin(runCommand(command, text), command.command.isImmediate);
    const shellCommand = shellCommandIn(text);
    const canJoin = turn !== undefined && !command && shellCommand === undefined && canSteer(text);
    if (mustWait) enqueue(text, canJoin);
    else begin(shellCommand === undefined ? runTurn(text) : runOwnCommand(shellCommand), false);
    onChange();
  }

  function enqueue(text: string, canJoin: boolean): void {
    const joinsTurn = canJoin && queued.every((each) => each.joinsTurn);
    const message = { id: String(nextId()), text, joinsTurn };
    queued.push(message);
    if (joinsTurn && turn?.turnId !== undefined) join(turn, turn.turnId, message);
  }

  /** In the order in which they were written, each with its files. A turn that has ended meanwhile leaves them to be asked. */
  function join(running: RunningTurn, turnId: string, message: Queued): void {
    const isStillWanted = (): boolean => turn === running && queued.includes(message);
    joining = joining.then(async () => {
      if (!isStillWanted()) return;
      try {
        const { attachments: attached, notices } = await files(message.text);
        if (!isStillWanted()) return;
        for (const text of notices) add({ kind: 'warning', text });
        steer(turnId, { id: message.id, text: message.text, attachments: attached });
      } catch (error) {
        if (!isStillWanted()) return;
        queued = queued.filter((each) => each !== message);
        add({ kind: 'failure', text: messageOf(error) });
        giveBack(message.text);
        onChange();
      }
    });
  }

  /** What was written before the turn had its id joins it too. */
  function nameTurn(running: NonNullable<typeof turn>, turnId: string): void {
    running.turnId = turnId;
    for (const message of queued) if (message.joinsTurn) join(running, turnId, message);
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
    if (!next) return;
    // No turn takes them any more: each is a question of its own now.
    queued = queued.map((each) => ({ ...each, joinsTurn: false }));
    send(next.text);
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

  async function runOwnCommand(command: string): Promise<void> {
    const control = new AbortController();
    shell = control;
    try {
      await runShell(command, control.signal);
    } finally {
      shell = undefined;
      if (control.signal.aborted) returnQueued();
    }
  }

  async function runTurn(input: string): Promise<void> {
    const control = new AbortController();
    const running: NonNullable<typeof turn> = { view: NEW_TURN, startedAt: now(), isCancelling: false, control };
    turn = running;
    let isWell = false;
    try {
      let attached: Awaited<ReturnType<typeof attachments>>;
      try {
        attached = await attachments(input);
      } catch (error) {
        add({ kind: 'failure', text: messageOf(error) });
        return giveBack(input);
      }
      add({ kind: 'user', text: input, attached: attached.attachments.map(nameOf) });
      for (const text of attached.notices) add({ kind: 'warning', text });
      const events = await ask({ ...(await request()), input, attachments: attached.attachments }, control.signal);
      for await (const event of events) {
        if (event.type === 'run-start') nameTurn(running, event.turnId);
        if (event.type === 'steered') queued = queued.filter(({ id }) => id !== event.message.id);
        const before = running.view;
        running.view = withEvent(before, event, nextId);
        show(before.entries, running.view.entries);
      }
      const { result } = running.view;
      isWell = result?.success ?? false;
      if (result) onEnd(result, now() - running.startedAt);
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
    giveBack(texts.map(({ text }) => text).join('\n'));
  }

  const runningCards = (): Entry[] =>
    (turn?.view.entries ?? []).filter((entry) => entry.kind === 'tool' && entry.end.state === 'running');

  function cancel(): boolean {
    if (shell) {
      shell.abort();
      return true;
    }
    if (!turn || turn.isCancelling) return turn !== undefined;
    turn.isCancelling = true;
    turn.control.abort();
    onChange();
    return true;
  }

  return {
    send,
    sendLater(text) {
      if (busy === undefined && !isHeld) return send(text);
      enqueue(text, false);
      onChange();
    },
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
      return queued.map(({ text }) => text);
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
