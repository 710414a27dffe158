// A text that is removed wherever it is kept. Every store that keeps words can find it and remove it; `find` and `remove` go the same way, so that a person
// is shown what will be removed.

export interface Redaction {
  /** How many characters an occurrence has at least. */
  readonly length: number;
  holds(text: string): boolean;
  /** With every occurrence replaced. */
  replaced(text: string, by?: (found: string) => string): string;
}

export type RedactionMode = 'find' | 'remove';

/** Something that holds the text, or held it. */
export interface RedactedPlace {
  /** What it is: "note", "conversation", "undo record", … */
  place: string;
  /** Which one, in words of a person; empty where they have no names. */
  name: string;
  count: number;
}

export const REPLACEMENT = '[forgotten]';

/** The lock that is held while something is forgotten, and by what keeps words that it read some time before. */
export const FORGETTING_LOCK = 'forgetting';

/** Whatever the case of its letters, and whatever blanks are between its words. */
export function createRedaction(text: string): Redaction {
  const words = text.trim().normalize('NFC').split(/\s+/u);
  const [first, ...rest] = patternsOf(words);

  /** The first occurrence that begins at `from` or later. */
  function find(given: string, from: number): { start: number; end: number } | undefined {
    if (!first) return undefined;
    first.lastIndex = from;
    for (let found = first.exec(given); found; found = first.exec(given)) {
      let end = first.lastIndex;
      const isWhole = rest.every((pattern) => {
        pattern.lastIndex = end;
        if (!pattern.test(given)) return false;
        end = pattern.lastIndex;
        return true;
      });
      if (isWhole) return { start: found.index, end };
      first.lastIndex = found.index + 1;
    }
    return undefined;
  }

  function replaced(given: string, by: (found: string) => string): string {
    let done = '';
    let at = 0;
    for (let next = find(given, at); next; next = find(given, at)) {
      done += given.slice(at, next.start) + by(given.slice(next.start, next.end));
      at = next.end;
    }
    return done + given.slice(at);
  }

  return {
    length: words.reduce((total, word) => total + word.length + 1, 0),
    holds: (given) =>
      find(given, 0) !== undefined || (isDecomposed(given) && find(given.normalize('NFC'), 0) !== undefined),
    replaced: (given, by = () => REPLACEMENT) => replaced(isDecomposed(given) ? given.normalize('NFC') : given, by),
  };
}

/** The engine refuses an expression that is much longer. */
const LONGEST_PATTERN = 2_000;

/** One for each part of a long text: the first is looked for, each other must follow the one before at once. */
function patternsOf(words: readonly string[]): RegExp[] {
  const sources: string[] = [];
  let source = '';
  for (const [index, word] of words.entries()) {
    if (index > 0) source += '\\s+';
    for (const character of word) {
      source += character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
      if (source.length < LONGEST_PATTERN) continue;
      sources.push(source);
      source = '';
    }
  }
  if (source !== '') sources.push(source);
  return sources.map((each, index) => new RegExp(each, index === 0 ? 'giu' : 'iuy'));
}

function isDecomposed(text: string): boolean {
  return /\p{M}/u.test(text);
}

/** In every text of a JSON value, the names of properties included. For what is removed as a whole. */
export function holdsIn(value: unknown, redaction: Redaction): boolean {
  if (typeof value === 'string') return redaction.holds(value);
  if (Array.isArray(value)) return value.some((each) => holdsIn(each, redaction));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, each]) => redaction.holds(name) || holdsIn(each, redaction));
}
