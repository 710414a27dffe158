// A sentence as data: which one it is, and the values in it. The terminal writes the English, the console the language of its page.
import { counted } from '../lib/counted.ts';

export type Values = Readonly<Record<string, string | number>>;

export interface Worded<Code extends string = string> {
  code: Code;
  values: Values;
}

/** `{path}` becomes the value of that name, `{files:file}` a count with its noun: "1 file", "2 files". */
export function fillIn(text: string, values: Values): string {
  return text.replace(
    /\{(\w+)(?::([^}|]+)(?:\|([^}]+))?)?\}/g,
    (whole, name: string, one?: string, several?: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      return one === undefined ? String(value) : counted(Number(value), one, several);
    },
  );
}
