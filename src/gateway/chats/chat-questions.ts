// The questions of turns in chats. The reader of a chat's turn shows each question there and its outcome, also when it was answered
// elsewhere. Buttons and commands answer through the operation `turns.answer`, forms at the hub, which decides whether an answer counts.
import type { RunEvent } from '../../pipeline/events.ts';
import type { FormQuestion, PermissionRequest } from '../../pipeline/questions.ts';
import type { Question } from '../../tools/permissions/question.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { chatName } from '../../vocabulary/chat-name.ts';
import type { QuestionAnswer, ResolvedEvent } from '../turns/questions.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import { type ChatMessage, nameOf } from './chat.ts';
import { createFormsInChats } from './form-in-chat.ts';
import { formEnding, permissionEnding, permissionMessage } from './question-text.ts';
import type { Conclude, ShowQuestion } from './show-question.ts';

/** A turn of a chat that somebody reads. */
export interface FollowedTurn {
  chat: ChatKey;
  show: ShowQuestion;
  /** Runs while the turn waits for a person. */
  whileWaiting(wait: () => Promise<void>): Promise<void>;
}

export interface ChatQuestions {
  /** What the turn's reader hands each event to. */
  follow(turn: FollowedTurn): (event: RunEvent) => void;
  /** What takes a message as the answer to a form; undefined when none is asked for. */
  formAnswer(message: ChatMessage): (() => void) | undefined;
  /** The ids of the questions that wait for an answer in the chat. */
  openIn(chat: ChatKey): string[];
}

interface Shown {
  chat: ChatKey;
  /** What the question calls its answers. */
  answers?: Question['answers'];
  conclude?: Conclude;
  ending?: string;
  /** Fires when the question has ended. */
  over: AbortController;
}

export function createChatQuestions({ answer: answerInHub }: Pick<TurnHub, 'answer'>): ChatQuestions {
  const shown = new Map<string, Shown>();
  const forms = createFormsInChats();
  const openIn = (chat: ChatKey): string[] =>
    [...shown].filter(([, each]) => nameOf(each.chat) === nameOf(chat)).map(([id]) => id);

  function begin(id: string, { chat, whileWaiting }: FollowedTurn): Shown {
    const question: Shown = { chat, over: new AbortController() };
    shown.set(id, question);
    const { signal } = question.over;
    void whileWaiting(() => new Promise((resolve) => signal.addEventListener('abort', () => resolve())));
    return question;
  }

  function concludeWith(question: Shown, conclude: Conclude): void {
    question.conclude = conclude;
    if (question.ending !== undefined) conclude(question.ending);
  }

  function end(id: string, ending: string): void {
    const question = shown.get(id);
    if (!question) return;
    shown.delete(id);
    question.ending = ending;
    question.conclude?.(ending);
    question.over.abort();
  }

  const answerFrom = (chat: ChatKey, name: string, id: string, answer: QuestionAnswer) =>
    answerInHub(id, answer, { place: 'chat', chat: chatName(chat), name, isOwner: true });

  /** What cannot be shown cannot be approved. */
  const refuse = (chat: ChatKey, id: string): void => void answerFrom(chat, 'lainclaw', id, { kind: 'deny' });

  function askPermission(request: PermissionRequest, turn: FollowedTurn): void {
    const question = begin(request.id, turn);
    question.answers = request.permission.verdict.question.answers;
    turn.show(request.id, permissionMessage(request)).then(
      (conclude) => concludeWith(question, conclude),
      () => refuse(turn.chat, request.id),
    );
  }

  async function askForm({ id, form }: FormQuestion, turn: FollowedTurn): Promise<void> {
    const { chat, show } = turn;
    const question = begin(id, turn);
    const { signal } = question.over;
    try {
      const onShown = (conclude: Conclude): void => concludeWith(question, conclude);
      const { by, ...answer } = await forms.ask({ id, form, chat, show, onShown }, signal);
      await answerFrom(chat, by || 'lainclaw', id, { kind: 'form', answer });
    } catch {
      if (!signal.aborted) refuse(chat, id);
    }
  }

  return {
    follow: (turn) => (event) => {
      if (event.type === 'permission-request') askPermission(event.question, turn);
      else if (event.type === 'form-request') void askForm(event.question, turn);
      else if (event.type === 'permission-resolved' || event.type === 'form-resolved')
        end(event.questionId, endingOf(event, shown.get(event.questionId)?.answers));
    },

    formAnswer: forms.answerOf,
    openIn,
  };
}

function endingOf(event: ResolvedEvent, answers?: Question['answers']): string {
  return event.type === 'form-resolved' ? formEnding(event.resolution) : permissionEnding(event.resolution, answers);
}
