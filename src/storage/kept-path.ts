/** The scope and the name of a kept output, from its path in any home: `<home>/outputs/<scope>/<name>`. Undefined for every other path. */
export function keptPath(path: string): { scope: string; name: string } | undefined {
  const [, scope = '', name = ''] = /^\/(?:.*\/)?outputs\/([^/]+)\/([^/]+)$/s.exec(path) ?? [];
  return scope === '' || scope.startsWith('.') || name.startsWith('.') ? undefined : { scope, name };
}
