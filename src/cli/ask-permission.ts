// The permission question at a terminal: exactly what would happen, why it asks, and a default of no.
import type { Scope } from '../tools/permissions/decision.ts';
import type { PermissionQuestion } from '../tools/policy.ts';
import { type Colors, colorsFor } from './colors.ts';
import { withLines } from './read-lines.ts';
import { printable, type Terminal } from './terminal.ts';

const SHOWN_LINES = 60;
const ANSWERS: Record<string, Scope> = { y: 'once', yes: 'once', s: 'session', a: 'always' };

export async function askPermission(
  question: PermissionQuestion,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Scope | undefined> {
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
  const shown = `${colors.bold(offered.filter(Boolean).join('  '))} › `;
  const typed = await withLines(terminal, signal, (read) => read(shown));
  // No answer is no.
  const scope = ANSWERS[(typed ?? '').trim().toLowerCase()];
  return scope && scopes.includes(scope) ? scope : undefined;
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
