import type { AskPerson } from '../tools/policy.ts';
import type { Terminal } from './terminal.ts';

/** Whoever can answer a permission question here; what asking needs is loaded only then. */
export async function personAt(terminal: Terminal): Promise<AskPerson | undefined> {
  return terminal.err.isTTY ? (await import('./ask-person.ts')).createAskPerson(terminal) : undefined;
}
