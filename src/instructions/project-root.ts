import { dirname, join, sep } from 'node:path';

/** The nearest folder above (or the folder itself) that holds a repository; the folder itself when none does. */
export async function findProjectRoot(folder: string, exists: (path: string) => Promise<boolean>): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, '.git'))) return at;
    if (at === dirname(at)) return folder;
  }
}

/** By whole names: `/a/bc` is not within `/a/b`. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
