// A turn of a chat: its messages are marked as begun, the model is asked, and the answer goes into the outbox in the same
// moment as the messages are done with. A turn that had begun before is taken up from the transcript, never asked twice
// once it had an effect. What is written meanwhile can join it (`steering.ts`). A turn that is cancelled by the shutdown stays where it is, for the next process.

import type { Channel, SentMessage } from '../../channels/channel.ts';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import { StorageError } from '../../storage/storage.ts';
import { createTurnMode } from '../../tools/permissions/mode.ts';
import type { KeptPicture, OpenKept } from '../../tools/pictures.ts';
import { readerOf } from '../../vocabulary/asker.ts';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import { chatName } from '../../vocabulary/chat-name.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Gateway } from '../gateway.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import { askerOf } from './asker-of.ts';
import type { BotSettings, ChatLimits, ChatLog, ChatMessage, FindChannel } from './chat.ts';
import { nameOf } from './chat.ts';
import type { ChatQuestions } from './chat-questions.ts';
import { type ChatChoices, type ChoicesStore, turnSettings } from './choices.ts';
import { isContinue, withLimitNote } from './continuing.ts';
import type { Delivery } from './delivery.ts';
import type { Inbox } from './inbox.ts';
import { takeFiles } from './incoming-files.ts';
import { inputOf } from './input-of.ts';
import { failure, type Taken, takeUp } from './interrupted.ts';
import type { Batch } from './lanes.ts';
import { modeOfOthers } from './mode-of-others.ts';
import { draftsOf } from './outgoing.ts';
import { pictureDrafts, picturesForPerson, withPicturesNote } from './pictures.ts';
import { createProgress, type Progress } from './progress.ts';
import { sessionKeyOf } from './session-key-of.ts';
import { createShowQuestion } from './show-question.ts';
import { type ChatSteering, createChatSteering } from './steering.ts';
import type { Transcribe } from './transcribe.ts';
import type { WaitingMessages } from './waiting-messages.ts';

export interface TurnsDependencies {
  mailbox: Pick<Mailbox, 'enqueue' | 'hasWaiting'>;
  inbox: Inbox;
  delivery: Pick<Delivery, 'wake' | 'whenSent'>;
  questions: Pick<ChatQuestions, 'follow'>;
  channel: FindChannel;
  ask: Gateway['ask'];
  /** Given where another gateway could take over the bots. */
  isStillOurs?(): Promise<boolean>;
  /** True only where that is known without asking, for the whole time since that moment (of `performance.now()`). */
  isOursSince?(since: number): boolean;
  findTurn: Sessions['findTurn'];
  settings(bot: BotKey): Promise<BotSettings>;
  choices: ChoicesStore;
  workspace(): Promise<Pick<Workspace, 'writeFile'>>;
  /** Opens files that turns on other machines have kept. */
  openKept?: OpenKept;
  /** Of voice messages; absent: no server for it is configured. */
  transcribe?: Transcribe;
  waiting: Pick<WaitingMessages, 'isHere' | 'couldJoin' | 'drop' | 'whileWaiting'>;
  steer: TurnHub['steer'];
  limits: ChatLimits;
  now(): number;
  log: ChatLog;
  newId(prefix: string): string;
}

export interface Turns {
  handle(batch: Batch): Promise<void>;
  /** Cancels the turn of a chat that answers such messages; false when there is none. Its messages are done with. */
  stop(chat: ChatKey, isMeant: (message: ChatMessage) => boolean): Promise<boolean>;
  /** Lets what waits join the turn that runs: of one chat, or of all. */
  offerWaiting(chat?: ChatKey): Promise<void>;
  /** How many of the waiting messages have joined the chat's turn. */
  joinedIn(chat: ChatKey): number;
  /** True while a turn runs that has not been stopped. */
  isRunning(chat: ChatKey): boolean;
  /** Cancels all of them; their messages stay for the next process. */
  abandon(): void;
}

interface RunningTurn {
  messages: readonly ChatMessage[];
  steering: ChatSteering;
  control: AbortController;
  isStopped: boolean;
  /** Another gateway claimed the messages before the conversation was locked here. */
  isTakenOver: boolean;
  /** Before this turn was recorded with its messages, by `performance.now()`; undefined when an earlier process did that. */
  claimedAt?: number;
}

