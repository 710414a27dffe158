/** Limit for arguments of a tool: deeper than any schema of ours, shallow enough for recursive readers. */
export const DEEPEST_ARGS = 100;

/** True when a JSON value is nested deeper than `limit`. Does not recurse: a hostile value could exhaust the stack. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const containers = level.filter((item) => typeof item === 'object' && item !== null) as object[];
    if (containers.length > 0 && depth >= limit) return true;
    level = containers.flatMap((container) => Object.values(container));
  }
  return false;
}
