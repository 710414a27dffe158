// A place is where something is made, replaced or removed: the parent directory, held by a grip, and the object that has
// the name now. Missing directories are made one by one, each entered through the one above it and never through a link,
// so nothing swapped meanwhile makes anything appear outside. Nothing is made before the whole resolved path is known to
// be inside and allowed.
import { mkdir, rmdir } from 'node:fs/promises';
import { join, toSystem, toText } from './byte-path.ts';
import { type Grip, systemError } from './grip.ts';
import { outside, systemCode, tooDeep } from './refusal.ts';
import { syncDirectory } from './sync.ts';
import type { Ground, Reached, Trail } from './trail.ts';
import { enter, follow, MAX_DEPTH, type Missing, onTrail, type Route, type WalkRequest } from './walk.ts';

export interface PlaceRequest extends WalkRequest {
  /** Throws when this byte path (relative to the root, links resolved) may not be changed. */
  admit(path: string): void;
  makeParents: boolean;
}

export interface Place {
  /** The directory that contains the name. */
  directory: Grip;
  /** Byte name within the directory. */
  name: string;
  /** Byte path relative to the root, links resolved. */
  path: string;
  found?: Reached;
  /** Byte paths of the parent directories that were made, outermost first. */
  made: string[];
  /** Releases every grip. */
  release(): void;
}

/** Undefined when the path ends at the root itself, whose parent is not in the workspace. */
export function walkToPlace(ground: Ground, request: PlaceRequest): Promise<Place | undefined> {
  return onTrail(ground, request, async (trail, route) => {
    const missing = await follow(ground, trail, route, request);
    if (!trail.isInside()) throw outside();
    return missing ? freePlace(ground, trail, { ...request, missing, route }) : takenPlace(trail, request);
  });
}

/** The same walk without making anything: where the place would be, and whether something exists there. */
export function locate(ground: Ground, request: Omit<PlaceRequest, 'makeParents'>) {
  return onTrail(ground, request, async (trail, route): Promise<{ path: string; exists: boolean }> => {
    const missing = await follow(ground, trail, route, request);
    if (!trail.isInside()) throw outside();
    const rest = missing ? namesToMake({ ...request, makeParents: true, missing, route }) : [];
    const path = [...trail.names(), ...rest].join('/');
    if (path !== '') request.admit(path);
    return { path, exists: missing === undefined };
  });
}

async function takenPlace(trail: Trail, { admit }: PlaceRequest): Promise<Place | undefined> {
  if (trail.names().length === 0) return undefined;
  admit(trail.names().join('/'));
  const found = await trail.take();
  try {
    const { grip: directory } = await trail.take();
    const name = found.path.slice(found.path.lastIndexOf('/') + 1);
    return placeOf({ directory, name, path: found.path, found, made: [] });
  } catch (error) {
    found.grip.release();
    throw error;
  }
}

interface FreeRequest extends PlaceRequest {
  missing: Missing;
  route: Route;
}

async function freePlace(ground: Ground, trail: Trail, request: FreeRequest): Promise<Place> {
  const { path, missing, signal, admit, makeParents } = request;
  const names = namesToMake(request);
  const name = names.pop() ?? missing.name;
  const whole = [...trail.names(), ...names, name].join('/');
  admit(whole);
  if (names.length > 0 && !makeParents) throw missing.error;
  if (trail.depth() + names.length > MAX_DEPTH) throw tooDeep(path);
  // The system would report this only after the directories were made.
  if (Buffer.byteLength(name, 'latin1') > LONGEST_NAME) throw systemError('ENAMETOOLONG');

  const made: string[] = [];
  try {
    for (const parent of names) {
      signal?.throwIfAborted();
      await trail.confirm();
      if (await makeOne(trail.addressOf(parent))) {
        made.push([...trail.names(), parent].join('/'));
        await syncDirectory(trail.addressOf('.'));
      }
      if (!(await enter(ground, trail, parent))) throw systemError('ESTALE');
    }
    const { grip: directory } = await trail.take();
    return placeOf({ directory, name, path: whole, made });
  } catch (error) {
    await unmake(ground, made);
    throw error;
  }
}

/** Removes directories that turned out not to be needed, where they still exist and are empty. */
export async function unmake(ground: Ground, made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) {
    const request = { path: toText(path), wanted: 'directory', admit: () => {}, makeParents: false } as const;
    const place = await walkToPlace(ground, request).catch(() => undefined);
    // A link that leads elsewhere is not the directory that was made.
    if (place?.path === path) await rmdir(toSystem(join(place.directory.address, place.name))).catch(() => {});
    place?.release();
  }
}

const LONGEST_NAME = 255;

/** Every name from the missing one on. Fails when a `..` follows it or, for a file, when only a `/` follows. */
function namesToMake({ missing, route, wanted }: FreeRequest): string[] {
  const rest = route.rest();
  const isSpelledAsDirectory = ['', '.'].includes(rest.at(-1) ?? 'name');
  if (rest.includes('..') || (wanted === 'file' && isSpelledAsDirectory)) throw missing.error;
  return [missing.name, ...rest.filter((name) => name !== '' && name !== '.')];
}

/** False when something exists there by now: entering it shows what it is. */
async function makeOne(address: string): Promise<boolean> {
  try {
    await mkdir(toSystem(address));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function placeOf(place: Omit<Place, 'release'>): Place {
  return {
    ...place,
    release() {
      place.directory.release();
      place.found?.grip.release();
    },
  };
}
