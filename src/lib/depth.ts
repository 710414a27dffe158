/** Arguments of a tool: deeper than any schema of ours, shallow enough for whoever reads them recursively. */
export const DEEPEST_ARGS = 100;

/** Whether a JSON value is nested deeper than this. Itself it does not recurse: the value may be made to break that. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter((item) => typeof item === 'object' && item !== null) as object[];
    if (containers.length > 0 && depth >= limit) return true;
    level = containers.flatMap((container) => Object.values(container));
  }
  return false;
}
