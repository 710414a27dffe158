// The ONNX runtime, kept in the home for those whose program has none beside it: the few files of two npm packages that run in
// Node, in fixed versions (install-runtime.ts fetches them). The files are checked each time before they are loaded.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export const RUNTIME_VERSION = '1.30.0';
export const RUNTIME = `onnxruntime-web@${RUNTIME_VERSION}`;

/** Of all files together. */
const DIGEST = '5b97a47b701c967eb8405bb04db05fbbc3f1c3b66deacd6a6f9e283ce073c2fd';
const ENTRY = 'web/dist/ort.node.min.mjs';

/** The file to import from the folder of runtimes; undefined when the runtime is not there, or is not the one that was chosen. */
export async function entryOf(folder: string): Promise<string | undefined> {
  const version = join(folder, RUNTIME_VERSION);
  return (await digestOf(version)) === DIGEST ? join(version, ENTRY) : undefined;
}

async function digestOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sums = paths.map(async (path) => {
    const sum = createHash('sha256').update(await readFile(path));
    return `${relative(folder, path)} ${sum.digest('hex')}`;
  });
  return createHash('sha256')
    .update((await Promise.all(sums)).toSorted().join('\n'))
    .digest('hex');
}
