// A command line as a person copies it: split into words as a POSIX shell does, and written again. No shell runs it, so what
// only a shell can do is refused.

export type LineProblem = 'open-quote' | 'needs-shell';

export type SplitLine = { words: readonly string[] } | { problem: LineProblem };

const SHELL_WORDS = /^(\|\|?|&&?|;|<|>>?|2>(&1)?)$/;

/** A line that ends in a backslash is continued by the next one. */
export function splitLine(text: string): SplitLine {
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  let quote = '';
  const end = (): boolean => {
    if (word === undefined) return true;
    if (!isQuoted && SHELL_WORDS.test(word)) return false;
    words.push(word);
    word = undefined;
    isQuoted = false;
    return true;
  };
  const signs = [...text.replaceAll(/\r\n?/g, '\n').trim()];
  for (let at = 0; at < signs.length; at += 1) {
    const sign = signs[at] ?? '';
    const next = signs[at + 1];
    if (quote === '' && /\s/.test(sign)) {
      if (!end()) return { problem: 'needs-shell' };
    } else if (quote === '' && (sign === '"' || sign === "'")) {
      quote = sign;
      isQuoted = true;
      word ??= '';
    } else if (sign === quote) quote = '';
    else if (sign === '\\' && next === '\n' && quote !== "'") at += 1;
    else if (sign === '\\' && next !== undefined && (quote === '' || (quote === '"' && '"\\$`'.includes(next)))) {
      word = (word ?? '') + next;
      isQuoted = true;
      at += 1;
    } else word = (word ?? '') + sign;
  }
  if (quote !== '') return { problem: 'open-quote' };
  return end() ? { words } : { problem: 'needs-shell' };
}

/** Split again, it gives the same words. */
export function joinLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (word !== '' && !/[\s"'\\]/.test(word) && !SHELL_WORDS.test(word)) return word;
  return word.includes("'") ? `"${word.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${word}'`;
}
