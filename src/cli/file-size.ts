/** For people: `12 kB`, `3.4 MB`. */
export function fileSize(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
