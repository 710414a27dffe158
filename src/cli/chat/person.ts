// Questions to the person at the chat: the same words as `ask` shows, answered by a key or, for forms, in lines. One at a time.
import { answerForm } from '../../gateway/forms/fill-form.ts';
import { AnsweredElsewhere } from '../../gateway/turns/answering.ts';
import type { AskForm, FormAnswer, FormRequest } from '../../mcp/elicitation.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { AskPerson } from '../../tools/policy.ts';
import { GIVE_UP } from '../ask-form.ts';
import { describeQuestion, hasMore, MORE, offeredAnswers } from '../ask-permission.ts';
import type { Colors } from '../colors.ts';
import type { Person } from '../terminal-prompter.ts';
import { type Choice, createChoicePrompt, createKeyPrompt, createLinePrompt, type Prompt } from './prompt.ts';
import type { PromptTime } from './screen.ts';
import { shownText } from './shown-text.ts';

export interface PersonDependencies {
  colors: Colors;
  /** Shows the question, and returns how its answer is shown below it. */
  show(question: string): (answer: string) => void;
  setPrompt(prompt: Prompt, when: PromptTime): void;
  clearPrompt(): void;
}

export interface ChatPerson extends Person {
  /** One of several; undefined when the person does not want to choose. */
  choose(question: string, choices: readonly Choice[], signal: AbortSignal): Promise<string | undefined>;
  /** How many questions are open or wait. */
  waiting(): number;
  /** A permission question is open. */
  isAsking(): boolean;
  /** Answers the permission question that is open; returns why not. */
  answer(scope: Scope | undefined): string | undefined;
}

const GIVEN: Record<Scope, string> = {
  once: 'allowed once',
  session: 'allowed for this session',
  always: 'always allowed',
};

export function createPerson({ colors, show, setPrompt, clearPrompt }: PersonDependencies): ChatPerson {
  let waiting = 0;
  let open: { keys: ReadonlyMap<string, Scope>; answer(scope: Scope | undefined): void } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    waiting += 1;
    const asked = last.then(ask).finally(() => {
      waiting -= 1;
    });
    last = asked.catch(() => {});
    return asked;
  };

  /** Rejects when `signal` fires. */
  async function put<T>(
    create: (answer: (value: T) => void) => Prompt,
    signal: AbortSignal,
    when: PromptTime = 'quiet',
  ): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    setPrompt(create(resolve), when);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      clearPrompt();
    }
  }

  const askPerson: AskPerson = (question, signal) =>
    inTurn(async () => {
      signal.throwIfAborted();
      const { shown, keys } = offeredAnswers(question);
      let answered = show(describeQuestion(question, colors));
      const ask = (when: PromptTime): Promise<Scope | typeof MORE | undefined> =>
        put<Scope | typeof MORE | undefined>(
          (onAnswer) => {
            open = { keys, answer: onAnswer };
            const all = new Map<string, Scope | typeof MORE | undefined>([...keys, ['n', undefined]]);
            if (hasMore(question)) all.set(MORE, MORE);
            return createKeyPrompt({ shown: colors.bold(shown), keys: all, otherwise: undefined, onAnswer });
          },
          signal,
          when,
        )
          .finally(() => (open = undefined))
          .catch(orCutShort(answered));
      let scope = await ask('quiet');
      while (scope === MORE) {
        answered('→ all of it:');
        answered = show(describeQuestion(question, colors, { isWhole: true }));
        scope = await ask('at once');
      }
      answered(scope ? `→ ${question.verdict.question.answers?.[scope] ?? GIVEN[scope]}` : '→ not allowed');
      return scope;
    });

  const askForm: AskForm = (request, signal) =>
    inTurn(async () => {
      signal.throwIfAborted();
      let when: PromptTime = 'quiet';
      const read = async (shown: string): Promise<string | undefined> => {
        const line = await put<string | undefined>(
          (onLine) => createLinePrompt({ shown: shown.replace(/ › $/, ''), onLine }),
          signal,
          when,
        );
        // A person who fills in a form is typing: they look at the next field.
        when = 'at once';
        return line;
      };
      let answered: (answer: string) => void = () => {};
      const write = (text: string): void => {
        answered = show(text.replace(/^\n|\n$/g, ''));
      };
      const answer = await answerForm(request, { read, write, colors, giveUp: GIVE_UP }).catch(orCutShort(answered));
      answered(`→ ${endingOf(request, answer)}`);
      return answer;
    });

  return {
    askPerson,
    askForm,
    confirm: (question, signal) =>
      inTurn(async () => {
        const answered = show(question);
        const shown = colors.bold('[y] yes  [N] no');
        const keys = new Map([
          ['y', true],
          ['n', false],
        ]);
        const isYes = await put<boolean>(
          (onAnswer) => createKeyPrompt({ shown, keys, otherwise: false, onAnswer }),
          signal,
        ).catch(orCutShort(answered));
        answered(isYes ? '→ yes' : '→ no');
        return isYes;
      }),
    choose: (question, choices, signal) =>
      inTurn(async () => {
        const answered = show(shownText(question));
        // The person asked for the list: the next key is meant for it.
        const value = await put<string | undefined>(
          (onChoice) => createChoicePrompt({ choices, colors, onChoice }),
          signal,
          'at once',
        ).catch(orCutShort(answered));
        const chosen = choices.find((choice) => choice.value === value);
        answered(chosen ? `→ ${shownText(chosen.label)}` : '→ cancelled');
        return value;
      }),
    waiting: () => waiting,
    isAsking: () => open !== undefined,
    answer(scope) {
      if (!open) return 'Nothing is asked for here.';
      if (scope && ![...open.keys.values()].includes(scope)) return `This cannot be allowed for longer than once.`;
      open.answer(scope);
      return undefined;
    },
  };
}

function orCutShort(answered: (answer: string) => void): (error: unknown) => never {
  return (error) => {
    answered(error instanceof AnsweredElsewhere ? `→ ${error.message}` : '→ no answer');
    throw error;
  };
}

function endingOf({ server }: FormRequest, answer: FormAnswer): string {
  if (server !== undefined) return answer.action === 'accept' ? 'sent' : 'not sent';
  return answer.action === 'accept' ? shownText(Object.values(answer.content).join(', ')) : 'no answer';
}
