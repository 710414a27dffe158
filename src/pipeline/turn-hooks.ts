// When a turn tells the owner's hooks: its session begins, a person is asked, it ends. What fails there is a notice, never the
// end of a turn.
import type { Hooks } from '../hooks/hooks.ts';
import type { Later } from '../tools/later.ts';
import type { AskResult, RunEvent } from './events.ts';
import type { TurnQuestions } from './questions.ts';

type TellHooks = Pick<Hooks, 'tell'>;

interface Asked {
  sessionKey: string;
  turnId: string;
  callSource?: string;
  chat?: string;
}

function factsOf({ sessionKey, turnId, callSource, chat }: Asked): object {
  return { sessionKey, turnId, ...(callSource && { source: callSource }), ...(chat !== undefined && { chat }) };
}

export async function* tellSessionStart(
  hooks: TellHooks,
  request: Asked,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  yield* noticesOf(await hooks.tell('session-start', { ...factsOf(request), sessionId }, signal));
}

/** Also of a turn that was cancelled: its hook has a limit of its own. */
export async function* tellTurnEnd(hooks: TellHooks, request: Asked, ended: AskResult): AsyncGenerator<RunEvent> {
  const { success, stage, result, sessionId, provider, model, usage, toolCalls } = ended;
  const facts = { success, stage, answer: result, sessionId, provider, model, usage, toolCalls: toolCalls.length };
  const error = ended.success ? {} : { error: ended.error };
  yield* noticesOf(
    await hooks.tell('turn-end', { ...factsOf(request), ...facts, ...error }, new AbortController().signal),
  );
}

export interface NotifyDependencies {
  hooks: TellHooks;
  later: Later;
  /** Takes what went wrong, for a notice. */
  problems: Set<string>;
}

/** The same questions, with a notification for each one. Nobody waits for it but the end of the turn. */
export function withNotifications(
  { permission, form }: TurnQuestions,
  request: Asked,
  { hooks, later, problems }: NotifyDependencies,
): TurnQuestions {
  const notify = (message: string, more: object): void => {
    const told = hooks.tell('notification', { ...factsOf(request), message, ...more }, new AbortController().signal);
    later.add(
      told.then((found) => {
        for (const problem of found) problems.add(problem);
      }),
    );
  };
  return {
    async permission(question, signal) {
      const { name, args } = question.call;
      notify(`${name} needs your permission`, { tool: name, args });
      return permission(question, signal);
    },
    ...(form && {
      async form(asked, signal) {
        notify(asked.message, {});
        return form(asked, signal);
      },
    }),
  };
}

export function* noticesOf(problems: Iterable<string>): Generator<RunEvent> {
  for (const text of problems) yield { type: 'notice', text };
}
