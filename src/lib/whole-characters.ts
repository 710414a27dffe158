/** Removes half of a surrogate pair at the start and the end of a cut text. */
export function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
