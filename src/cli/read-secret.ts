import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { readStandardInput } from './standard-input.ts';
import type { Terminal } from './terminal.ts';

/** From a pipe everything; from a person one line, which is not shown. Empty when nothing is given. */
export async function readSecret(name: string, terminal: Terminal): Promise<string> {
  const { input, err, signal } = terminal;
  if (input.kind() !== 'terminal') return (await readStandardInput(terminal)).trim();
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: input.stream(), output: unseen, terminal: true });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  // The line editor turns Ctrl-C into an event of its own: it means what it means everywhere.
  lines.on('SIGINT', () => terminal.interrupt());
  // The terminal has stopped showing what is typed.
  err.write(`${name} (it is not shown; Enter ends it): `);
  try {
    return (await Promise.race([lines.question('', { signal }), closed])).trim();
  } finally {
    lines.close();
    err.write('\n');
  }
}
