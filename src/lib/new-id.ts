const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A name that no other process or moment makes: 103 random bits. It is no secret, so the generator every process is
 * seeded with is enough, and node:crypto (5 ms to load) stays out of the start.
 */
export function newId(prefix: string): string {
  let id = '';
  for (let index = 0; index < 20; index += 1) id += LETTERS[Math.floor(Math.random() * LETTERS.length)];
  return `${prefix}-${id}`;
}
