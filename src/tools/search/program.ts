import { createRequire } from 'node:module';

/** The ripgrep that came with the package; the system's where that one is missing. */
export async function findRipgrep(): Promise<string> {
  try {
    const { rgPath } = createRequire(import.meta.url)('@vscode/ripgrep') as { rgPath: string };
    return rgPath;
  } catch {
    return 'rg';
  }
}