/** Its claim was void: another gateway answers, as after a crash of this one. */
const TAKEN_OVER = 'taken over by another gateway';

export function createTurns(dependencies: TurnsDependencies): Turns {
  const { inbox, delivery, channel: find, findTurn, now, newId, log } = dependencies;
  const running = new Map<string, RunningTurn>();

  async function handle(batch: Batch): Promise<void> {
    const { chat, messages } = batch;
    const channel = find(chat);
    if (!channel) throw new Error(`the channel ${chat.channel} is not running`);
    const turn: RunningTurn = {
      messages,
      steering: createChatSteering({
        messages,
        offersAtStart: dependencies.waiting.isHere,
        waiting: () => dependencies.waiting.couldJoin(chat),
        textOf: (message) => inputOf([message]),
        steer: dependencies.steer,
        newId,
      }),
      control: new AbortController(),
      isStopped: false,
      isTakenOver: false,
    };
    running.set(nameOf(chat), turn);
    const begunAt = now();
    const logEnd = (outcome: string, level?: 'warn'): void =>
      log(`${outcome} after ${((now() - begunAt) / 1000).toFixed(1)} s`, { event: 'turn', level, chat });
    try {
      const begunBefore = batch.turnId;
      const turnId = begunBefore ?? newId('turn');
      if (begunBefore === undefined) turn.claimedAt = performance.now();
      // Read beside what is recorded here.
      const chosen = dependencies.choices.get(chat);
      chosen.catch(() => {});
      if (begunBefore === undefined && !(await inbox.begin(messages.map(idOf), turnId))) return logEnd(TAKEN_OVER);
      batch.turnId = turnId;
      const found = begunBefore && (await findTurn(sessionKeyOf(chat), begunBefore, turn.control.signal));
      const taken: Taken = found ? takeUp(found) : { kind: 'ask' };
      const { joined: joinedBefore = [] } = taken.kind === 'answer' ? taken : {};
      const { progress } = begunBefore ? await chosen : {};
      const left = progress?.turnId === turnId ? { chatId: chat.chatId, messageId: progress.messageId } : undefined;
      const answer: Answered =
        taken.kind === 'answer'
          ? { ...taken, replaces: left?.messageId }
          : await askAndFollow(dependencies, { channel, turnId, turn, chat, chosen, left });
      if (answer.kind === 'taken-over') return logEnd(TAKEN_OVER, 'warn');
      if (answer.kind === 'abandoned') return logEnd('left for the next process');
      if (turn.isStopped) logEnd('stopped');
      else if (answer.failed === undefined) logEnd('answered');
      else logEnd(`failed (${answer.failed})`, 'warn');
      const inTranscript = joinedBefore.length === 0 ? [] : await dependencies.waiting.couldJoin(chat);
      const joined = [
        ...turn.steering.joined,
        ...inTranscript.filter(({ message }) => joinedBefore.includes(message.id)),
      ];
      const handled = [...messages, ...joined];
      if (turn.isStopped && !answer.replaces) {
        if (joined.length > 0) await inbox.finish(joined.map(idOf), [], now());
        dependencies.waiting.drop(chat, joined);
        return;
      }
      const { pictures = [] } = answer;
      const markdown = withPicturesNote(answer.markdown, pictures);
      const { id: replyTo } = lastOf(messages).message;
      const { replaces } = answer;
      const drafts = [
        ...draftsOf({ chat, channel, key: turnId, markdown, replyTo, replaces }),
        ...(await pictureDrafts({
          chat,
          channel,
          key: turnId,
          pictures,
          withBytes: dependencies.isStillOurs !== undefined,
          openKept: dependencies.openKept,
        })),
      ];
      // From here on there is nothing to stop: the answer may be in the chat before this resolves.
      running.delete(nameOf(chat));
      if (!(await inbox.finish(handled.map(idOf), drafts, now()))) return logEnd(TAKEN_OVER, 'warn');
      dependencies.waiting.drop(chat, joined);
      delivery.wake();
      // Nobody waits for it: the answer has a key of its own.
      if (replaces) void dependencies.choices.change(chat, { progress: undefined }).catch(() => {});
    } finally {
      running.delete(nameOf(chat));
    }
  }

  return {
    handle,
    async stop(chat, isMeant) {
      const turn = running.get(nameOf(chat));
      if (!turn || turn.isStopped || !turn.messages.every(isMeant)) return false;
      // First on record, then in fact: a restart in between must not ask again what was stopped.
      await inbox.finish([...turn.messages, ...turn.steering.joined].map(idOf), [], now());
      turn.isStopped = true;
      turn.control.abort();
      return true;
    },
    async offerWaiting(chat) {
      const turns = chat ? [running.get(nameOf(chat))] : [...running.values()];
      await Promise.all(turns.map((turn) => turn?.steering.offer()));
    },
    joinedIn: (chat) => running.get(nameOf(chat))?.steering.joined.length ?? 0,
    isRunning: (chat) => running.get(nameOf(chat))?.isStopped === false,
    abandon() {
      for (const { control } of running.values()) control.abort();
    },
  };
}

