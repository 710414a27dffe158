/** A text that was cut must not begin or end with half of a surrogate pair. */
export function wholeCharacters(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
