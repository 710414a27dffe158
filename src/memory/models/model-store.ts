// The models in <home>/models, a folder each, with the checksum of every file; and which of them is in use. A model is copied
// into a temporary folder, tested, and only then renamed: an interrupted addition leaves no model, and the next addition
// removes its remains.
import { constants } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { newerVersionIn } from '../../lib/newer-version.ts';
import type { Locks } from '../../storage/locks.ts';
import { ensureDirectory, syncDirectory } from '../../storage/private-files.ts';
import { newerVersion, type OwnerFiles } from '../../storage/storage.ts';
import type { EmbeddingModel } from '../embeddings/embeddings.ts';
import { poolingOf } from '../embeddings/model-pooling.ts';
import type { Pooling } from '../embeddings/pool.ts';
import { MemoryError } from '../memory-error.ts';
import { readChoice, writeChoice } from './choice.ts';
import type { Fetch, OnBytes } from './download.ts';
import { installRuntime } from './install-runtime.ts';
import { MANIFEST_FILE, MANIFEST_VERSION, type ModelManifest } from './manifest.ts';
import { type CopiedFile, type Taken, takeModel } from './model-files.ts';
import { checkName, isModelName, nameFrom } from './model-name.ts';
import type { RunNpm } from './npm-package.ts';
import { openSource } from './open-source.ts';

const LOCK = 'memory-models';
const STAGING = '.adding-';

export interface AddOptions {
  /** By default the name of the folder or the address. */
  name?: string;
  /** Chooses one of several graphs: "onnx/model_quantized.onnx". */
  file?: string;
  /** How token vectors become one, where the files do not say. */
  pooling?: Pooling;
  /** Written before each text, where the files do not say. */
  prompts?: ModelManifest['prompts'];
  /** What the checksum of each of these files must be. */
  sums?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  onFile?: (file: CopiedFile) => void;
  /** How much of the file that is being fetched has arrived. */
  onBytes?: OnBytes;
}

export type ListedModel =
  | (ModelManifest & { ok: true })
  /** A folder without a usable model, with the reason. */
  | { ok: false; name: string; reason: string };

export interface ModelStore {
  /** Adds from a folder, a .tar.gz, an https address of either, or an npm package ("npm:name@1.2.3"). Rejects and leaves nothing when the model does not work. */
  add(source: string, options?: AddOptions): Promise<ModelManifest>;
  list(): Promise<ListedModel[]>;
  /** Rejects when there is no model of that name. */
  get(name: string): Promise<{ folder: string; manifest: ModelManifest }>;
  /** Rejects while the model is in use. */
  remove(name: string): Promise<void>;
  /** The owner's choice; undefined when nobody chose. */
  chosen(): Promise<string | undefined>;
  /** Chooses a model's name, "endpoint" or "none". Rejects when it cannot be used. */
  use(name: string): Promise<void>;
}

export interface ModelStoreDependencies {
  directory: string;
  cwd: string;
  locks: Locks;
  files: OwnerFiles;
  /** True when the settings name a server. */
  hasEndpoint: boolean;
  fetch: Fetch;
  runNpm: RunNpm;
  /** Where the ONNX runtime is kept for programs that have none beside them. */
  runtimeFolder: string;
  now(): number;
  newId(prefix: string): string;
  /** Opens a model to test it; the caller closes it. */
  openModel(options: { folder: string; manifest: ModelManifest }): EmbeddingModel;
}

