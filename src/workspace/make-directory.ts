import { mkdir } from 'node:fs/promises';
import { join, toSystem, toText } from './byte-path.ts';
import { type Place, unmake, walkToPlace } from './place.ts';
import { explainChange, notDirectory, systemCode } from './refusal.ts';
import { syncDirectory } from './sync.ts';
import type { Ground } from './trail.ts';

export interface MakeDirectoryRequest {
  path: string;
  admit(path: string): void;
  signal?: AbortSignal;
}

/** Makes each directory, also the last one, in the held directory above it. */
export async function makeDirectory(
  ground: Ground,
  { path, admit, signal }: MakeDirectoryRequest,
): Promise<{ path: string; madeDirectories: string[] }> {
  const explained = (error: unknown): never => {
    throw signal?.aborted ? error : explainChange(error, path, 'directory');
  };
  const place = await walkToPlace(ground, { path, wanted: 'directory', signal, admit, makeParents: true }).catch(
    explained,
  );
  if (!place) return { path: '.', madeDirectories: [] };
  try {
    return { path: toText(place.path), madeDirectories: (await finish(ground, place, path)).map(toText) };
  } catch (error) {
    await unmake(ground, place.made);
    return explained(error);
  } finally {
    place.release();
  }
}

async function finish(ground: Ground, { directory, name, found, path, made }: Place, asked: string): Promise<string[]> {
  if (found && !found.stats.isDirectory()) throw notDirectory(asked);
  if (found) return made;
  const address = join(directory.address, name);
  await ground.grasp.confirm(directory);
  try {
    await mkdir(toSystem(address));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    // Another process was faster; holding the entry shows whether it is a directory and not a link to one.
    const grip = await ground.grasp.directory(address);
    grip.release();
    return made;
  }
  await syncDirectory(directory.address);
  return [...made, path];
}
