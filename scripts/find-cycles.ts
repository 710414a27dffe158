// Groups of files that import each other, directly or through others: Tarjan's strongly connected components. Each group has
// at least two files, or one that imports itself.

export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  function visit(file: string): number {
    const own = index.size;
    index.set(file, own);
    let low = own;
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, index.get(next) ?? own);
    }
    if (low === own) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1 || graph.get(file)?.includes(file)) cycles.push(group.toSorted());
    }
    return low;
  }

  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles;
}
