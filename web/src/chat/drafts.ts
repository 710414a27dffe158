// What was typed and not sent, kept in the browser: a reload, or another tab, loses nothing.

const PREFIX = 'lainclaw-draft:';

export function readDraft(session: string): string {
  return localStorage.getItem(PREFIX + session) ?? '';
}

export function keepDraft(session: string, text: string): void {
  if (text === '') localStorage.removeItem(PREFIX + session);
  else localStorage.setItem(PREFIX + session, text);
}

const SENT_PREFIX = 'lainclaw-sent:';

/** The id with which the draft was sent, where nothing has said yet whether it was accepted. */
export function readSentId(session: string): string | undefined {
  return localStorage.getItem(SENT_PREFIX + session) ?? undefined;
}

export function keepSentId(session: string, id: string | undefined): void {
  if (id === undefined) localStorage.removeItem(SENT_PREFIX + session);
  else localStorage.setItem(SENT_PREFIX + session, id);
}
