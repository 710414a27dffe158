// The declarations of the library: its entry and the files whose types it names, each by itself. An export without a written
// type fails the build, so that the surface is what was written and nothing the compiler worked out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isolatedDeclarationSync } from 'rolldown/experimental';

const RELATIVE_IMPORT = /(\bfrom\s*["'])(\.{1,2}\/[^"']+)\.ts(["'])/g;

export function writeLibraryTypes({ entry, directory }: { entry: string; directory: string }): void {
  const found = [entry];
  for (const path of found) {
    const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'), { stripInternal: true });
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
    for (const [, , specifier = ''] of code.matchAll(RELATIVE_IMPORT)) {
      const target = `${posix.join(posix.dirname(path), specifier)}.ts`;
      if (!found.includes(target)) found.push(target);
    }
    const output = posix.join(directory, posix.relative('src', path)).replace(/\.ts$/, '.d.ts');
    mkdirSync(posix.dirname(output), { recursive: true });
    writeFileSync(output, code.replace(RELATIVE_IMPORT, '$1$2.js$3'));
  }
}
