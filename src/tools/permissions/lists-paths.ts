// Which commands print nothing but paths below what they are given, one a line, also through filters that only leave lines out or
// change their order. What they are given is judged by itself.
import { baseName, type SimpleCommand, type Word } from './command.ts';

const FILTER_OPTIONS = /^-(?:[nNrRuvidfhVEFPowxcz0-9]+|-[a-z-]+|[nk]\d+|t.)$/;

export function listsPaths(command: SimpleCommand): boolean {
  return isLister(command) || (isFilter(command) && command.pipedFrom !== undefined && listsPaths(command.pipedFrom));
}

function isLister({ program, words, redirections }: SimpleCommand): boolean {
  if (redirections.some(({ access }) => access !== 'duplicate' && access !== 'write')) return false;
  const texts = words.slice(1).map(textOf);
  const has = (...options: string[]): boolean => options.some((option) => texts.includes(option));
  switch (program && baseName(program)) {
    case 'find':
      return !texts.some((text) => /^-(?:printf|fprint.*|fls|ls|exec|execdir|ok|okdir|files0-from)$/.test(text));
    case 'fd':
    case 'fdfind':
      return !has('-x', '-X', '--exec', '--exec-batch', '--format', '-l', '--list-details');
    case 'git':
      return (
        (texts[0] === 'ls-files' && !has('-s', '--stage', '-t', '-v', '--eol')) ||
        (texts[0] === 'diff' && has('--name-only') && !has('-p', '--patch')) ||
        (texts[0] === 'grep' && has('-l', '--name-only', '--files-with-matches'))
      );
    case 'rg':
      return has('--files', '-l', '--files-with-matches') && !has('--json', '-r', '--replace');
    case 'grep':
      return texts.some((text) => /^-[a-zA-Z]*l[a-zA-Z]*$|^--files-with-matches$/.test(text));
    case 'ls':
      return texts.every((text) => !text.startsWith('-') || /^-[1Atrdp]+$/.test(text));
    default:
      return false;
  }
}

/** Without files of its own: it passes on lines of its input. */
function isFilter({ program, words, redirections }: SimpleCommand): boolean {
  if (redirections.some(({ access }) => access !== 'duplicate')) return false;
  const rest = words.slice(1);
  if (!rest.every(({ kind }) => kind === 'static')) return false;
  const texts = rest.map(textOf);
  const operands = texts.filter((text, index) => !FILTER_OPTIONS.test(text) && !/^-[nk]$/.test(texts[index - 1] ?? ''));
  switch (program && baseName(program)) {
    case 'head':
    case 'tail':
    case 'sort':
    case 'uniq':
    case 'shuf':
      return operands.length === 0 && !texts.some((text) => /^-\w*[oc]/.test(text));
    case 'grep':
    case 'egrep':
      return operands.length === 1 && !texts.some((text) => /^-\w*[oc]/.test(text));
    default:
      return false;
  }
}

function textOf({ text }: Word): string {
  return text;
}
