// Which modules of the bundle stand together. Every file costs a third of a millisecond to open, so what a start needs anyway
// is in two: `cli` for every command, `runtime` for those that open a runtime. A module belongs to the first of them whose roots
// import it statically. A module that is imported where it is used is a root when every turn uses it.
import { resolve } from 'node:path';

/** The modules from which each chunk is reached. */
const ROOTS = {
  cli: ['main', 'process-host', 'run-operation', 'commands/ask', 'attachments', 'render'].map(
    (name) => `src/cli/${name}.ts`,
  ),
  runtime: ['src/runtime/runtime.ts', 'src/workspace/protected.ts'],
};

type GetImports = (moduleId: string) => readonly string[];

/** For `name` of a group: the chunk of a module, or null where it is none of these. */
export function createStartupChunks(): (moduleId: string, importsOf: GetImports) => string | null {
  let chunkOf: Map<string, string> | undefined;
  return (moduleId, importsOf) => {
    chunkOf ??= assignChunks(importsOf);
    return chunkOf.get(moduleId) ?? null;
  };
}

function assignChunks(importsOf: GetImports): Map<string, string> {
  const chunkOf = new Map<string, string>();
  for (const [chunk, roots] of Object.entries(ROOTS)) {
    const waiting = roots.map((root) => resolve(root));
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (chunkOf.has(id)) continue;
      chunkOf.set(id, chunk);
      waiting.push(...importsOf(id));
    }
  }
  return chunkOf;
}
