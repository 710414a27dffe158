import { globSync, readFileSync } from 'node:fs';

export interface SourceFile {
  path: string;
  text: string;
}

/** Every TypeScript file under the given folders, tests included, with forward slashes in its path. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Ends a check: prints every finding and sets the exit code. */
export function report(check: string, findings: string[]): void {
  for (const finding of findings) console.error(`${check}: ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
  else console.log(`${check}: ok`);
}

/** The relative imports of a file, static and dynamic, as they are written. */
export function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.{1,2}\/[^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

/** The packages that a file imports, without Node's own and without relative paths. */
export function packagesOf(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]((?!node:)(?:@[\w.-]+\/)?[\w][\w.-]*)[^'"]*['"]/g;
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))];
}
