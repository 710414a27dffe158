// The chat: one conversation, or the beginning of a new one.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { ApiProblem } from '../api/problem.ts';
import { startTurn, upload } from '../api/turns.ts';
import { t } from '../language/language.ts';
import { EmptyState, Loading, ProblemNote } from '../parts/notes.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { goTo, hrefOf } from '../router.ts';
import { beginConversation, conversationOf, loadSessions, sessions } from '../state/conversations.ts';
import { markSeen } from '../state/finished.ts';
import { isOwner } from '../state/me.ts';
import { Composer, type Message } from './composer.tsx';
import { ContextMeter } from './context-meter.tsx';
import type { Conversation } from './conversation.ts';
import { MessageList } from './message-list.tsx';
import type { TurnActions } from './message-row.tsx';
import { rowsOf } from './rows.ts';
import { type AgainFile, shownQuestion } from './sent-files.ts';
import { chosenMode, chosenModel, isModelMissing, TurnChoices } from './turn-choices.tsx';
import { messageIds, type TurnView, type WaitingMessage } from './turn-view.ts';

export default function ChatPage({ id }: { id?: string }) {
  return id === undefined ? <NewChat /> : <OpenChat key={id} conversation={conversationOf(id)} />;
}

function NewChat() {
  const [begin, setBegin] = useState<{ text: string }>();
  const ideas = [t('chat.idea1'), t('chat.idea2'), t('chat.idea3')];
  return (
    <div class="chat">
      <div class="chat-empty">
        {isModelMissing.value ? (
          <EmptyState icon="plug" title={t('home.setUp')} text={t('home.noModel')}>
            <a class="button primary" href={hrefOf('setup')}>
              {t('home.setUp')}
            </a>
          </EmptyState>
        ) : (
          <EmptyState icon="chat" title={t('chat.newTitle')} text={t('chat.newText')}>
            <div class="ideas">
              {ideas.map((text) => (
                <button key={text} type="button" class="button" onClick={() => setBegin({ text })}>
                  {text}
                </button>
              ))}
            </div>
          </EmptyState>
        )}
      </div>
      <Composer
        session=""
        isRunning={false}
        begin={begin}
        onStop={() => {}}
        onSend={async (message) => {
          const session = await ask(undefined, message);
          if (session === undefined) return false;
          goTo('chat', session);
          return true;
        }}
      >
        <TurnChoices />
      </Composer>
    </div>
  );
}

/** What the form begins with. */
interface Beginning {
  text: string;
  again?: readonly AgainFile[];
  /** It is put before what is there. */
  isAdded?: boolean;
  /** The question that the message replaces. */
  retryOf?: TurnView;
}

function OpenChat({ conversation }: { conversation: Conversation }) {
  const { key, turns, state, problem } = conversation;
  const [begin, setBegin] = useState<Beginning>();
  const [sent, setSent] = useState(0);
  const running = turns.value.find((turn) => turn.state !== 'ended');
  /** Sent to a turn last: the gateway may have it although its answer was lost. */
  const steered = useRef<{ message: string; turn: string } | undefined>(undefined);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(turns.value, folded), [turns.value, folded]);
  const accepted = useMemo(() => new Set(turns.value.flatMap(messageIds)), [turns.value]);
  const actions = useMemo(() => actionsFor(conversation, { begin: setBegin, fold: setFolded }), [conversation]);
  useSeen(conversation);
  const { returned } = conversation;
  useEffect(() => {
    if (returned.value.length === 0) return;
    const text = returned.value.join('\n\n');
    returned.value = [];
    setBegin((before) => ({ ...before, text, isAdded: true }));
  }, [returned.value]);

  useEffect(() => {
    const stopWithEscape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) void stop(conversation);
    };
    addEventListener('keydown', stopWithEscape);
    return () => removeEventListener('keydown', stopWithEscape);
  }, [conversation]);

  if (state.value === 'loading') return <Loading />;
  return (
    <div class="chat">
      {state.value === 'failed' && <ProblemNote problem={problem.value} onRetry={() => void conversation.load()} />}
      <MessageList
        rows={rows}
        actions={actions}
        sent={sent}
        onNearStart={() => void attempt(conversation.loadEarlier)}
      />
      <Composer
        session={key}
        isRunning={running !== undefined}
        begin={begin}
        accepted={accepted}
        replaces={begin?.retryOf && shortened(shownQuestion(begin.retryOf).text)}
        onKeepQuestion={() => setBegin(undefined)}
        onStop={() => void stop(conversation)}
        onSend={async (message) => {
          if (begin?.retryOf && running) {
            say(t('chat.replaceLater'));
            return false;
          }
          const target = steered.current?.message === message.id ? steered.current.turn : running?.id;
          if (target !== undefined && message.files.length === 0 && !message.again?.length) {
            steered.current = { message: message.id, turn: target };
            const isSteered = await steer(target, conversation, message);
            setSent((count) => count + 1);
            return isSteered;
          }
          if (begin?.retryOf && !(await rewindBefore(conversation, begin.retryOf))) return false;
          setBegin(undefined);
          const asked = await ask(conversation, message);
          setSent((count) => count + 1);
          return asked !== undefined;
        }}
      >
        <TurnChoices />
        <ContextMeter turns={turns.value} />
      </Composer>
    </div>
  );
}

const LONGEST_SHOWN = 80;

