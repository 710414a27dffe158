// A deny rule on reading, fs.read_file(secrets/**), is about the files and not about one tool: whatever works on files of the
// workspace by path leaves them out, and commands run without them.
import type { HidesPath } from './hides-path.ts';
import type { PathContext } from './paths.ts';
import { namesTool, type Rule } from './rules.ts';

/** A rule without a pattern is about the tool alone. */
export function isAboutReading(rule: Rule): boolean {
  return rule.pattern.kind === 'path' && rule.governs === 'read';
}

/** Undefined when nothing is hidden. `names`: of the tool whose own rules count as well. */
export function hiddenPaths(
  denying: readonly Rule[],
  names: readonly string[],
  places: Omit<PathContext, 'directory'>,
): HidesPath | undefined {
  const patterns = denying.flatMap((rule) =>
    rule.pattern.kind === 'path' && (isAboutReading(rule) || namesTool(rule, names)) ? [rule.pattern.path] : [],
  );
  if (patterns.length === 0) return undefined;
  const { workspaceRoot, userHome } = places;
  const fromHome = workspaceRoot.startsWith(`${userHome}/`) ? `~${workspaceRoot.slice(userHome.length)}` : undefined;
  // The same spellings of a path that the rule is held against when the file itself is asked for.
  return (path) => {
    const spellings = [path, `${workspaceRoot}/${path}`, ...(fromHome === undefined ? [] : [`${fromHome}/${path}`])];
    return patterns.some(({ touches }) => spellings.some(touches));
  };
}
