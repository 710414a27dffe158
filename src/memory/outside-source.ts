/** At the end of a source: others than the owner had a part in what was said. No session's name holds it. */
const OUTSIDE = '#outside';

export function fromOutside(source: string): string {
  return source + OUTSIDE;
}

export function isFromOutside(source: string): boolean {
  return source.endsWith(OUTSIDE);
}
