// A text that is removed wherever it is kept. Every store that keeps words can find it and remove it; `find` and `remove` go the same way, so that a person
// is shown what will be removed.

export interface Redaction {
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

/** Whatever the case of its letters, and whatever blanks are between its words. */
export function createRedaction(text: string): Redaction {
  const words = text.trim().normalize('NFC').split(/\s+/u);
  const source = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+');
  const anywhere = new RegExp(source, 'giu');
  const once = new RegExp(source, 'iu');
  return {
    holds: (given) => once.test(given) || (isDecomposed(given) && once.test(given.normalize('NFC'))),
    replaced: (given, by = () => REPLACEMENT) =>
      (isDecomposed(given) ? given.normalize('NFC') : given).replace(anywhere, by),
  };
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
