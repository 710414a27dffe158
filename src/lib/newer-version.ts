// Whether a JSON text says at its top that it is of a newer version than we understand, and how that is told.

export function newerVersionIn(text: string, understood: number): number | undefined {
  // Most texts say nothing of the kind: they are not parsed for it.
  const mentioned = [...text.matchAll(/"version"\s*:\s*(\d+)/g)];
  if (!mentioned.some(([, version]) => Number(version) > understood)) return undefined;
  try {
    const { version } = JSON.parse(text) as { version?: unknown };
    return typeof version === 'number' && version > understood ? version : undefined;
  } catch {
    return undefined;
  }
}

export function newerVersionMessage(path: string, found: number, understood: number): string {
  const versions = `version ${found}, this one understands version ${understood}`;
  return `cannot use ${path}: it was written by a newer Lainclaw (${versions}): upgrade lainclaw`;
}
