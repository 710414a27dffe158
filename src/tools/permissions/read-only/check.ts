// What the table of read-only programs is made of. A check looks at the words after the program's name and returns what
// speaks against running it without a question; undefined means it only reads, and only what it may.
import type { GlobWord, StaticWord, Word } from '../command.ts';

export interface Judge {
  /** It runs in a sandbox that shows the workspace read-only. */
  isContained: boolean;
  /** Objection to reading what this word names. */
  path(word: Word): string | undefined;
  /** Objection to going there. */
  directory(word: StaticWord): string | undefined;
  /** Objection to showing this word: a secret of the environment. */
  text(word: Word): string | undefined;
  /** Everything here runs in the workspace's root: the configuration of its repository is the user's own. */
  inRoot: boolean;
  /** The workspace contains the user's home: searching all of it would search the credentials too. */
  holdsHome: boolean;
}

export type Check = (words: readonly Word[], judge: Judge) => string | undefined;

/** Any option is harmless; the operands are text that is only shown or compared. */
export const texts: Check = (words, judge) =>
  first(words, (word) => judge.text(word) ?? (word.kind === 'glob' ? judge.path(word) : undefined));

/** Words of the shell's own grammar: a pattern among them is not expanded to paths. */
export const terms: Check = (words, judge) => first(words, judge.text);

/** Any option is harmless; the operands are files to read. */
export const paths: Check = (words, judge) => first(words, (word) => pathOrOption(word, judge));

/** No words at all. */
export const bare: Check = (words) => (words.length === 0 ? undefined : 'is given arguments');

export interface Options {
  /** Letters that stand alone. */
  flags?: string;
  /** Letters that take a value, which is not a file. */
  values?: string;
  /** Long options, alone or with `=value`; none of them names a file. */
  long?: readonly string[];
  operands: 'paths' | 'texts' | 'none';
  /** At most so many operands: the next would be written to. */
  atMost?: number;
}

/** Only these options, spelled out in full; the operands as said. */
export function only(options: Options): Check {
  return (words, judge) => {
    const { operands, objection } = splitOptions(words, options);
    if (objection !== undefined) return objection;
    if (options.operands === 'none' && operands.length > 0) return 'is given operands';
    // One more operand would be a file to write; a glob can become any number of them.
    if (
      options.atMost !== undefined &&
      (operands.length > options.atMost || operands.some(({ kind }) => kind === 'glob'))
    )
      return 'can be given a file to write';
    return first(words, judge.text) ?? (options.operands === 'paths' ? first(operands, judge.path) : undefined);
  };
}

/** The operands of a command all of whose options are known to be harmless. */
export function splitOptions(
  words: readonly Word[],
  { flags = '', values = '', long = [] }: Pick<Options, 'flags' | 'values' | 'long'>,
): { operands: readonly Word[]; objection: string | undefined } {
  const operands: Word[] = [];
  let ended = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!word) break;
    if (!ended && word.kind === 'static' && word.text === '--') {
      ended = true;
      continue;
    }
    if (!canBeOption(word)) {
      operands.push(word);
      continue;
    }
    // After `--` too: an option before it may have taken the `--` for its value.
    if (ended || word.kind !== 'static') return { operands, objection: `${word.text} could become an option` };
    if (word.text.startsWith('--')) {
      const [name = ''] = word.text.split('=');
      if (!long.includes(name)) return { operands, objection: `${name} is not known to be harmless` };
      continue;
    }
    for (let letter = 1; letter < word.text.length; letter += 1) {
      const name = word.text.charAt(letter);
      if (values.includes(name)) {
        const value = letter === word.text.length - 1 ? words[++index] : undefined;
        // Where the value is optional, such a word would not be the value.
        if (value && canBeOption(value) && !isFixed(value))
          return { operands, objection: `${value.text} could become an option` };
        break;
      }
      if (!flags.includes(name)) return { operands, objection: `-${name} is not known to be harmless` };
    }
  }
  return { operands, objection: undefined };
}

/** A single word, quoted, whatever it holds: the value of the option before it. */
function isFixed(word: Word): boolean {
  return word.kind === 'dynamic' && !word.splits;
}

export function canBeOption(word: Word): boolean {
  switch (word.kind) {
    case 'static':
      return word.text.length > 1 && word.text.startsWith('-');
    case 'glob':
      return /^[-*?[]/.test(word.text);
    case 'one-of':
      return word.options.some((option) => canBeOption(option));
    case 'dynamic':
      return (
        word.splits ||
        word.prefix.startsWith('-') ||
        (word.prefix === '' && !word.from.every((origin) => origin === 'pipe'))
      );
  }
}

/** The texts a word can become, where the command itself tells. */
export function possible(word: Word): readonly (StaticWord | GlobWord)[] {
  return word.kind === 'one-of' ? word.options : word.kind === 'dynamic' ? [] : [word];
}

export function first<T>(words: readonly T[], check: (word: T) => string | undefined): string | undefined {
  for (const word of words) {
    const objection = check(word);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** An operand is a path; of an option, its value could be one. */
export function pathOrOption(word: Word, judge: Judge): string | undefined {
  if (word.kind === 'dynamic') return judge.path(word);
  return first(possible(word), (option) => {
    if (!option.text.startsWith('-') || option.text === '-') return judge.path(option);
    const equals = option.text.indexOf('=');
    if (option.text.startsWith('--')) {
      return equals < 0 ? undefined : judge.path({ ...option, text: option.text.slice(equals + 1) });
    }
    // -f/etc/passwd: which letters take a value is not known here, so any path in there must be harmless.
    return /[/~]|\.\./.test(option.text) ? `${option.text} could name a file` : undefined;
  });
}
