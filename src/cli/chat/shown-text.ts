import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { printable } from '../terminal.ts';

/** Somebody's text as it may be drawn. A tab would be as wide as the terminal likes. */
export function shownText(text: string): string {
  return printable(text).replaceAll('\t', '    ');
}

/** The same for Markdown, where a character can also be written as its number. */
export function shownMarkdown(text: string): string {
  return shownText(text).replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (written, hex, decimal) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code > 0x10ffff) return written;
    const character = String.fromCodePoint(code);
    const shown = printable(character);
    return shown === character && character !== '\n' && character !== '\t' ? written : shown;
  });
}

/** Of everything that could move the cursor, hide text or retitle the window, only colours are let through. */
export function harmless(line: string): string {
  return line.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    /(\x1b\[[\d;]*m)|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    (found, allowed: string | undefined) => allowed ?? printable(found),
  );
}

/** Lines of at most `width`, the first behind `lead` and the others as far in. Nothing to indent on a narrow screen. */
export function indented(text: string, width: number, lead: string, leadWidth: number): string[] {
  if (width <= leadWidth * 2) return wrapTextWithAnsi(lead + text, Math.max(1, width));
  const lines = wrapTextWithAnsi(text, width - leadWidth);
  return (lines.length > 0 ? lines : ['']).map((line, index) => (index === 0 ? lead : ' '.repeat(leadWidth)) + line);
}

/** Each line by itself; what is indented stays as far in where it is broken, so a command cannot look like words of ours below it. */
export function wrappedByLine(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours before the first word.
    const [start, codes = '', indent = ''] = /^((?:\x1b\[[\d;]*m)*)( +)/.exec(line) ?? [''];
    if (indent === '' || width <= indent.length * 2) return wrapTextWithAnsi(line, Math.max(1, width));
    return wrapTextWithAnsi(codes + line.slice(start.length), width - indent.length).map((part) => indent + part);
  });
}

/** A line that is too wide would end the program: whatever drew it, it is cut. */
export function fitting(line: string, width: number): string {
  return visibleWidth(line) > width ? truncateToWidth(line, width, '') : line;
}

/** A line of ours that may be cut: that something is missing is seen. */
export function shortened(line: string, width: number): string {
  return visibleWidth(line) > width ? truncateToWidth(line, width, width > 1 ? '…' : '') : line;
}
