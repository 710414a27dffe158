import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { SkillError } from '../skill-error.ts';
import { runProgram } from './run-program.ts';
import { readTar } from './tar.ts';
import type { Tree } from './tree.ts';

const TIMEOUT_MS = 180_000;
const MAX_OUTPUT_BYTES = 8 * 1_048_576;
const MAX_PACKED_BYTES = 32 * 1_048_576;
const MAX_UNPACKED_BYTES = 128 * 1_048_576;

export interface NpmOptions {
  /** A package name, with or without a version or tag; never an address or a path. */
  spec: string;
  /** A private empty directory. */
  temporary: string;
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** Reads a published package: downloads it, reads it in memory, runs none of its scripts. */
export async function packageTree({ spec, temporary, env, signal }: NpmOptions): Promise<Tree> {
  const flags = ['--ignore-scripts', '--no-update-notifier', '--loglevel=error', '--pack-destination', temporary];
  const args = ['pack', ...flags, '--', spec];
  await runProgram({
    file: 'npm',
    args,
    cwd: temporary,
    env,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  const archives = (await readdir(temporary)).filter((name) => name.endsWith('.tgz'));
  const [archive] = archives;
  if (archive === undefined || archives.length > 1)
    throw new SkillError('SKILL_FETCH', `npm gave no package for ${spec}`);
  const path = join(temporary, archive);
  if ((await stat(path)).size > MAX_PACKED_BYTES) throw tooLarge(spec);
  const unpacked = await promisify(gunzip)(await readFile(path), { maxOutputLength: MAX_UNPACKED_BYTES }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(spec);
      throw new SkillError('SKILL_SOURCE', `the package ${spec} cannot be unpacked: ${error.message}`, error);
    },
  );
  const entries = readTar(unpacked);
  const contents = new Map(entries.map(({ path: name, bytes }) => [name, bytes]));
  return {
    entries: entries.map(({ bytes: _, ...entry }) => entry),
    read: async (wanted) => wanted.map(({ path: name }) => contents.get(name) ?? Buffer.alloc(0)),
  };
}

function tooLarge(spec: string): SkillError {
  return new SkillError(
    'SKILL_LIMIT',
    `the package ${spec} is too large: skills come in packages of at most ${MAX_PACKED_BYTES} bytes`,
  );
}
