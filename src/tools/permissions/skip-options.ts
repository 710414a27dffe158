// Finds where the operands of a command start.
import type { Word } from './command.ts';

export interface OptionSyntax {
  /** Letters that stand alone. */
  flags?: string;
  /** Letters that take the rest of their word, or the next word, as their value. */
  values?: string;
  /** Long options that stand alone or carry `=value`. */
  long?: readonly string[];
  /** Long options whose value may be the next word. */
  longValues?: readonly string[];
}

export interface Skipped {
  /** The options, one entry each: '-n', '--signal'. */
  options: readonly { name: string; value: Word | undefined }[];
  rest: readonly Word[];
  /** False when an option was not known, or not static: `rest` is then a guess. */
  certain: boolean;
}

export function skipOptions(words: readonly Word[], syntax: OptionSyntax): Skipped {
  const options: { name: string; value: Word | undefined }[] = [];
  let certain = true;
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (!word) break;
    const text = word.kind === 'static' ? word.text : undefined;
    if (text === undefined) {
      // An unknown word here can be an option, an operand, or several of both.
      certain = false;
      break;
    }
    if (text === '--') {
      index += 1;
      break;
    }
    if (!text.startsWith('-') || text === '-') break;
    if (text.startsWith('--')) {
      const [name = '', ...value] = text.split('=');
      const known = syntax.long?.includes(name);
      const takesValue = syntax.longValues?.includes(name);
      if (!known && !takesValue) certain = false;
      if (value.length > 0) options.push({ name, value: { kind: 'static', text: value.join('=') } });
      else if (takesValue) options.push({ name, value: words[++index] });
      else options.push({ name, value: undefined });
      continue;
    }
    for (let letter = 1; letter < text.length; letter += 1) {
      const name = text.charAt(letter);
      if (syntax.values?.includes(name)) {
        const glued = text.slice(letter + 1);
        options.push({ name: `-${name}`, value: glued ? { kind: 'static', text: glued } : words[++index] });
        break;
      }
      if (!syntax.flags?.includes(name)) certain = false;
      options.push({ name: `-${name}`, value: undefined });
    }
  }
  if (options.some(({ value }) => value !== undefined && value.kind !== 'static')) certain = false;
  return { options, rest: words.slice(index), certain };
}