function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** The end of a turn on a page that is looked at has been seen: as soon as it is drawn, the person may leave. */
function useSeen({ key, turns }: Conversation): void {
  useLayoutEffect(() => {
    const look = (): void => {
      const last = turns.value.at(-1);
      if (document.visibilityState === 'visible' && last?.state === 'ended') markSeen(key, last.id);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [key, turns.value, sessions.value]);
}

/** The session in which it was asked; undefined where it could not be. */
async function ask(
  conversation: Conversation | undefined,
  { text, files, again = [] }: Omit<Message, 'id'>,
): Promise<string | undefined> {
  return attempt(async () => {
    checkFiles(files, again.length);
    const sent = await Promise.all(files.map(upload));
    const ids = [...again, ...sent].map(({ id }) => id);
    const asked = await startTurn({
      ...(conversation && { session: conversation.key }),
      text,
      ...(ids.length > 0 && { files: ids }),
      ...(isOwner.value && { mode: chosenMode.value }),
      ...(chosenModel.value !== '' && { model: chosenModel.value }),
    });
    const target = conversation ?? beginConversation(asked.session);
    target.expect(asked.turn, text, [
      ...again,
      ...files.map((file, index) => ({
        name: file.name,
        ...(sent[index] && { id: sent[index].id }),
        ...(file.type.startsWith('image/') && { picture: URL.createObjectURL(file) }),
      })),
    ]);
    return asked.session;
  });
}

const MOST_FILES = 20;
const LARGEST_FILE_MB = 25;

/** Before anything is uploaded. Throws with what to do. */
function checkFiles(files: readonly File[], others: number): void {
  if (files.length + others > MOST_FILES) throw new Error(t('chat.tooManyFiles', { count: MOST_FILES }));
  const large = files.find(({ size }) => size > LARGEST_FILE_MB * 1024 ** 2);
  if (large) throw new Error(t('chat.fileTooLarge', { name: large.name, megabytes: LARGEST_FILE_MB }));
}

/** Resolves as soon as the gateway has the message on record. One that came too late for the turn is asked as a question of its own. */
async function steer(turnId: string, conversation: Conversation, message: Message): Promise<boolean> {
  const { id, text } = message;
  const steered = await attempt(async () => {
    const how = { ...(isOwner.value && { mode: chosenMode.value }), model: chosenModel.value || undefined };
    const input = { id: turnId, session: conversation.key, text, keep: true, messageId: id, ...how };
    return call('turns.steer', input).catch((problem: unknown) => {
      // The gateway was started again, and its turns have ended.
      if (problem instanceof ApiProblem && problem.code === 'TURN_UNKNOWN') return { outcome: 'ended' as const };
      throw problem;
    });
  });
  if (steered?.outcome === 'ended') return (await ask(conversation, message)) !== undefined;
  if (steered?.outcome === 'waiting' && steered.message !== undefined)
    conversation.expectMessage(turnId, { id: steered.message, text, canWithdraw: true });
  return steered !== undefined;
}

/** What waits to join the turn was written for its answer: it goes back to where it was written. */
async function stop({ turns, giveBack }: Conversation): Promise<void> {
  const running = turns.value.find(({ state }) => state !== 'ended');
  if (!running) return;
  const withdrawn: WaitingMessage[] = [];
  for (const message of running.waiting) if (await withdraw(running, message)) withdrawn.push(message);
  giveBack(withdrawn);
  await attempt(() => call('turns.stop', { id: running.id }));
}

/** False: it has joined the turn, or nobody can take it back. */
async function withdraw({ id }: TurnView, { id: message, canWithdraw }: WaitingMessage): Promise<boolean> {
  if (!canWithdraw) return false;
  const done = await attempt(() => call('turns.withdraw', { id, message }));
  return done?.outcome === 'withdrawn';
}

/** Goes back to just before a turn. What came after is kept as a session of its own. */
async function rewindBefore(conversation: Conversation, turn: TurnView): Promise<boolean> {
  const done = await attempt(async () => {
    await call('sessions.rewind', { key: conversation.key, turn: turn.id, before: true });
    await conversation.load();
    return true;
  });
  return done === true;
}

interface ActionsOf {
  begin(from: Beginning): void;
  fold(change: (before: ReadonlySet<string>) => ReadonlySet<string>): void;
}

function actionsFor(conversation: Conversation, { begin, fold }: ActionsOf): TurnActions {
  const { key } = conversation;
  return {
    session: key,
    onEdit(turn) {
      const { text, again } = shownQuestion(turn);
      begin({ text, again, retryOf: turn });
    },
    async onRetry(turn) {
      if (!(await rewindBefore(conversation, turn))) return;
      await ask(conversation, { ...shownQuestion(turn), files: [] });
    },
    async onFork(turn) {
      const forked = await attempt(() => call('sessions.fork', { key, turn: turn.id }));
      if (!forked) return;
      await attempt(loadSessions);
      goTo('chat', forked.session.sessionKey);
    },
    async onUndo(turn) {
      const undone = await attempt(() => call('undo.turn', { session: key, turn: turn.id }));
      if (undone) say(t('chat.undone', { count: undone.files.length }));
    },
    async onWithdraw(turn, message) {
      if (await withdraw(turn, message)) conversation.giveBack([message]);
    },
    onFold({ id }) {
      fold((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      });
    },
  };
}
