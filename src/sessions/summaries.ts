/** The summaries of one conversation, by the number of the last message each covers. */
export function summariesOf(notes: string, sessionId: string): Map<number, string> {
  const found = new Map<number, string>();
  // A summary ends where the next one, or the file, does: its own headings do not carry the marker.
  for (const part of notes.split(/\n## [^\n]*\n(?=<!-- messages )/)) {
    const [marker, last, owner] = /^<!-- messages \d+-(\d+) of ([\w-]+) -->\n/.exec(part) ?? [];
    if (marker === undefined || owner !== sessionId) continue;
    const [summary = ''] = part.slice(marker.length).split('<!-- end -->');
    const text = summary.replace(/<!-- outside -->\s*$/, '');
    found.set(Number(last), text.trim());
  }
  return found;
}

const SECTION = /(?=\n## [^\n]*\n<!-- messages )/;
const SECTION_HEAD = /^\n## [^\n]*\n<!-- messages \d+-(\d+) of ([\w-]+) -->\n/;

/** The notes without what this conversation said after a message. */
export function notesUpTo(notes: string, sessionId: string, lastMessage: number): string {
  return notes
    .split(SECTION)
    .filter((part) => {
      const [, last, owner] = SECTION_HEAD.exec(part) ?? [];
      return owner !== sessionId || Number(last) <= lastMessage;
    })
    .join('');
}

export interface NotesOfCopy {
  from: string;
  lastMessage: number;
  to: { sessionKey: string; sessionId: string };
}

/** What was summarised of a conversation up to a message, as the notes of another one. */
export function notesOfCopy(notes: string, { from, lastMessage, to }: NotesOfCopy): string {
  const parts = notes.split(SECTION).filter((part) => {
    const [, last, owner] = SECTION_HEAD.exec(part) ?? [];
    return owner === from && Number(last) <= lastMessage;
  });
  const own = parts.map((part) => part.replace(` of ${from} -->`, ` of ${to.sessionId} -->`));
  return `# Memory of session ${to.sessionKey}\n${own.join('')}`;
}
