// The permission question at a terminal: exactly what would happen, why it asks, and a default of no.
import { createInterface } from 'node:readline/promises';
import type { Scope } from '../tools/permissions/decision.ts';
import type { AskPerson, PermissionQuestion } from '../tools/policy.ts';
import { type Colors, colorsFor } from './colors.ts';
import { printable, type Terminal } from './terminal.ts';

const SHOWN_LINES = 60;
const ANSWERS: Record<string, Scope> = { y: 'once', yes: 'once', s: 'session', a: 'always' };

/** Undefined where nobody can answer: not a terminal on both sides. */
export function createAskPerson(terminal: Terminal): AskPerson | undefined {
  if (!terminal.err.isTTY || !process.stdin.isTTY) return undefined;
  // Calls of one round may ask at the same time; a person answers one by one.
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const asked = last.then(() => ask(question, terminal, signal));
    last = asked.catch(() => {});
    return asked;
  };
}

async function ask(question: PermissionQuestion, terminal: Terminal, signal: AbortSignal): Promise<Scope | undefined> {
  const { err } = terminal;
  const colors = colorsFor(err, terminal);
  const { scopes } = question.verdict;
  err.write(`\n${describe(question, colors)}\n`);
  const offered = [
    '[y] once',
    scopes.includes('session') && '[s] this session',
    scopes.includes('always') && '[a] always',
    '[N] no',
  ];
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    // The line editor turns Ctrl-C into an event of its own: it means what it means everywhere.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const shown = `${colors.bold(offered.filter(Boolean).join('  '))} › `;
    const typed = await Promise.race([lines.question(shown, { signal }), closed]).catch((error: unknown) => {
      if (signal.aborted) throw error;
      // Ctrl-D, or a terminal that is gone: no answer is no.
      err.write('\n');
      return '';
    });
    const scope = ANSWERS[typed.trim().toLowerCase()];
    return scope && scopes.includes(scope) ? scope : undefined;
  } finally {
    lines.close();
  }
}

function describe({ verdict, preview }: PermissionQuestion, colors: Colors): string {
  const { question, reasons } = verdict;
  const exact = (preview?.text ?? question.exact).split('\n');
  const shown = exact
    .slice(0, SHOWN_LINES)
    .map((line) => `  ${coloured(printable(line), preview !== undefined, colors)}`);
  if (exact.length > SHOWN_LINES) shown.push(colors.dim(`  … ${exact.length - SHOWN_LINES} more lines`));
  const why = reasons.map((reason) => colors.dim(`  (${printable(reason)})`));
  return [colors.yellow(`? ${printable(question.title)}`), ...shown, ...why].join('\n');
}

function coloured(line: string, isDiff: boolean, colors: Colors): string {
  if (!isDiff) return line;
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}
