/** PostgreSQL's text takes no zero character. For texts of others that are only shown. */
export function withoutZeros(text: string): string {
  return text.replaceAll('\0', '');
}
