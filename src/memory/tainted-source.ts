/** At the end of a source: others than the owner had a part in what was said. No session's name holds it. */
const TAINTED = '#outside';

export function taintedSource(source: string): string {
  return source + TAINTED;
}

export function isTaintedSource(source: string): boolean {
  return source.endsWith(TAINTED);
}

/** The source as people know it. */
export function untaintedSource(source: string): string {
  return isTaintedSource(source) ? source.slice(0, -TAINTED.length) : source;
}