export function createModelStore(dependencies: ModelStoreDependencies): ModelStore {
  const { directory, locks, files, hasEndpoint, now, newId } = dependencies;

  async function add(given: string, options: AddOptions = {}): Promise<ModelManifest> {
    const { name: wanted, file, sums, signal, onFile, onBytes } = options;
    if (wanted !== undefined) checkName(wanted);
    const lock = await locks.acquire(LOCK, { signal });
    const staging = join(directory, newId(STAGING));
    try {
      await clearLeftovers(directory);
      if (wanted !== undefined) await refuseTaken(wanted);
      await ensureDirectory(join(staging, 'model'));
      const source = await openSource(given, { ...dependencies, staging, signal, onBytes });
      const name = wanted ?? nameFrom(source.name);
      await refuseTaken(name);
      const taken = await takeModel(source, { file, sums, signal, onFile });
      const addedAt = new Date(now()).toISOString();
      const untried = { version: MANIFEST_VERSION, name, from: source.from, addedAt, dimension: 0, ...taken };
      const folder = join(staging, 'model');
      const described = { ...untried, ...(await describeVectors(folder, taken, options)) };
      const dimension = await tryOutWithRuntime(described, { staging, isRemote: source.isRemote }, options);
      const manifest: ModelManifest = { ...described, dimension };
      await writeSynced(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
      await rename(folder, join(directory, name));
      await syncDirectory(directory);
      return manifest;
    } finally {
      await rm(staging, { recursive: true, force: true });
      await lock.release();
    }
  }

  async function refuseTaken(name: string): Promise<void> {
    if (!(await isThere(join(directory, name)))) return;
    throw new MemoryError(
      'MEMORY_MODEL',
      `there is a model "${name}" already: "lainclaw memory model use ${name}" uses it; remove it first, or give this one another name with --name`,
    );
  }

  /** A model from the network gets the runtime from there too; for one of this machine an error says what to install. */
  async function tryOutWithRuntime(
    manifest: ModelManifest,
    { staging, isRemote }: { staging: string; isRemote: boolean },
    { signal, onBytes }: AddOptions,
  ): Promise<number> {
    const opened = (): EmbeddingModel => dependencies.openModel({ folder: join(staging, 'model'), manifest });
    try {
      return await tryOut(opened(), signal);
    } catch (error) {
      if (!isRemote || (error as MemoryError).code !== 'MEMORY_RUNTIME') throw error;
    }
    await installRuntime(dependencies.runtimeFolder, { ...dependencies, directory: staging, signal, onBytes });
    return tryOut(opened(), signal);
  }

  async function get(name: string): Promise<{ folder: string; manifest: ModelManifest }> {
    const folder = join(directory, checkName(name));
    const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch(() => undefined);
    if (text === undefined) {
      const names = (await list()).flatMap((model) => (model.ok ? [model.name] : []));
      const there = names.length > 0 ? `there are ${names.join(', ')}` : '"lainclaw memory model add" adds one';
      throw new MemoryError('MEMORY_MODEL', `there is no model "${name}": ${there}`);
    }
    return { folder, manifest: parseManifest(text, name, folder) };
  }

  async function list(): Promise<ListedModel[]> {
    const names = await readdir(directory).catch(() => [] as string[]);
    const models = names
      .filter((name) => isModelName(name))
      .toSorted()
      .map(async (name): Promise<ListedModel[]> => {
        const text = await readFile(join(directory, name, MANIFEST_FILE), 'utf8').catch(() => undefined);
        if (text === undefined)
          return (await isDirectory(join(directory, name))) ? [broken(name, 'it has no model.json')] : [];
        try {
          return [{ ok: true, ...parseManifest(text, name, join(directory, name)) }];
        } catch (error) {
          return [broken(name, (error as Error).message)];
        }
      });
    return (await Promise.all(models)).flat();
  }

  return {
    add,
    list,
    get,
    async remove(name) {
      const lock = await locks.acquire(LOCK);
      try {
        const folder = join(directory, checkName(name));
        if (!(await isDirectory(folder))) await get(name);
        if ((await readChoice(files).catch(() => undefined)) === name) {
          throw new MemoryError(
            'MEMORY_MODEL',
            `the model "${name}" is in use: choose another first, or none ("lainclaw memory model use none")`,
          );
        }
        // Rename first: an interrupted removal must not leave half of a model.
        const aside = join(directory, newId(STAGING));
        await rename(folder, aside);
        await rm(aside, { recursive: true, force: true });
      } finally {
        await lock.release();
      }
    },
    chosen: () => readChoice(files),
    async use(name) {
      if (name === 'endpoint' && !hasEndpoint) {
        throw new MemoryError(
          'MEMORY_MODEL',
          'no embedding server is set up: config.json needs "embeddingBaseUrl" and "embeddingModel"',
        );
      }
      if (name !== 'endpoint' && name !== 'none') await get(name);
      await writeChoice(files, name);
    },
  };
}

/** What of a model's vectors its graph does not decide. */
async function describeVectors(
  folder: string,
  { file, files }: Taken,
  { pooling, prompts }: AddOptions,
): Promise<Pick<ModelManifest, 'pooling' | 'prompts'>> {
  if (!file.endsWith('.onnx')) return {};
  const json = new Map<string, unknown>();
  for (const { path } of files)
    if (path.endsWith('.json') && path !== 'tokenizer.json') json.set(path, await readJson(join(folder, path)));
  const found = poolingOf((path) => json.get(path));
  return { pooling: pooling ?? ('pooling' in found ? found.pooling : 'unknown'), ...(prompts && { prompts }) };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    // The model says so itself when it is tried.
    return undefined;
  }
}

async function tryOut(model: EmbeddingModel, signal: AbortSignal | undefined): Promise<number> {
  try {
    const [one, other] = await model.embed(['the first text', 'another one, a little longer'], 'passage', signal);
    if (!one || one.length === 0 || one.length !== other?.length || !one.every(Number.isFinite))
      throw new MemoryError('MEMORY_MODEL', 'the model was tested and gave no usable vectors: it is not added');
    return one.length;
  } finally {
    model.close();
  }
}

function parseManifest(text: string, name: string, folder: string): ModelManifest {
  const newer = newerVersionIn(text, MANIFEST_VERSION);
  if (newer !== undefined) throw newerVersion(join(folder, MANIFEST_FILE), newer, MANIFEST_VERSION);
  try {
    const manifest = JSON.parse(text) as ModelManifest;
    const isWhole =
      manifest.version === MANIFEST_VERSION &&
      manifest.files.every(
        ({ path, sha256 }) =>
          /^[\w.-]+(\/[\w.-]+)?$/.test(path) && !path.startsWith('.') && /^[0-9a-f]{64}$/.test(sha256),
      ) &&
      manifest.files.some(({ path }) => path === manifest.file);
    // The folder's name is the model's: it may have been renamed by hand.
    if (isWhole) return { ...manifest, name };
  } catch {
    // Reported below.
  }
  throw new MemoryError(
    'MEMORY_MODEL',
    `the record of the model "${name}" is damaged: run "lainclaw memory model remove ${name}" and add it again`,
  );
}

function broken(name: string, reason: string): ListedModel {
  return { ok: false, name, reason };
}

async function clearLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [] as string[]))
    if (name.startsWith(STAGING)) await rm(join(directory, name), { recursive: true, force: true });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
