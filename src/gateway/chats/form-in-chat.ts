// A form of an MCP server in a chat: the same lines as at a terminal, each prompt a message, answered by the owner's next message
// there or by a button. One form at a time in a chat. `-` leaves a field out, because nobody can send an empty message.
import type { FormAnswer, FormRequest } from '../../mcp/elicitation.ts';
import { answerForm, type FormChoice } from '../forms/fill-form.ts';
import { type ChatMessage, nameOf } from './chat.ts';
import { fenced } from './question-text.ts';
import type { Conclude, ShowQuestion } from './show-question.ts';

const LEAVE_OUT = '-';
const MOST_BUTTONS = 8;
const PLAIN = { bold: same, dim: same, yellow: same };

export interface FormsInChats {
  /** Rejects when `signal` fires. `by` is who answered last; empty when nobody had to be asked. */
  ask(form: AskedForm, signal: AbortSignal): Promise<FormAnswer & { by: string }>;
  /** What takes a message as the answer to an open prompt of its chat; undefined when it is none. */
  answerOf(message: ChatMessage): (() => void) | undefined;
}

export interface AskedForm {
  id: string;
  form: FormRequest;
  chat: ChatMessage['chat'];
  show: ShowQuestion;
  /** Told what concludes the newest prompt. */
  onShown(conclude: Conclude): void;
}

interface Prompt {
  /** The value of a button is this and the number of its choice. */
  buttonPrefix: string;
  choices: readonly FormChoice[];
  answer(typed: string, by: string): void;
}

export function createFormsInChats(): FormsInChats {
  /** The prompt that waits for a message, by chat. */
  const prompts = new Map<string, Prompt>();
  /** The last form of each chat. */
  const queues = new Map<string, Promise<unknown>>();

  async function inTurn<T>(chat: string, ask: () => Promise<T>): Promise<T> {
    const asking = (queues.get(chat) ?? Promise.resolve()).then(ask);
    const settled = asking.catch(() => {});
    queues.set(chat, settled);
    try {
      return await asking;
    } finally {
      if (queues.get(chat) === settled) queues.delete(chat);
    }
  }

  async function fill(
    { id, form, chat, show, onShown }: AskedForm,
    signal: AbortSignal,
  ): ReturnType<FormsInChats['ask']> {
    let written = '';
    let step = 0;
    let by = '';
    const answer = await answerForm(form, {
      colors: PLAIN,
      giveUp: `/deny ${id} declines`,
      write: (text) => {
        written += text;
      },
      async read(prompt, choices) {
        step += 1;
        const text = `${written}${prompt.replace(/ › $/, '')}`.replace(/^\n+/, '');
        written = '';
        const typed = await readAnswer({ id, step, chat, choices, text, show, onShown }, signal);
        by = typed.by;
        return typed.text;
      },
    });
    // Why it ended without another prompt.
    if (written !== '') onShown(await show(`${id}-end`, { markdown: fenced(written.trim()), buttons: [] }));
    return { ...answer, by };
  }

  async function readAnswer(
    prompt: { id: string; step: number; choices: readonly FormChoice[]; text: string } & Omit<AskedForm, 'form'>,
    signal: AbortSignal,
  ): Promise<{ text: string; by: string }> {
    signal.throwIfAborted();
    const { id, step, chat, choices, text, show, onShown } = prompt;
    const name = nameOf(chat);
    const buttonPrefix = `form:${id}:${step}:`;
    const { promise, resolve, reject } = Promise.withResolvers<{ text: string; by: string }>();
    // It may be over before it is shown.
    promise.catch(() => {});
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    prompts.set(name, { buttonPrefix, choices, answer: (typed, by) => resolve({ text: typed, by }) });
    try {
      const canLeaveOut = choices.some(({ typed }) => typed === '');
      const how = `Answer with a message${canLeaveOut ? `; \`${LEAVE_OUT}\` leaves it out` : ''}. \`/deny ${id}\` declines.`;
      const buttons = choices.slice(0, MOST_BUTTONS).map(({ label }, index) => ({
        label: label.slice(0, 40),
        value: `${buttonPrefix}${index}`,
        ...(label === 'Decline' && { tone: 'danger' as const }),
      }));
      onShown(await show(`${id}-${step}`, { markdown: `${fenced(text)}\n\n${how}`, buttons }));
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (prompts.get(name)?.buttonPrefix === buttonPrefix) prompts.delete(name);
    }
  }

  return {
    ask: (asked, signal) => inTurn(nameOf(asked.chat), () => fill(asked, signal)),
    answerOf({ chat, message, isOwner }) {
      const prompt = prompts.get(nameOf(chat));
      if (!prompt || !isOwner || message.isForwarded || message.files.length > 0) return undefined;
      const { buttonPrefix, choices, answer } = prompt;
      const by = message.sender.name ?? message.sender.id;
      if (!message.pressed) {
        const text = message.text.trim();
        if (text === '' || text.startsWith('/')) return undefined;
        return () => answer(text === LEAVE_OUT ? '' : text, by);
      }
      const { value } = message.pressed;
      const choice = value.startsWith(buttonPrefix) ? choices[Number(value.slice(buttonPrefix.length))] : undefined;
      return choice && (() => answer(choice.typed, by));
    },
  };
}

function same(text: string): string {
  return text;
}
