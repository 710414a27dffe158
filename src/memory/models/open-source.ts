// Where a model comes from: a folder or a .tar.gz of this machine, the https address of either, or an npm package.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { MemoryError } from '../memory-error.ts';
import { addressSource } from './address-source.ts';
import { type DownloadOptions, download, parseAddress, shown } from './download.ts';
import { folderSource } from './folder-source.ts';
import type { ModelSource } from './model-files.ts';
import { fetchPackage, type RunNpm } from './npm-package.ts';
import { unpack } from './unpack.ts';

const LARGEST_ARCHIVE = 4_000_000_000;
const NPM = 'npm:';

export interface SourceOptions extends DownloadOptions {
  cwd: string;
  /** A private directory; the model's files go to "model" below it. */
  staging: string;
  runNpm: RunNpm;
}

export async function openSource(given: string, options: SourceOptions): Promise<ModelSource> {
  const { cwd, staging } = options;
  const target = join(staging, 'model');
  if (given.startsWith(NPM)) {
    const { path, from, name } = await fetchPackage(given.slice(NPM.length), { ...options, directory: staging });
    return unpacked(createReadStream(path), { from, name, isRemote: true }, options);
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    const address = parseAddress(given);
    if (!isArchive(address.pathname)) return addressSource(address, target, options);
    const archive = await download(address, options);
    if (!archive) throw new MemoryError('MEMORY_MODEL', `there is nothing at ${shown(address)}: check the address`);
    const from = shown(address);
    return unpacked(archive.body, { from, name: nameOfArchive(from), isRemote: true }, options);
  }
  const path = resolve(cwd, given);
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory()) return folderSource(path, target);
  if (stats?.isFile() && isArchive(path))
    return unpacked(createReadStream(path), { from: path, name: nameOfArchive(path), isRemote: false }, options);
  throw new MemoryError(
    'MEMORY_MODEL',
    `${path} is not a model: give a folder, a .tar.gz of one, the https:// address of either, or npm:<package>`,
  );
}

async function unpacked(
  archive: AsyncIterable<Uint8Array>,
  { from, name, isRemote }: Pick<ModelSource, 'from' | 'name' | 'isRemote'>,
  { staging, signal }: SourceOptions,
): Promise<ModelSource> {
  const directory = join(staging, 'unpacked');
  const paths = await unpack(archive, { directory, limit: LARGEST_ARCHIVE, from, signal });
  const roots = paths.filter((path) => basename(path) === 'tokenizer.json').map((path) => dirname(path));
  if (roots.length > 1)
    throw new MemoryError('MEMORY_MODEL', `${from} holds several models (${roots.join(', ')}): unpack it and add one`);
  const root = roots[0] ?? '.';
  const isNamed = root !== '.' && root !== 'package';
  return folderSource(join(directory, root), join(staging, 'model'), {
    from,
    name: isNamed ? basename(root) : name,
    isRemote,
  });
}

function isArchive(path: string): boolean {
  return /\.(tar\.gz|tgz)$/i.test(path);
}

function nameOfArchive(path: string): string {
  return basename(path).replace(/\.(tar\.gz|tgz)$/i, '');
}
