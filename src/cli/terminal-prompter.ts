import type { AskForm } from '../mcp/elicitation.ts';
import type { AskPerson } from '../tools/policy.ts';
import { colorsFor } from './colors.ts';
import { canAsk, type Terminal } from './terminal.ts';

export interface Person {
  askPerson: AskPerson;
  askForm: AskForm;
  /** A question of the program itself, with a default of no. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
}

/** Asks the person at the terminal; undefined where input or stderr is not one. What asking needs is loaded with the first question. */
export async function terminalPrompter(terminal: Terminal): Promise<Person | undefined> {
  if (!canAsk(terminal)) return undefined;
  const { askPermission } = await import('./ask-permission.ts');
  // Calls of one round may ask at the same time; a person answers one by one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(ask: () => Promise<T>): Promise<T> => {
    const asked = last.then(ask);
    last = asked.catch(() => {});
    return asked;
  };
  return {
    askPerson: (question, signal) => inTurn(() => askPermission(question, terminal, signal)),
    askForm: (request, signal) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const { askForm } = await import('./ask-form.ts');
        return askForm(request, terminal, signal);
      }),
    confirm: (question, signal) =>
      inTurn(async () => {
        const { withLines } = await import('./read-lines.ts');
        const { bold, yellow } = colorsFor(terminal.err, terminal);
        terminal.err.write(`\n${yellow('?')} ${question}\n`);
        const typed = await withLines(terminal, signal, (read) => read(`${bold('[y] yes  [N] no')} › `));
        return /^y(es)?$/i.test((typed ?? '').trim());
      }),
  };
}