interface Asked {
  /** The progress message of an earlier process. */
  left: SentMessage | undefined;
  chosen: Promise<ChatChoices>;
  channel: Channel;
  chat: ChatKey;
  turnId: string;
  turn: RunningTurn;
}

type Answered =
  | ({ kind: 'answer'; replaces?: string } & Outcome)
  | { kind: 'abandoned'; replaces?: undefined }
  | { kind: 'taken-over'; replaces?: undefined };

async function askAndFollow(dependencies: TurnsDependencies, asked: Asked): Promise<Answered> {
  const { limits, choices, mailbox } = dependencies;
  const { channel, chat, turnId, turn, left } = asked;
  const { signal } = turn.control;
  const { id: replyTo } = lastOf(turn.messages).message;
  const progress = createProgress({
    channel,
    chat: { chatId: chat.chatId, threadId: chat.threadId, replyTo },
    key: turnId,
    afterMs: limits.progressAfterMs,
    everyMs: limits.progressEveryMs,
    signal,
    isNext: async () => !(await mailbox.hasWaiting(chat)),
    place: left,
    // Nobody waits for it: without it the message would only stay behind.
    onPlace: (place) =>
      void choices
        .change(chat, { progress: place && { turnId, messageId: place.messageId, isOpen: true } })
        .catch(() => {}),
  });
  let outcome: Outcome;
  try {
    outcome = outcomeOf(await ask(dependencies, asked, progress));
  } catch (error) {
    const { code, message = String(error) } = (error ?? {}) as { code?: unknown; message?: string };
    outcome = failedWith(code, message);
  }
  const place = await progress.end();
  if (signal.aborted && !turn.isStopped) return { kind: 'abandoned' };
  if (turn.isTakenOver) return { kind: 'taken-over' };
  // The next attempt takes the turn up from its transcript, as after a crash.
  if (outcome.lost && !turn.isStopped) throw outcome.lost;
  const told = turn.isStopped ? { markdown: progress.cutShort() } : outcome;
  return { kind: 'answer', ...told, replaces: place?.messageId };
}

