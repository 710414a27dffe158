/** The summaries of one conversation, by the number of the last message each covers. */
export function summariesOf(notes: string, sessionId: string): Map<number, string> {
  const found = new Map<number, string>();
  // A summary ends where the next one, or the file, does: its own headings do not carry the marker.
  for (const part of notes.split(/\n## [^\n]*\n(?=<!-- messages )/)) {
    const [marker, last, owner] = /^<!-- messages \d+-(\d+) of ([\w-]+) -->\n/.exec(part) ?? [];
    if (marker === undefined || owner !== sessionId) continue;
    const text = part.slice(marker.length).replace(/<!-- outside -->\s*$/, '');
    found.set(Number(last), text.trim());
  }
  return found;
}
