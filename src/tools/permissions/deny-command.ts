// Deny and ask rules on commands are taken widely: without regard to case, to the directory a program is named with, to
// assignments and redirections before and after; `rm` alone means every rm; and they apply to every part, also inside
// wrappers, and to the text as written. Where the text hides what runs, they apply to any place in it that looks so.
import { baseName, type CommandReading, FOREIGN_CODE, type SimpleCommand } from './command.ts';

/** Does any part of this command look like what the pattern describes? */
export function touchesCommand(source: string, reading: CommandReading): boolean {
  const pattern = toRegExp(source, '^');
  const said = reading.commands.flatMap(spellings);
  if ([...said, flat(reading.text)].some((text) => pattern.test(text))) return true;
  const hidden = !reading.parsed || reading.unseen.length > 0 || reading.redefines.length > 0;
  const foreign = reading.commands.some(({ hazards }) => hazards.includes(FOREIGN_CODE));
  return (hidden || foreign) && toRegExp(source, String.raw`(?:^|[^\w-])`).test(flat(reading.text));
}

function spellings({ words, program }: SimpleCommand): string[] {
  const [name, ...rest] = words.map((word) => word.text);
  if (name === undefined) return [];
  const short = program === undefined ? name : baseName(program);
  return [flat([name, ...rest].join(' ')), flat([short, ...rest].join(' '))];
}

/** Quotes, escapes and continued lines removed, one space between words. */
function flat(text: string): string {
  return text
    .replaceAll('\\\n', '')
    .replace(/\$\{?IFS\}?/g, ' ')
    .replace(/['"\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function toRegExp(source: string, start: string): RegExp {
  const trimmed = source.trim();
  const text = flat(trimmed.replace(/\s*:?\*$/, ''))
    .replace(/[.+?^${}()|[\]\\/]/g, '\\$&')
    .replaceAll('*', '[\\s\\S]*');
  // `git push*` also means git pushx; otherwise the word must end there.
  return new RegExp(`${start}${text}${/[^:\s]\*$/.test(trimmed) ? '' : '(?![\\w-])'}`);
}
