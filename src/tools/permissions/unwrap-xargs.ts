// xargs: the command it is given, with words from its input.
import { baseName, type Origin, type SimpleCommand, spellWord, type Word } from './command.ts';
import { listsPaths } from './lists-paths.ts';
import { skipOptions } from './skip-options.ts';
import type { Unwrapped } from './unwrapped.ts';

const SYNTAX = {
  flags: '0rtx',
  values: 'InLPsdEa',
  long: ['--null', '--no-run-if-empty', '--verbose', '--exit'],
  longValues: ['--max-args', '--max-lines', '--max-procs', '--max-chars', '--delimiter', '--arg-file', '--replace'],
};

export function unwrapXargs(
  name: string,
  words: readonly Word[],
  pipedFrom: SimpleCommand | undefined,
): Unwrapped | undefined {
  if (name !== 'xargs') return undefined;
  const { options, rest, certain } = skipOptions(words, SYNTAX);
  const has = (...names: string[]): boolean => options.some((option) => names.includes(option.name));
  const nul = has('-0', '--null') && pipedFrom !== undefined && printsNulPaths(pipedFrom);
  const from: Origin = nul ? 'listed' : pipedFrom && listsPaths(pipedFrom) ? 'names' : 'output';
  const given: Word = { kind: 'dynamic', text: '…', prefix: '', from: [from], splits: true };
  const replaced = options.find((option) => option.name === '-I' || option.name === '--replace');
  const mark = replaced?.value?.kind === 'static' ? replaced.value.text : replaced ? '{}' : undefined;
  const inner = rest.length > 0 ? rest : [{ kind: 'static', text: 'echo' } as const];
  return {
    inner: [
      { kind: 'command', words: mark === undefined ? [...inner, given] : fill(inner, mark, given), assignments: [] },
    ],
    hazards: has('-a', '--arg-file') ? ['reads the arguments from a file'] : [],
    unseen: certain ? undefined : 'xargs is given options that are not known here',
  };
}

/** Every word that holds the mark becomes one that is known only when it runs. */
export function fill(words: readonly Word[], mark: string, given: Word & { kind: 'dynamic' }): Word[] {
  return words.map((word) => {
    const at = mark === '' ? -1 : word.text.indexOf(mark);
    if (at < 0) return word;
    // Text before the mark would turn a listed path into another one.
    const from = word.text === mark ? given.from : (['output'] as const);
    const before = word.kind === 'static' ? word.text.slice(0, at) : '';
    return {
      kind: 'dynamic',
      text: spellWord(word),
      prefix: before === '' ? given.prefix : before,
      from,
      splits: given.splits,
    };
  });
}

/** Listers that print paths below what they were given, each ended by NUL: no name in there can pretend to be two. */
function printsNulPaths({ program, words }: SimpleCommand): boolean {
  const texts = words.flatMap((word) => (word.kind === 'static' ? [word.text] : []));
  const has = (...options: string[]): boolean => options.some((option) => texts.includes(option));
  switch (program && baseName(program)) {
    case 'find':
      return texts.at(-1) === '-print0' && texts.filter((text) => /^-f?print/.test(text)).length === 1;
    case 'git':
      return texts[1] === 'ls-files' && has('-z');
    case 'rg':
      return has('--files', '-l', '--files-with-matches') && has('-0', '--null');
    case 'fd':
      return has('-0', '--print0');
    default:
      return false;
  }
}
