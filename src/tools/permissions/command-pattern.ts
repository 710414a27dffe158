// The pattern of a command rule, bash(…): the words of one simple command, as a shell reads them.
//   bash(git status)        these words exactly
//   bash(git status*)       these words, and any after them; `git status *` and `git status:*` mean the same
//   bash(npm run test:*)    also `npm run test:unit`
//   bash(git * main)        `*` alone means one or more words
//   bash(ls src/*)          `*` in a word means text within that word, never `..`
//   bash(echo hi > out.txt) assignments and redirections are part of it
// An allow pattern must fit the whole simple command. A deny or ask pattern is taken more widely: see deny-command.ts.
import {
  FOREIGN_CODE,
  LASTING,
  type Redirection,
  RUNS_FILE,
  RUNS_PACKAGE,
  type SimpleCommand,
  spellWord,
  type Word,
} from './command.ts';

export interface CommandPattern {
  tokens: readonly Token[];
  /** What may follow: nothing, more words, or more words and `:more` in the last word. */
  tail: 'none' | 'words' | 'words-or-colon';
}

type Token =
  | { kind: 'any' }
  /** Texts with a wildcard between each two of them. */
  | { kind: 'word'; texts: readonly string[] }
  | { kind: 'redirection'; text: string };

export type ParsedPattern = { ok: true; pattern: CommandPattern } | { ok: false; error: string };

const NATURAL: ReadonlySet<string> = new Set([FOREIGN_CODE, RUNS_FILE, RUNS_PACKAGE, LASTING]);
const REDIRECTION = /^(\d*(?:&>>|&>|>>|>\||>&|<&|<>|>|<))\s*/;

export function parseCommandPattern(source: string): ParsedPattern {
  const tokens: Token[] = [];
  let rest = source.trim();
  while (rest !== '') {
    const redirection = REDIRECTION.exec(rest);
    if (redirection) rest = rest.slice(redirection[0].length);
    const word = readPatternWord(rest);
    if (!word.ok) return word;
    rest = rest.slice(word.length).trimStart();
    const { texts } = word;
    if (redirection) {
      if (texts.length > 1) return { ok: false, error: 'a redirection cannot have a wildcard' };
      const operator = redirection[1] ?? '';
      const target = spellWord({ kind: 'static', text: texts[0] ?? '' });
      const duplicates = operator.endsWith('&') && /^(?:\d+-?|-)$/.test(target);
      tokens.push({ kind: 'redirection', text: duplicates ? `${operator}${target}` : `${operator} ${target}` });
    } else if (texts.length === 2 && texts.every((text) => text === '')) tokens.push({ kind: 'any' });
    else tokens.push({ kind: 'word', texts });
  }
  if (tokens.length === 0) return { ok: false, error: 'the parentheses are empty' };
  return { ok: true, pattern: withTail(tokens) };
}

/** Without any wildcard. */
export function isExact({ tokens, tail }: CommandPattern): boolean {
  const wild = tokens.some((token) => token.kind === 'any' || (token.kind === 'word' && token.texts.length > 1));
  return tail === 'none' && !wild;
}

/** Whether an allow pattern covers this command. `covers` says which redirections need no pattern of their own. */
export function fitsCommand(
  { tokens, tail }: CommandPattern,
  command: SimpleCommand,
  covers: (redirection: Redirection) => boolean,
): boolean {
  if (command.program === undefined || tokens[0]?.kind === 'any') return false;
  // The person who wrote the pattern must have seen what makes a command special: only one without wildcards fits. What
  // lies in the nature of the program that the pattern names needs no second mention.
  if (!isExact({ tokens, tail }) && !command.hazards.every((hazard) => NATURAL.has(hazard))) return false;
  const words: Word[] = [
    ...command.assignments.map(
      ({ name, value }): Word => (value.kind === 'static' ? { kind: 'static', text: `${name}=${value.text}` } : value),
    ),
    ...command.words,
  ];
  const written = tokens.filter((token) => token.kind === 'redirection').map(({ text }) => text);
  const redirections = command.redirections.filter(({ text }) => !written.includes(text));
  if (written.some((text) => !command.redirections.some((redirection) => redirection.text === text))) return false;
  // Without a tail nothing may be left over that was not written.
  if (
    !redirections.every((redirection) => redirection.access === 'duplicate' || (tail !== 'none' && covers(redirection)))
  )
    return false;
  const own = tokens.filter((token) => token.kind !== 'redirection');
  // An assignment counts only where the pattern writes it: a wildcard must not let PATH=… through.
  if (!command.assignments.every((_, index) => own[index]?.kind === 'word' && fitsWord(own[index].texts, words[index])))
    return false;
  return fitsWords(own, words, tail);
}

