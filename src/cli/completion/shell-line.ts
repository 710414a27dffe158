// A command line of bash as it stands before the cursor: its words without quotes, and how a value is written in place of the
// last one. Bash replaces only what follows the last of its break characters (or the open quote), so only that part is given.

export interface ShellLine {
  /** The last one is being written; it may be empty. */
  words: string[];
  /** A value of the last word as bash is to insert it. */
  insertion(value: string): string;
}

type Quote = '' | '"' | "'";

export function parseShellLine(line: string, breaks: string): ShellLine {
  const words: string[] = [];
  let word = '';
  let isInWord = false;
  let quote: Quote = '';
  /** How much of the word bash keeps. */
  let kept = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    const next = line[index + 1] ?? '';
    if (quote === '' && /\s/.test(character)) {
      if (isInWord) words.push(word);
      word = '';
      isInWord = false;
      kept = 0;
      continue;
    }
    isInWord = true;
    if (quote === character) {
      quote = '';
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      kept = word.length;
    } else if (character === '\\' && (quote === '' || (quote === '"' && /["\\$`]/.test(next)))) {
      word += next;
      index += 1;
    } else {
      word += character;
      if (quote === '' && breaks.includes(character)) kept = word.length;
    }
  }
  words.push(word);
  return { words, insertion: (value) => quoted(value.slice(kept), quote) };
}

function quoted(text: string, quote: Quote): string {
  if (quote === '"') return text.replace(/["\\$`]/g, '\\$&');
  if (quote === "'") return text.replaceAll("'", "'\\''");
  return text.replace(/[^\w@%+=:,./~\-\u{80}-\u{10ffff}]/gu, '\\$&');
}
