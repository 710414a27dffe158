// Fetches the ONNX runtime from the npm registry into the home: two packages in fixed versions, with fixed checksums. Only the
// files that run in Node are kept, and no script of the packages runs.
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureDirectory, syncDirectory } from '../../storage/private-files.ts';
import { MemoryError } from '../memory-error.ts';
import { fetchPackage, type PackageOptions } from './npm-package.ts';
import { entryOf, RUNTIME, RUNTIME_VERSION } from './onnx-runtime.ts';
import { unpack } from './unpack.ts';

const LARGEST_UNPACKED = 100_000_000;

interface RuntimePackage {
  spec: string;
  integrity: string;
  /** The files of the package that are kept. */
  wanted: RegExp;
  /** Where they are put, below the runtime's folder. */
  folder: string;
}

const PACKAGES: readonly RuntimePackage[] = [
  {
    spec: RUNTIME,
    integrity: 'sha512-q0y+JrrtukXSzsBWEMccVfqX25LRmosXHF+CaRJmg8pZClzcV7svNc4rKY3jL02Vb7QmRMDs1SigqR4CXAfKYQ==',
    wanted: /^package\/dist\/(ort\.node\.min\.mjs|ort-wasm-simd-threaded\.(mjs|wasm))$/,
    folder: 'web',
  },
  {
    spec: `onnxruntime-common@${RUNTIME_VERSION}`,
    integrity: 'sha512-7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==',
    wanted: /^package\/(package\.json|dist\/esm\/.*\.(js|json))$/,
    folder: 'node_modules/onnxruntime-common',
  },
];
/** Fetches the runtime into the folder of runtimes, unless it is there. A kill leaves nothing that would be loaded. */
export async function installRuntime(folder: string, options: Omit<PackageOptions, 'integrity'>): Promise<void> {
  if ((await entryOf(folder)) !== undefined) return;
  const { directory: staging, signal } = options;
  const made = join(staging, 'runtime');
  for (const { spec, integrity, wanted, folder: place } of PACKAGES) {
    const { path, from } = await fetchPackage(spec, { ...options, integrity });
    const unpacked = join(staging, 'runtime-package');
    await rm(unpacked, { recursive: true, force: true });
    await unpack(createReadStream(path), { directory: unpacked, limit: LARGEST_UNPACKED, from, signal, wanted });
    await ensureDirectory(dirname(join(made, place)));
    await rename(join(unpacked, 'package'), join(made, place));
  }
  const version = join(folder, RUNTIME_VERSION);
  await rm(version, { recursive: true, force: true });
  await ensureDirectory(folder);
  await rename(made, version);
  await syncDirectory(folder);
  if ((await entryOf(folder)) === undefined)
    throw new MemoryError('MEMORY_MODEL', `${RUNTIME} was fetched and is incomplete: try again`);
}