function fitsWords(
  tokens: readonly Exclude<Token, { kind: 'redirection' }>[],
  words: readonly Word[],
  tail: CommandPattern['tail'],
): boolean {
  const [token, ...others] = tokens;
  const [word, ...rest] = words;
  if (!token) return words.length === 0 || tail !== 'none';
  if (!word) return false;
  if (token.kind === 'any') return fitsWords(others, rest, tail) || fitsWords(tokens, rest, tail);
  if (fitsWord(token.texts, word)) return fitsWords(others, rest, tail);
  const last = others.length === 0 && tail === 'words-or-colon' && token.texts.length === 1;
  return last && word.kind === 'static' && word.text.startsWith(`${token.texts[0]}:`);
}

function fitsWord(texts: readonly string[], word: Word | undefined): boolean {
  if (!word || word.kind === 'dynamic' || word.kind === 'one-of') return false;
  if (texts.length === 1) return word.kind === 'static' && word.text === texts[0];
  if (/(?:^|\/)\.\.(?:\/|$)/.test(word.text)) return false;
  return new RegExp(`^${texts.map(quote).join('[\\s\\S]*')}$`).test(word.text);
}

/** `status*` at the end means more words; after a mark like / or = it means more of the same word. */
function withTail(tokens: readonly Token[]): CommandPattern {
  const last = tokens.at(-1);
  const before = tokens.slice(0, -1);
  if (last?.kind === 'any' && before.length > 0) return { tokens: before, tail: 'words' };
  if (last?.kind !== 'word' || last.texts.length < 2 || last.texts.at(-1) !== '') return { tokens, tail: 'none' };
  const text = last.texts.at(-2) ?? '';
  if (text.endsWith(':')) {
    const texts = [...last.texts.slice(0, -2), text.slice(0, -1)];
    return { tokens: [...before, { kind: 'word', texts }], tail: 'words-or-colon' };
  }
  if (!/\w$/.test(text)) return { tokens, tail: 'none' };
  return { tokens: [...before, { kind: 'word', texts: last.texts.slice(0, -1) }], tail: 'words' };
}

type PatternWord = { ok: true; texts: string[]; length: number } | { ok: false; error: string };

/** One word, quotes removed; an unquoted `*` is a wildcard. */
function readPatternWord(source: string): PatternWord {
  const texts = [''];
  const add = (text: string): void => {
    texts.push(`${texts.pop() ?? ''}${text}`);
  };
  let index = 0;
  while (index < source.length && !/\s/.test(source.charAt(index))) {
    const character = source.charAt(index);
    if (character === "'" || character === '"') {
      const end = source.indexOf(character, index + 1);
      if (end < 0) return { ok: false, error: `a quote ${character} is not closed` };
      add(source.slice(index + 1, end));
      index = end + 1;
      continue;
    }
    if (/[;|&`<>]/.test(character) || source.startsWith('$(', index))
      return { ok: false, error: `"${character}" joins commands; a pattern describes one simple command` };
    if (character === '\\') add(source.charAt(++index));
    else if (character === '*') texts.push('');
    else add(character);
    index += 1;
  }
  return { ok: true, texts, length: index };
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
