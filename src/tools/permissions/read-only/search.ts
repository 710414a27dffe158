// grep, rg and fd: a pattern, then paths.
import type { Word } from '../command.ts';
import { type Check, canBeOption, first, type Judge, pathOrOption, splitOptions } from './check.ts';

/** Any option of grep only reads; what it reads must be allowed. */
export const grepCheck: Check = (words, judge) => {
  if (judge.holdsHome && words.some((word) => /^-\w*[rR]|^--(?:dereference-)?recursive|^--directories/.test(word.text)))
    return 'would search the whole home directory';
  const pattern = given(words, /^-\w*[ef]|^--reg|^--fi/) ? undefined : firstOperand(words, 'ABCmdD');
  return first(words, (word) => judge.text(word) ?? (word === pattern ? undefined : pathOrOption(word, judge)));
};

const RIPGREP = {
  flags: 'abcFHhIilNnopPSsUuvwx0q.',
  values: 'ABCEdgjMmrtTe',
  long: (
    '--after-context --before-context --context --count --count-matches --fixed-strings --files --files-with-matches ' +
    '--files-without-match --glob --iglob --heading --no-heading --hidden --ignore-case --case-sensitive --smart-case ' +
    '--invert-match --json --line-number --no-line-number --line-regexp --word-regexp --max-count --max-depth --max-columns ' +
    '--max-filesize --multiline --multiline-dotall --no-config --no-filename --with-filename --no-ignore --no-ignore-vcs ' +
    '--no-messages --null --only-matching --passthru --pcre2 --replace --sort --sortr --stats --text --threads --trim --type ' +
    '--type-not --type-list --unrestricted --vimgrep --color --column --regexp --encoding --crlf --quiet --version --help'
  ).split(' '),
};

export const ripgrepCheck: Check = (words, judge) => {
  const { operands, objection } = splitOptions(words, RIPGREP);
  if (objection !== undefined) return objection;
  if (judge.holdsHome && words.some((word) => /^-\w*[u.]|^--(?:hidden|unrestricted)/.test(word.text)))
    return 'would search the whole home directory';
  const listing = given(words, /^-\w*e|^--regexp|^--files$|^--type-list$/);
  return searched(operands, words, !listing, judge);
};

const FD = {
  flags: 'HIusigap01Fh',
  values: 'teEdcjSo',
  long: (
    '--hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings ' +
    '--absolute-path --full-path --print0 --max-depth --min-depth --exact-depth --exclude --type --extension --size ' +
    '--changed-within --changed-before --color --max-results --strip-cwd-prefix'
  ).split(' '),
};

/** What -x starts is judged by itself. */
export const fdCheck: Check = (given, judge) => {
  const end = given.findIndex((word) => word.kind === 'static' && /^(?:-x|-X|--exec|--exec-batch)$/.test(word.text));
  const words = end < 0 ? given : given.slice(0, end);
  const { operands, objection } = splitOptions(words, FD);
  return objection ?? searched(operands, words, true, judge);
};

function searched(
  operands: readonly Word[],
  words: readonly Word[],
  patternFirst: boolean,
  judge: Judge,
): string | undefined {
  const files = patternFirst ? operands.slice(1) : operands;
  const [pattern] = operands;
  if (patternFirst && pattern?.kind === 'dynamic' && pattern.splits) return `${pattern.text} could become a path`;
  return first(words, judge.text) ?? first(files, judge.path);
}

function given(words: readonly Word[], option: RegExp): boolean {
  return words.some((word) => option.test(word.text));
}

/**
 * The pattern: the first word that is neither an option nor the value of one. Undefined unless it is a single word, whatever
 * runs: then it too must be a harmless path.
 */
function firstOperand(words: readonly Word[], values: string): Word | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word || word.kind === 'glob' || (word.kind === 'dynamic' && word.splits)) return undefined;
    if (word.kind === 'static' && word.text === '--') return words[index + 1];
    if (!canBeOption(word)) return word;
    if (word.kind !== 'static') return undefined;
    if (/^-\w+$/.test(word.text) && values.includes(word.text.at(-1) ?? ' ')) index += 1;
  }
  return undefined;
}