async function ask(
  dependencies: TurnsDependencies,
  { channel, chat, chosen, turnId, turn }: Asked,
  progress: Progress,
): Promise<Followed & { steps: number }> {
  const { settings, choices, workspace, questions, limits, waiting, now } = dependencies;
  const { messages } = turn;
  const { signal } = turn.control;
  const hasFiles = messages.some(({ message }) => message.files.length > 0);
  const asker = askerOf(chat, messages);
  const { attachments, told, paths } = hasFiles
    ? await takeFiles(
        messages,
        {
          channel,
          workspace: await workspace(),
          maxBytes: limits.fileBytes,
          scope: readerOf(asker).scope,
          transcribe: dependencies.transcribe,
          now,
        },
        signal,
      )
    : { attachments: [], told: [], paths: [] };
  const input = [inputOf(messages), ...told].filter((part) => part.trim() !== '').join('\n\n');
  const [only, ...others] = messages;
  const continues = only !== undefined && others.length === 0 && isContinue(only.message.text);
  if (input === '') throw new Error('there is nothing in the message that I can read');
  const chosenSettings = turnSettings(await settings(chat), await chosen);
  const byOwner = messages.every(({ isOwner }) => isOwner);
  const isForeign = attachments.length > 0 || messages.some(({ isOwner, message }) => !isOwner || message.isForwarded);
  /** The turn is on the messages' record, so the next gateway that claims them finds what the turn has done. */
  async function isStillOurs(): Promise<boolean> {
    if (turn.claimedAt !== undefined && dependencies.isOursSince?.(turn.claimedAt)) return true;
    turn.isTakenOver = !(await dependencies.inbox.begin(messages.map(idOf), turnId));
    return !turn.isTakenOver;
  }
  const events = await dependencies.ask(
    {
      ...chosenSettings,
      ...(continues ? { input: '', continues } : { input }),
      attachments,
      ...(paths.length > 0 && { sentFiles: paths }),
      sessionKey: sessionKeyOf(chat),
      newSession: false,
      answering: { expiresMs: limits.approvalMs },
      // A file that is attached counts as one that is read from inbox/: nobody knows who wrote it.
      ...(isForeign && { taintedBy: [taintSource('message')] }),
      mode: createTurnMode(
        byOwner ? chosenSettings.mode : modeOfOthers(chosenSettings.mode),
        (mode) => void choices.change(chat, { mode }),
      ),
      origin: turnId,
      ...(dependencies.isStillOurs && { isStillOurs }),
      chat: chatName(chat),
      asker,
    },
    signal,
  );
  const show = createShowQuestion({
    ...dependencies,
    channel,
    chat,
    key: turnId,
    replyTo: lastOf(messages).message,
    onShown: () => progress.leaveBehind('asking'),
  });
  const ask = questions.follow({ chat, show, whileWaiting: (wait) => waiting.whileWaiting(chat, wait) });
  return { ...(await follow(events, { progress, ask, steering: turn.steering })), steps: chosenSettings.toolMaxSteps };
}

interface Followed {
  result: AskResult | undefined;
  /** What the model no longer sees as it was said. */
  historyNotices: string[];
  /** Those that tools made for the person. */
  pictures: KeptPicture[];
}

async function follow(
  events: AsyncIterable<RunEvent>,
  { progress, ask, steering }: { progress: Progress; ask(event: RunEvent): void; steering: ChatSteering },
): Promise<Followed> {
  let result: AskResult | undefined;
  const historyNotices: string[] = [];
  const pictures: KeptPicture[] = [];
  for await (const event of events) {
    progress.tell(event);
    ask(event);
    // The answer stands below what it answers.
    if (steering.tell(event)) progress.leaveBehind('continued');
    if (event.type === 'notice' && event.about === 'history') historyNotices.push(event.text);
    if (event.type === 'tool-end' && event.result.ok) pictures.push(...picturesForPerson(event.result.pictures));
    if (event.type === 'run-end') result = event.result;
  }
  return { result, historyNotices, pictures };
}

interface Outcome {
  markdown: string;
  /** Why it could not be answered. */
  failed?: string;
  /** The storage was away, or gave the conversation's lock to another process: what is on record decides, once it can be read. */
  lost?: StorageError;
  pictures?: readonly KeptPicture[];
}

function outcomeOf({ result, steps, historyNotices, pictures }: Followed & { steps: number }): Outcome {
  if (!result) return failed('the turn ended without a result');
  // Stopped from elsewhere: who stops it in the chat is answered there.
  if (result.stage === 'cancelled') return { markdown: '⏹ Stopped.' };
  if (!result.success) {
    const { code, message } = result.error;
    return failedWith(code, message);
  }
  const notes = historyNotices.map((text) => `_${text.charAt(0).toUpperCase()}${text.slice(1)}._`);
  return { markdown: [withLimitNote(result, steps), ...notes].join('\n\n'), pictures };
}

function failedWith(code: unknown, message: string): Outcome {
  const isLost = code === 'STORAGE_LOCK_LOST' || code === 'STORAGE_UNREACHABLE';
  return { ...failed(message), ...(isLost && { lost: new StorageError(code, message) }) };
}

function failed(reason: string): Outcome {
  return { markdown: failure(reason), failed: reason };
}

function lastOf(messages: readonly ChatMessage[]): ChatMessage {
  const last = messages.at(-1);
  if (!last) throw new Error('a turn needs a message');
  return last;
}

function idOf({ chat, message: { id } }: ChatMessage): { chat: ChatKey; id: string } {
  return { chat, id };
}
