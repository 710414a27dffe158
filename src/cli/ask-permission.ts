// The permission question at a terminal: exactly what would happen, why it asks, and a default of no.
import type { Scope } from '../tools/permissions/decision.ts';
import { type PermissionQuestion, wholeText } from '../tools/policy.ts';
import { type Colors, colorsFor } from './colors.ts';
import { withLines } from './read-lines.ts';
import { printable, type Terminal } from './terminal.ts';

const SHOWN_LINES = 60;
/** The key that unfolds the rest. */
export const MORE = 'm';
const KEYS: Record<Scope, string> = { once: 'y', session: 's', always: 'a' };
const NAMES: Record<Scope, string> = { once: 'once', session: 'this session', always: 'always' };

export async function askPermission(
  question: PermissionQuestion,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Scope | undefined> {
  const { err } = terminal;
  const colors = colorsFor(err, terminal);
  const { shown, keys } = offeredAnswers(question);
  err.write(`\n${describeQuestion(question, colors)}\n`);
  const answer = await withLines(terminal, signal, async (read) => {
    for (;;) {
      const typed = ((await read(`${colors.bold(shown)} › `)) ?? '').trim().toLowerCase();
      if (typed !== MORE || !hasMore(question)) return typed;
      err.write(`${describeQuestion(question, colors, { isWhole: true })}\n`);
    }
  });
  // No answer is no.
  return keys.get(answer === 'yes' ? 'y' : answer);
}

/** The answers this question takes, by key, and how they are offered. */
export function offeredAnswers(question: PermissionQuestion): { shown: string; keys: ReadonlyMap<string, Scope> } {
  const { verdict } = question;
  const scopes = (['once', 'session', 'always'] as const).filter(
    (scope) => scope === 'once' || verdict.scopes.includes(scope),
  );
  const named = verdict.question.answers ?? NAMES;
  const shown = [
    ...scopes.map((scope) => `[${KEYS[scope]}] ${named[scope]}`),
    '[N] no',
    ...(hasMore(question) ? [`[${MORE}] show all`] : []),
  ].join('  ');
  return { shown, keys: new Map(scopes.map((scope) => [KEYS[scope], scope])) };
}

/** There is more than the question shows at first. */
export function hasMore({ verdict, preview }: PermissionQuestion): boolean {
  return preview?.isCut === true || (preview?.text ?? verdict.question.exact).split('\n').length > SHOWN_LINES;
}

/** What "always" would be kept as; undefined where it is not offered. */
export function keptRules({ verdict }: PermissionQuestion): string | undefined {
  if (!verdict.scopes.includes('always') || verdict.rememberAs.length === 0) return undefined;
  return `always: ${verdict.rememberAs.join(', ')}, in this folder only`;
}

/** Exactly what would happen, and why it asks; harmless to show. */
export function describeQuestion(asked: PermissionQuestion, colors: Colors, { isWhole = false } = {}): string {
  const { verdict, preview } = asked;
  const { question, reasons } = verdict;
  const exact = (isWhole ? wholeText(asked) : (preview?.text ?? question.exact)).split('\n');
  const most = isWhole ? exact.length : SHOWN_LINES;
  const shown = exact.slice(0, most).map((line) => `  ${coloured(printable(line), preview !== undefined, colors)}`);
  if (exact.length > most) shown.push(colors.dim(`  … ${exact.length - most} more lines`));
  const why = reasons.map((reason) => colors.dim(`  (${printable(reason)})`));
  const kept = keptRules(asked);
  const always = kept === undefined ? [] : [colors.dim(`  ${printable(kept)}`)];
  return [colors.yellow(`? ${printable(question.title)}`), ...shown, ...why, ...always].join('\n');
}

function coloured(line: string, isDiff: boolean, colors: Colors): string {
  if (!isDiff) return line;
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}
