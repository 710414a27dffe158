const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A unique name: 103 random bits. It is not a secret, so Math.random is enough, and node:crypto (5 ms to load) is not loaded at
 * start-up.
 */
export function newId(prefix: string): string {
  let id = '';
  for (let index = 0; index < 20; index += 1) id += LETTERS[Math.floor(Math.random() * LETTERS.length)];
  return `${prefix}-${id}`;
}
