// What was typed and not sent, kept in the browser: a reload, or another tab, loses nothing.

const PREFIX = 'lainclaw-draft:';

export function readDraft(session: string): string {
  return localStorage.getItem(PREFIX + session) ?? '';
}

export function keepDraft(session: string, text: string): void {
  if (text === '') localStorage.removeItem(PREFIX + session);
  else localStorage.setItem(PREFIX + session, text);
}
