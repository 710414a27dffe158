/**
 * Makes text from a model, a tool or a file safe for a terminal: control characters, which could move the cursor, hide text
 * or retitle the window, become visible.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
