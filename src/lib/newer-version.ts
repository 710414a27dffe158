// Detects a JSON text whose top-level version is newer than we understand, and the error message for it.

export function newerVersionIn(text: string, understood: number): number | undefined {
  // Most texts have no such version, and are not parsed.
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
