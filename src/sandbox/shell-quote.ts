/** A word for a shell. Single quotes keep every character literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
