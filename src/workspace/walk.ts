// Resolves a path the way the system does, but one component at a time on held directories, so nothing that is
// swapped meanwhile can lead the walk anywhere unseen. `..` goes back along the trail; a link's target is put in
// front of what is left of the path. Stops at the end of the path, at the first failure, after 40 links, or 256
// directories down. Accepts only what ends with the root on the trail; every failure elsewhere is `outside`.
// For a path that does not exist yet (place.ts) the walk ends at the first missing name.
import { readlink } from 'node:fs/promises';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { toBytePath, toSystem } from './byte-path.ts';
import { systemError } from './grip.ts';
import { explain, isExhausted, outside, systemCode, tooDeep, tooManyLinks, type Wanted } from './refusal.ts';
import { createTrail, type Ground, type Reached, type Trail } from './trail.ts';

const MAX_LINKS = 40;
/** Each level costs a descriptor while the walk lasts. */
export const MAX_DEPTH = 256;

export interface WalkRequest {
  path: string;
  wanted: Wanted;
  signal?: AbortSignal;
}

/** Holds the object at the end of the path, never a link; its type is not checked. The caller releases the grip. */
export function walk(ground: Ground, request: WalkRequest): Promise<Reached> {
  return onTrail(ground, request, async (trail, route) => {
    const missing = await follow(ground, trail, route, request);
    if (missing) throw missing.error;
    if (!trail.isInside()) throw outside();
    return trail.take();
  });
}

/** Every failure becomes a refusal, and every grip that was not taken is released. */
export async function onTrail<T>(
  ground: Ground,
  { path, wanted, signal }: WalkRequest,
  use: (trail: Trail, route: Route) => Promise<T>,
): Promise<T> {
  const trail = createTrail(ground);
  try {
    return await use(trail, createRoute(ground, trail));
  } catch (error) {
    if (signal?.aborted && error === signal.reason) throw error;
    const isRefusal = error instanceof WorkspaceError ? error.code !== 'io' : systemCode(error) !== undefined;
    if (isRefusal && !trail.isInside() && !isExhausted(error)) throw outside();
    throw explain(error, path, wanted);
  } finally {
    trail.release();
  }
}

/** A name that does not exist in the directory at the end of the trail. */
export interface Missing {
  name: string;
  error: unknown;
}

/** Leaves the trail at the end of the path, or at the directory where the next name is missing. */
export async function follow(
  ground: Ground,
  trail: Trail,
  route: Route,
  { path, signal }: WalkRequest,
): Promise<Missing | undefined> {
  let links = 0;
  await route.begin(toBytePath(path));
  for (let name = route.next(); name !== undefined; name = route.next()) {
    signal?.throwIfAborted();
    if (name === '..') {
      if (!trail.back()) await route.climb();
      continue;
    }
    if (trail.depth() > MAX_DEPTH) throw tooDeep(path);
    const isLast = route.isEmpty();
    let arrived: boolean;
    try {
      arrived = isLast ? await look(ground, trail, name) : await enter(ground, trail, name);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return { name, error };
      throw error;
    }
    if (arrived) continue;
    links += 1;
    if (links > MAX_LINKS) throw tooManyLinks(path);
    await route.prepend(await targetOf(trail.addressOf(name), isLast));
  }
  return undefined;
}

export type Route = ReturnType<typeof createRoute>;

/** What is left of the path, its next component last. */
function createRoute(ground: Ground, trail: Trail) {
  const left: string[] = [];
  const prefix = ground.path === '/' ? '/' : `${ground.path}/`;
  let isFromTop = false;

  async function restart(from: 'top' | 'root', path: string): Promise<void> {
    isFromTop = from === 'top' || ground.path === '/';
    left.push(...path.split('/').reverse());
    await (from === 'top' ? trail.restartAtTop() : trail.restartAtRoot());
  }

  async function prepend(path: string): Promise<void> {
    if (path.startsWith(prefix)) await restart('root', path.slice(prefix.length));
    else if (path.startsWith('/')) await restart('top', path);
    else left.push(...path.split('/').reverse());
  }

  return {
    prepend,
    begin: (path: string): Promise<void> => (path.startsWith('/') ? prepend(path) : restart('root', path)),
    isEmpty: (): boolean => left.length === 0,
    /** Every component that is left, in order, empty ones included. */
    rest: (): string[] => left.toReversed(),

    /** An empty component is a `.`: the walk stays where it is, but the component before it must be a directory. */
    next(): string | undefined {
      let name = left.pop();
      while (name === '' || name === '.') name = left.pop();
      return name;
    },

    /** `..` where the trail begins: above `/` is `/`, and above the root the walk comes down again from `/`. */
    async climb(): Promise<void> {
      if (!isFromTop) await restart('top', ground.path.slice(0, ground.path.lastIndexOf('/')));
    },
  };
}

/** False when the name is not a directory: it is a link, or reading it as a link reports the error. */
export async function enter(ground: Ground, trail: Trail, name: string): Promise<boolean> {
  try {
    await trail.push(name, await ground.grasp.directory(trail.addressOf(name)));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOTDIR' || code === 'ELOOP') return false;
    throw error;
  }
}

/** False when the name is a link. */
async function look(ground: Ground, trail: Trail, name: string): Promise<boolean> {
  await trail.push(name, await ground.grasp.anything(trail.addressOf(name)));
  const stats = await trail.stat();
  if (!stats.isSymbolicLink()) return true;
  trail.back();
  return false;
}

async function targetOf(address: string, isLast: boolean): Promise<string> {
  try {
    return await readlink(toSystem(address), 'latin1');
  } catch (error) {
    if (systemCode(error) !== 'EINVAL') throw error;
    throw systemError(isLast ? 'ESTALE' : 'ENOTDIR');
  }
}
