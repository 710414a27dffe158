// The pattern of a file rule, file_write(docs/**): a glob on the path relative to the workspace, with `/` between parts; a
// pattern that starts with `/` or `~/` is taken as an absolute path. `*` stays within a name, `**` crosses directories, names
// that start with a dot match too. An allow pattern fits only the place a path really leads to, in its exact case. A deny or
// ask pattern also fits the path as it was given, upper or lower case, everything below it and, when it has no `/`, the name
// at any depth.
import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Location, PathContext } from './paths.ts';

export interface PathPattern {
  source: string;
  allows(path: string): boolean;
  touches(path: string): boolean;
}

export type ParsedPathPattern = { ok: true; pattern: PathPattern } | { ok: false; error: string };

export function parsePathPattern(text: string): ParsedPathPattern {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, error: 'the parentheses are empty' };
  if (trimmed.startsWith('!')) return { ok: false, error: 'a pattern cannot be negated; use the deny list' };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(trimmed)) return { ok: false, error: '".." is not accepted in a pattern' };
  if (trimmed.includes('\\') || trimmed.includes('\0'))
    return { ok: false, error: 'parts of a path are separated by "/"' };
  const source = trimmed.replace(/^\.\//, '').replace(/\/$/, '/**');
  const options = { dot: true, nonegate: true, noextglob: true, strictBrackets: true } as const;
  try {
    const allows = picomatch(source, options);
    const wide = [source, `${source}/**`, ...(source.includes('/') ? [] : [`**/${source}`, `**/${source}/**`])];
    const touches = picomatch(wide, { ...options, nocase: true });
    return { ok: true, pattern: { source, allows: (path) => allows(path), touches: (path) => touches(path) } };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : 'not a glob' };
  }
}

/** For an allow rule: the resolved place only, and a relative pattern only inside the workspace. */
export function allowsPath(
  { source, allows }: PathPattern,
  { path, relative }: Location,
  { userHome }: PathContext,
): boolean {
  if (source.startsWith('/')) return allows(path);
  if (source.startsWith('~/')) return path.startsWith(`${userHome}/`) && allows(`~${path.slice(userHome.length)}`);
  return relative !== undefined && allows(relative);
}

/** For a deny or ask rule: the resolved place, and the path as it was given. */
export function touchesPath(
  { source, touches }: PathPattern,
  given: string,
  location: Location,
  { workspaceRoot, directory, userHome }: PathContext,
): boolean {
  const asGiven = posix.normalize(given.startsWith('/') ? given : given.replace(/^~(?=\/|$)/, userHome));
  const absolute = posix.resolve(directory, asGiven);
  const paths = [location.path, absolute].flatMap((path) => [
    path,
    path.startsWith(`${userHome}/`) ? `~${path.slice(userHome.length)}` : path,
    posix.relative(workspaceRoot, path),
  ]);
  return (
    [...paths, location.relative ?? '', asGiven, given].some((path) => path !== '' && touches(path)) || source === given
  );
}
