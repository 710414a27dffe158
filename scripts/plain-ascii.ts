// V8 keeps a file with one letter beyond Latin with two bytes a character: it takes three times as long to read, and half as long again to
// load. In a bundle that is mostly ASCII the other characters are written as escapes, which mean the same in texts, patterns and names. What
// has many of them, as texts in Chinese, stays as it is: escaped it would be larger.
import type { Plugin } from 'rolldown';

const MOST_OTHERS = 0.02;

export const plainAscii: Plugin = {
  name: 'plain-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = inAscii(chunk.code);
  },
};

export function inAscii(code: string): string {
  // The only place where an escape is not read as the character.
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code)) return code;
  const others = code.match(/[^\0-\x7f]/g)?.length ?? 0;
  if (others > code.length * MOST_OTHERS) return code;
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, before: string, unit: string) => {
    // A character that is escaped already, though it need not be: the escape begins with that backslash.
    const kept = before.slice(before.length % 2);
    return `${kept}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
