/** A part of an address with its percent encoding undone. As it is where that is none: people write a percent sign as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
