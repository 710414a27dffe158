// Which parts of a JSON value are somebody's words. A forgotten text is replaced in these only: names of properties, kinds, roles, ids, keys, times and scopes
// keep the value readable, whatever text is forgotten.
import type { Redaction } from './redaction.ts';

/** Returns the value with its words changed. */
export type Words = (value: unknown, change: (text: string) => string) => unknown;

type Fields = Readonly<Record<string, Words>>;

/** Every text in the value. */
export const allWords: Words = (value, change) => wordsExcept({})(value, change);

/** Every text in the value; these fields, at any depth, have rules of their own. */
export function wordsExcept(special: Fields): Words {
  const words: Words = (value, change) => {
    if (typeof value === 'string') return change(value);
    return eachIn(value, (each, name) =>
      (name === undefined ? words : (ownRule(special, name) ?? words))(each, change),
    );
  };
  return words;
}

/** The texts in these fields of an object, or of every object in a list. */
export function wordsIn(fields: Fields): Words {
  const words: Words = (value, change) =>
    eachIn(value, (each, name) => (name === undefined ? words : (ownRule(fields, name) ?? noWords))(each, change));
  return words;
}

export const noWords: Words = (value) => value;

/** A text that is JSON; any other text is words as a whole. */
export function wordsInJson(words: Words): Words {
  return (value, change) => {
    if (typeof value !== 'string') return value;
    const parsed = parsedObject(value);
    if (parsed === undefined) return change(value);
    let isChanged = false;
    const replaced = words(parsed, (text) => {
      const after = change(text);
      isChanged ||= after !== text;
      return after;
    });
    return isChanged ? JSON.stringify(replaced) : value;
  };
}

export function redactedWords(
  value: unknown,
  words: Words,
  redaction: Redaction,
): { holds: boolean; replaced: unknown } {
  let holds = false;
  const replaced = words(value, (text) => {
    if (!redaction.holds(text)) return text;
    holds = true;
    return redaction.replaced(text);
  });
  return { holds, replaced };
}

function eachIn(value: unknown, change: (each: unknown, name?: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => change(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each, name)]));
}

function ownRule(fields: Fields, name: string): Words | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function parsedObject(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
