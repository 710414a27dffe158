const MOST_ENTRIES = 20_000;

/** What is in an archive, a line each: size and name. Names are shown without characters that would break the line. */
export function listText(entries: readonly { name: string; size: number }[]): string {
  const lines = entries
    .slice(0, MOST_ENTRIES)
    .map(({ name, size }) => `${String(size).padStart(12)}  ${oneLine(name)}`);
  if (entries.length > MOST_ENTRIES) lines.push(`(${entries.length - MOST_ENTRIES} more entries)`);
  return lines.length > 0 ? ['       bytes  name', ...lines].join('\n') : '(empty)';
}

function oneLine(name: string): string {
  return name.replace(/\p{Cc}/gu, '�').slice(0, 1_000);
}
